#include "backoff_actor/supervision/charging.hpp"
#include "backoff_actor/supervision/decider.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace backoff_actor::charging_test {

namespace {

using namespace std::chrono_literals;

std::string error_of(const char* text) {
  try {
    parse_charging(text);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "none";
}

TEST(charging, has_a_text_form_with_everything_in_it) {
  EXPECT_EQ(to_string(Charging{}), "by_evidence(give_up_after 72h)");
  EXPECT_EQ(to_string(parse_charging("by_evidence")), "by_evidence(give_up_after 72h)");
  EXPECT_EQ(to_string(parse_charging("by_evidence()")), "by_evidence(give_up_after 72h)");
  EXPECT_EQ(to_string(parse_charging(" by_evidence ( give_up_after 90min ) ")),
            "by_evidence(give_up_after 90min)");
  EXPECT_EQ(to_string(parse_charging("by_evidence(give_up_after never)")),
            "by_evidence(give_up_after never)");
  EXPECT_EQ(to_string(parse_charging("every_failure")), "every_failure");
}

TEST(charging, is_read_back_as_the_same) {
  for (const Charging& x :
       {Charging{}, Charging::every_failure(), Charging{Charging::Rule::by_evidence, std::nullopt},
        Charging{Charging::Rule::by_evidence, 1us}})
    EXPECT_EQ(parse_charging(to_string(x)), x) << to_string(x);
}

TEST(charging, that_cannot_be_read_is_refused_with_its_place) {
  for (const auto& [text, error] : {
         std::pair{"", "column 1: expected a rule: by_evidence or every_failure"},
         std::pair{"by_evidense", "column 1: expected a rule: by_evidence or every_failure"},
         std::pair{"by_evidence(72h)", "column 13: expected 'give_up_after' and a span"},
         std::pair{"by_evidence(give_up_after soon)", "column 27: expected a span such as 72h"},
         std::pair{"by_evidence(give_up_after 0s)", "give_up_after: got 0ns, allowed"},
         std::pair{"every_failure(give_up_after 1h)", "column 14: expected the end"},
       })
    EXPECT_NE(error_of(text).find(error), std::string::npos) << text << ": " << error_of(text);
}

TEST(charging, refuses_a_bound_that_is_no_time) {
  EXPECT_EQ(to_string(check(Charging{Charging::Rule::by_evidence, 0s})).substr(0, 14),
            "give_up_after:");
  EXPECT_TRUE(check(Charging::every_failure()).empty());
}

TEST(charging, faults_have_names) {
  EXPECT_EQ(to_string(Blame::unknown), "unknown");
  EXPECT_EQ(to_string(Blame::message), "message");
  EXPECT_EQ(to_string(Blame::service), "service");
  EXPECT_EQ(to_string(Blame::nobody), "nobody");
  EXPECT_EQ(to_string(static_cast<Blame>(200)), "unknown");
}

} // namespace

} // namespace backoff_actor::charging_test
