#include "backoff_actor/backoff/by_reason.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/supervision/decider.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <vector>

namespace backoff_actor::by_reason_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr const char* aws =
  "throttling: backoff exponential(1s, x2, cap 20s) | full_jitter, cost 5; "
  "transient: max_attempts 3, cost 14";

TEST(by_reason, is_read_as_it_is_written) {
  const ByReason by_reason = aws;
  EXPECT_EQ(to_string(by_reason), aws);
  EXPECT_EQ(by_reason,
            (ByReason{{.reason = "throttling",
                       .backoff = Exponential{.first = 1s, .factor = 2, .cap = 20s} | full_jitter,
                       .cost = 5.0},
                      {.reason = "transient", .max_attempts = 3, .cost = 14.0}}));
  EXPECT_EQ(to_string(ByReason{" a:cost 0.5 ; b : max_attempts 1 "}),
            "a: cost 0.5; b: max_attempts 1");
  EXPECT_TRUE(ByReason{""}.empty());
  EXPECT_EQ(to_string(ByReason{}), "");
}

TEST(by_reason, finds_a_class_by_its_name) {
  const ByReason by_reason = aws;
  EXPECT_EQ(by_reason.find("throttling")->cost, 5.0);
  EXPECT_EQ(by_reason.find("transient")->max_attempts, 3u);
  EXPECT_EQ(by_reason.find("Transient"), nullptr);
  EXPECT_EQ(by_reason.find(FailureReason{}), nullptr);
  EXPECT_EQ(ByReason{}.find("transient"), nullptr);
}

std::string error_of(const std::string& text) {
  try {
    parse_by_reason(text);
  } catch (const std::exception& error) {
    const std::string what = error.what();
    return what.substr(0, what.find('\n'));
  }
  return "none";
}

TEST(by_reason, that_is_wrong_is_refused_with_what_was_expected_and_where) {
  const struct {
    const char* text;
    const char* expected;
  } rows[] = {
    {"a", "column 2: expected ':'"},
    {"a:", "column 3: expected max_attempts N, or backoff POLICY, or cost N"},
    {"a: cost 1, cost 2", "column 12: expected max_attempts N, or backoff POLICY"},
    {"a: cost 1 b: cost 2", "column 11: expected a comma, a semicolon or the end"},
    {"a: max_attempts 0", "column 1: by_reason[0].max_attempts: got 0, allowed 1..1000000000"},
    {"a: cost 1001", "column 1: by_reason[0].cost: got 1001, allowed 0..1000"},
    {"a: cost x", "column 9: expected a number from 0 to 1000"},
    {"a: cost 1; a: cost 2",
     "column 12: by_reason[1].reason: got 'a', allowed another name than 'a', or one with another "
     "hash"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(error_of(row.text).substr(0, std::string{row.expected}.size()), row.expected)
      << row.text;
}

TEST(by_reason, names_all_that_is_wrong_in_a_list) {
  EXPECT_EQ(
    to_string(check({{.reason = "Not me", .cost = -1.0}, {.reason = ""}})),
    "by_reason[0].reason: got 'Not me', allowed 1 to 64 characters of a-z, 0-9 and _\n"
    "by_reason[0].cost: got -1, allowed 0..1000\n"
    "by_reason[1].reason: got '', allowed 1 to 64 characters of a-z, 0-9 and _\n"
    "by_reason[1].max_attempts: got nothing, allowed one of max_attempts, backoff and cost");
  EXPECT_THROW((ByReason{{.reason = "a", .max_attempts = 0}}), InvalidArgument);
}

TEST(by_reason, that_says_nothing_is_a_null_pointer_and_a_reason_costs_a_decision_no_byte) {
  EXPECT_EQ(sizeof(ByReason), sizeof(std::shared_ptr<int>));
  struct WithoutReason {
    Verdict verdict;
    std::optional<Duration> retry_after;
    Blame blame;
  };
  EXPECT_EQ(sizeof(Decision), sizeof(WithoutReason));
}

// The same waits as if all failures had been of the class.
TEST(by_reason, counts_all_failures_in_a_row_for_the_waits_of_a_class) {
  const Policy policy = Exponential{.first = 100ms, .factor = 2, .cap = 1h} | full_jitter;
  BackOff series{policy, 7, 3};
  for (std::uint32_t n = 1; n <= 12; ++n) {
    series = series.next();
    EXPECT_EQ(detail::state_after(policy, 7, 3, n - 1, n), series.state()) << n;
  }
}

TEST(by_reason, takes_the_thousandth_wait_for_all_after_it) {
  const Policy policy = Linear{.first = 1s, .step = 1s, .cap = 100h};
  const auto wait = [&](std::uint32_t failures) {
    return detail::state_after(policy, 7, 3, failures - 1, failures).wait_time;
  };
  EXPECT_EQ(wait(999), 999s);
  EXPECT_EQ(wait(1000), 1000s);
  EXPECT_EQ(wait(1001), 1000s);
  EXPECT_EQ(wait(UINT32_MAX), 1000s);
}

} // namespace backoff_actor::by_reason_test
