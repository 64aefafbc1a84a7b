// What the library writes and reads in a program whose locale has a decimal comma.

#include "system/operator_fixture.hpp"

#include "common/decimal_comma.hpp"

#include <backoff_actor/lab/internal/tuning.hpp>
#include <backoff_actor/lab/simulation/internal/outage_options.hpp>

#include <gmock/gmock.h>

#include <cstdio>
#include <sstream>

namespace backoff_actor::operator_test {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class DecimalCommaTest : public OperatorTest {
protected:
  // Whether there is a digit on both sides of such a mark. Regular expressions are of the locale.
  static bool has_between_digits(std::string_view text, char mark) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    for (auto at = text.find(mark, 1); at < text.size() - 1; at = text.find(mark, at + 1))
      if (is_digit(text[at - 1]) && is_digit(text[at + 1]))
        return true;
    return false;
  }

  // There is a fraction in it, and none with a comma.
  static void expect_points(const std::string& text) {
    EXPECT_TRUE(has_between_digits(text, '.')) << text;
    EXPECT_FALSE(has_between_digits(text, ',')) << text;
  }

  const test::DecimalComma comma;
};

TEST_F(DecimalCommaTest, is_what_this_program_has) {
  char text[20];
  std::snprintf(text, sizeof text, "%.1f", 1.5);
  EXPECT_STREQ(text, "1,5");
  std::ostringstream stream;
  stream << 1234567;
  EXPECT_EQ(stream.str(), "1.234.567");
}

TEST_F(DecimalCommaTest, is_in_no_page) {
  auto with_guard = options();
  with_guard.guard = SharedGuard{parse_guard("circuit_breaker(12.5% of 20 calls, open 1h)")};
  with_guard.guard.observed_by(observatory_, "parser");
  const auto sender = spawn_back_off_sender(*system, parser, with_guard);
  send(sender, "poison");
  ASSERT_TRUE(becomes_dead(sender, 1));
  const auto found = letters(in_address(sender)).body;
  const auto age = found.substr(found.find("\"age_seconds\":"));
  EXPECT_EQ(age.substr(age.find('.') + 4, 6), ",\"key\"") << found;
  expect_points(found);
  for (const auto* page : {"/metrics", "/status"}) {
    const auto answer = request("GET", page, with_token());
    EXPECT_EQ(answer.status, 200);
    expect_points(answer.body);
  }
}

TEST_F(DecimalCommaTest, is_in_no_policy_and_no_guard) {
  for (const auto* text : {"exponential(1.5s, x1.25, cap 1min) | proportional_jitter(12.5%)"})
    EXPECT_EQ(to_string(parse_policy(text)), text);
  for (const auto* text : {"circuit_breaker(12.5% of 20 calls, min_calls 5, open 1.5s)"})
    EXPECT_THAT(to_string(parse_guard(text)), HasSubstr("12.5% of 20 calls"));
  EXPECT_EQ(to_string(1234567us), "1.234567s");
}

TEST_F(DecimalCommaTest, is_in_no_problem_with_options) {
  OutageOptions outage;
  outage.service.factor = 0.5;
  outage.service.scale = 1.5e9;
  const auto text = to_string(check(outage));
  EXPECT_THAT(text, HasSubstr("factor: got 0.5, allowed 1..1000"));
  EXPECT_THAT(text, HasSubstr("scale: got 1.5e+09, allowed above 0, at most 1000000000"));
}

} // namespace backoff_actor::operator_test
