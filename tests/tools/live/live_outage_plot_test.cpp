#include "backoffctl/live/live.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoffctl::live_outage_plot_test {

using testing::AllOf;
using testing::HasSubstr;

// Ten seconds. The server is stopped for four of them, and then answers in a single one.
OutageRun an_outage_with_a_single_answer() {
  OutageRun result;
  result.policy = "fixed(100ms)";
  result.guard = "none";
  result.client = "retry";
  result.times = {0, 3, 7};
  for (auto i = 0; i < 10; ++i) {
    backoff_actor::OutageSecond second{};
    second.attempts = 20;
    second.ok = i < 3 || i == 8 ? 16 : 0;
    second.latency_s = i == 8 ? 1.3 : 0.1;
    result.seconds.push_back(second);
  }
  return result;
}

TEST(live_outage_plot, says_in_the_file_how_the_outage_ended) {
  auto run = an_outage_with_a_single_answer();
  run.summary.recovery = {.recovered = true, .recover_s = 4.0};
  const auto picture = live_outage_plot(run, {"x.svg", false});
  EXPECT_EQ(picture.title, "A real outage of 4 s: recovered after 4 s");
  EXPECT_THAT(picture.description, HasSubstr("Clients: fixed(100ms). From above, for each second"));
}

TEST(live_outage_plot, shows_a_second_that_alone_has_answers) {
  const auto script = live_outage_plot(an_outage_with_a_single_answer(), {"x.svg", false}).script;
  EXPECT_THAT(script, HasSubstr("\n7.5 NaN\n8.5 1.3\n9.5 NaN\nend_of_data\n"));
  EXPECT_THAT(script, HasSubstr("\n8.5 1.3\nend_of_data\n")); // the marks
}

TEST(live_outage_plot, has_its_legends_above_the_panels) {
  const auto script = live_outage_plot(an_outage_with_a_single_answer(), {"x.svg", false}).script;
  EXPECT_THAT(script, AllOf(HasSubstr("set tmargin at screen 0.8761061947\n"),
                            HasSubstr("set key at screen 0.97, screen 0.8949115044 right center")));
}

TEST(live_outage_plot, tells_its_lines_apart_without_colour) {
  const auto script = live_outage_plot(an_outage_with_a_single_answer(), {"x.svg", false}).script;
  EXPECT_THAT(
    script, AllOf(HasSubstr("linewidth 6 dashtype 1 linecolor rgb '#b4b4b4' title 'attempts'"),
                  HasSubstr("linewidth 2 dashtype 1 linecolor rgb '#0072b2' title 'answered'"),
                  HasSubstr("linewidth 2 dashtype (6,4) linecolor rgb '#b3261e' title 'failed'")));
}

} // namespace backoffctl::live_outage_plot_test
