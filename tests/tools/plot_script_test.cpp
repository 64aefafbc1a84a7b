#include "backoffctl/plan/plan.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace backoffctl::plot_script_test {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

PlanAnswer planned(const std::vector<std::string>& policies, std::uint32_t attempts) {
  PlanQuestion question{.policies = {}, .attempts = attempts};
  for (const auto& policy : policies)
    question.policies.push_back(backoff_actor::parse_policy(policy));
  return answer(question);
}

std::string script(const std::vector<std::string>& policies, std::uint32_t attempts,
                   const PlotRequest& plot = {"x.svg", false}) {
  return plot_script(planned(policies, attempts), plot).script;
}

TEST(plot_script, draws_in_the_format_of_the_files_name) {
  EXPECT_THAT(script({"fixed(1s)"}, 2), HasSubstr("set terminal svg "));
  EXPECT_THAT(script({"fixed(1s)"}, 2, {"x.png", false}), HasSubstr("set terminal pngcairo "));
}

TEST(plot_script, has_an_area_only_for_what_depends_on_chance) {
  EXPECT_THAT(script({"fixed(1s)"}, 2), Not(HasSubstr("filledcurves")));
  const auto both = script({"fixed(1s)", "fixed(1s) | full_jitter"}, 2);
  EXPECT_THAT(both, HasSubstr("$data1 << end_of_data\n1 0 1000\n2 0 1000\nend_of_data\n"));
  EXPECT_THAT(both, HasSubstr("$data1 using 1:2:3 with filledcurves"));
  EXPECT_THAT(both, Not(HasSubstr("$data2 using 1:2:3 with filledcurves")));
}

TEST(plot_script, interrupts_the_line_where_a_logarithmic_axis_has_no_place) {
  const auto slots = script({"random_slots(10ms, ceiling 2)"}, 2, {"x.svg", true});
  EXPECT_THAT(slots, ContainsRegex("\n2 0\\.002[0-9]+ 0\\.002[0-9]+\n"));
  EXPECT_THAT(slots, HasSubstr("\n2 NaN\n"));
  EXPECT_THAT(slots, HasSubstr("delays of 0 are not on this axis"));
  EXPECT_THAT(script({"random_slots(10ms, ceiling 2)"}, 2), HasSubstr("\n2 0 0\n"));
}

TEST(plot_script, names_its_lines_as_the_table_does) {
  const auto both = script({"fixed(1s)", "fixed(2s)"}, 2);
  EXPECT_THAT(both, HasSubstr("title '[1] fixed(1s)'"));
  EXPECT_THAT(both, HasSubstr("set label 12 '[2]' at screen 0.95"));
  EXPECT_THAT(script({"fixed(1s)"}, 2), HasSubstr("title 'fixed(1s)'"));
}

TEST(plot_script, says_in_the_file_what_it_shows) {
  const auto picture = plot_script(planned({"fixed(1s) | full_jitter"}, 2), {"x.svg", false});
  EXPECT_EQ(picture.title, "Delay before each retry");
  EXPECT_EQ(picture.description, "Lines: the mean; shaded: from the shortest to the longest. "
                                 "The policies: fixed(1s) | full_jitter.");
}

TEST(plot_script, draws_a_hundred_thousand_retries_as_a_thousand_points) {
  const auto many = script({"linear(0s, +1s)"}, 100'000);
  EXPECT_LT(std::count(many.begin(), many.end(), '\n'), 1100);
  EXPECT_THAT(many, HasSubstr("set xrange [0:100000]"));
  EXPECT_THAT(many, HasSubstr("\n50.5 0.01375\n"));
}

TEST(plot_script, takes_the_unit_in_which_the_longest_delay_reads_best) {
  const auto title = [](const std::string& policy) {
    return delay_axis(planned({policy}, 40).policies, false).title;
  };
  EXPECT_EQ(title("fixed(100ns)"), "delay, nanoseconds");
  EXPECT_EQ(title("fixed(1s)"), "delay, milliseconds");
  EXPECT_EQ(title("fixed(10min)"), "delay, seconds");
  EXPECT_EQ(title("fixed(5h)"), "delay, minutes");
  EXPECT_EQ(title("fixed(100h)"), "delay, hours");
  EXPECT_EQ(title("exponential(1s, x2)"), "delay, years");
}

TEST(plot_script, has_an_axis_also_where_all_delays_are_zero) {
  const auto linear = delay_axis(planned({"fixed(0s)"}, 2).policies, false);
  EXPECT_EQ(linear.scale.bottom, 0);
  EXPECT_GT(linear.scale.top, 0);
  const auto logarithmic = delay_axis(planned({"fixed(0s)"}, 2).policies, true);
  EXPECT_GT(logarithmic.scale.bottom, 0);
  EXPECT_GT(logarithmic.scale.top, logarithmic.scale.bottom);
}

TEST(plot_script, labels_a_logarithmic_axis_with_spans) {
  const auto ticks = [](const std::string& policy, std::uint32_t attempts) {
    return delay_axis(planned({policy}, attempts).policies, true).ticks;
  };
  EXPECT_THAT(ticks("exponential(10ms, x10, cap 1h)", 7),
              HasSubstr("('10 ms' 0.01, '100 ms' 0.1, '1 s' 1, '10 s' 10, '1 min' 60, "
                        "'10 min' 600, '1 h' 3600)"));
  EXPECT_THAT(ticks("fixed(100ms)", 1), HasSubstr("('50 ms' 0.05, '100 ms' 0.1, '200 ms' 0.2)"));
}

} // namespace backoffctl::plot_script_test
