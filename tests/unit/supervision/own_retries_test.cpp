#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/supervision/own_retries.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace backoff_actor::own_retries_test {

using namespace std::chrono_literals;

TEST(own_retries, are_read_as_they_are_written) {
  const Policy policy = Exponential{.first = 2s, .factor = 2, .cap = 10min} | full_jitter;
  const OwnRetries both{5, policy};
  EXPECT_EQ(to_string(both),
            "max_attempts 5, backoff exponential(2s, x2, cap 10min) | full_jitter");
  for (const auto& x : {both, OwnRetries{1, std::nullopt}, OwnRetries{std::nullopt, policy},
                        OwnRetries{1'000'000'000, Fixed{5s}}, OwnRetries{}})
    EXPECT_EQ(parse_own_retries(to_string(x)), x) << to_string(x);
  EXPECT_EQ(to_string(OwnRetries{}), "");
}

TEST(own_retries, may_come_in_any_order_and_with_blanks) {
  const OwnRetries expected{3, Fixed{5s}};
  EXPECT_EQ(parse_own_retries("backoff fixed(5s), max_attempts 3"), expected);
  EXPECT_EQ(parse_own_retries("  max_attempts   3 ,backoff fixed(5s) "), expected);
}

TEST(own_retries, are_a_line_of_a_context) {
  EXPECT_EQ(context_of({3, std::nullopt}), "retries: max_attempts 3");
  EXPECT_EQ(context_of({}), "");
  EXPECT_EQ(retries_in("retries: max_attempts 3"), "max_attempts 3");
  EXPECT_EQ(retries_in("traceparent: 00\nretries: max_attempts 3\nodd"), "max_attempts 3");
  EXPECT_EQ(retries_in("other-retries: 1\n\n"), "");
  EXPECT_EQ(retries_in(""), "");
}

std::string error_of(const std::string& text) {
  try {
    parse_own_retries(text);
  } catch (const ParseError& error) {
    const std::string text_of_error = error.what();
    return text_of_error.substr(0, text_of_error.find('\n'));
  }
  return "none";
}

TEST(own_retries, that_are_wrong_are_refused_with_what_was_expected_and_where) {
  EXPECT_EQ(error_of("max_attempts 0"), "column 14: max_attempts: got 0, allowed 1..1000000000");
  EXPECT_EQ(error_of("max_attempts many"),
            "column 14: expected a whole number from 1 to 1000000000; found 'many'");
  EXPECT_EQ(error_of("retries 3"),
            "column 1: expected max_attempts N or backoff POLICY; found 'retries'");
  EXPECT_EQ(error_of("max_attempts 3, max_attempts 4"),
            "column 17: expected backoff POLICY; found 'max_attempts'");
  EXPECT_EQ(error_of("backoff fixed(5s) max_attempts 4"),
            "column 19: expected a comma or the end; found 'max_attempts'");
  EXPECT_EQ(error_of("backoff fixed(5x)"),
            "column 15: expected a span such as 100ms, 1.5s or 2min; found '5x'");
}

} // namespace backoff_actor::own_retries_test
