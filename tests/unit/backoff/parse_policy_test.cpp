#include "backoff_actor/backoff/parse_policy.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include "common/text_rows.hpp"

#include <gtest/gtest.h>

#include <string>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;

// -- what is read ------------------------------------------------------------------------

TEST(parse_policy, is_written_in_full_and_read_back_as_the_same_policy) {
  test::expect_read(
    [](const auto& text) { return parse_policy(text); },
    {{"exponential(100ms, x2, cap 30s) | full_jitter",
      "exponential(100ms, x2, cap 30s) | full_jitter"},
     {"exponential(100ms,x2,cap 30s)|full_jitter", "exponential(100ms, x2, cap 30s) | full_jitter"},
     {" exponential ( 0.1s , cap 30000ms , x 2.0 ) | full_jitter ( ) ",
      "exponential(100ms, x2, cap 30s) | full_jitter"},
     {"exponential(1s)", "exponential(1s, x2)"},
     {"exponential(1s, x2.71828)", "exponential(1s, x2.71828)"},
     {"exponential(1s, x0001.5000)", "exponential(1s, x1.5)"},
     {"fixed(100ms)", "fixed(100ms)"},
     {"fixed(60s)", "fixed(1min)"},
     {"linear(1s, +1s, cap 10s)", "linear(1s, +1s, cap 10s)"},
     {"linear(1s, + 500ms)", "linear(1s, +500ms)"},
     {"decorrelated(100ms, x3, cap 20s)", "decorrelated(100ms, x3, cap 20s)"},
     {"decorrelated(100ms)", "decorrelated(100ms, x3)"},
     {"random_slots(10ms, ceiling 10)", "random_slots(10ms, ceiling 10)"},
     {"random_slots", "random_slots(10ms, ceiling 10)"},
     {"random_slots(stay)", "random_slots(10ms, ceiling 10, stay)"},
     {"random_slots(5ms, stay, ceiling 8)", "random_slots(5ms, ceiling 8, stay)"},
     {"ethernet()", "ethernet(51.2us, ceiling 10)"},
     {"memorystore", "memorystore(max 64s)"},
     {"memorystore(max 32s)", "memorystore(max 32s)"},
     {"seed002(100ms, x2, cap 15min, jitter 10%)", "seed002(100ms, x2, cap 15min, jitter 10%)"},
     {"seed002", "seed002(100ms, x2, cap 15min, jitter 10%)"},
     {"fixed(1s) | no_jitter", "fixed(1s)"},
     {"fixed(1s) | equal_jitter", "fixed(1s) | equal_jitter"},
     // 100 * 0.29 and 100 * 0.07 are not whole numbers
     {"fixed(1s) | proportional_jitter(29%)", "fixed(1s) | proportional_jitter(29%)"},
     {"fixed(1s) | gaussian_jitter(7%)", "fixed(1s) | gaussian_jitter(7%)"},
     {"fixed(1s) | gaussian_jitter(0.125%)", "fixed(1s) | gaussian_jitter(0.125%)"},
     {"fixed(1s) | proportional_jitter(100%)", "fixed(1s) | proportional_jitter(100%)"},
     {"fixed(1s) | additive_jitter(250ms)", "fixed(1s) | additive_jitter(250ms)"},
     {"like curl", "exponential(1s, x2, cap 10min)"},
     {"steps(20s,5min, 30min)", "steps(20s, 5min, 30min)"},
     {"steps(1s, 2s, 2s, 2s)", "steps(1s, 2s)"},
     {"polynomial(15s)", "polynomial(15s, +1s, ^2)"},
     {"polynomial(15s, ^ 4, +2s, cap 1h)", "polynomial(15s, +2s, ^4, cap 1h)"},
     {"exponential(1s, exponent 15)", "exponential(1s, x2, exponent 15)"},
     {"fixed(1s) | additive_jitter(30%)", "fixed(1s) | additive_jitter(30%)"},
     {"exponential(1s) | additive_jitter(cap_last, per_retry, 9s)",
      "exponential(1s, x2) | additive_jitter(9s, per_retry, cap_last)"},
     {"exponential(1s) | proportional_jitter(carried, cap_first, 20%)",
      "exponential(1s, x2) | proportional_jitter(20%, carried, cap_first)"},
     {"exponential(1s) | whole_seconds | first_wait(0s, times 4) | full_jitter(cap_last)",
      "exponential(1s, x2) | full_jitter(cap_last) | first_wait(0ns, times 4) | whole_seconds"},
     {"fixed(1s) | first_wait(2ms, times 1)", "fixed(1s) | first_wait(2ms)"}});
}

TEST(parse_policy, gives_the_policy_that_the_types_make) {
  EXPECT_EQ(parse_policy("exponential(100ms, x2, cap 30s) | full_jitter"),
            (Exponential{.first = 100ms, .factor = 2, .cap = 30s} | full_jitter));
  EXPECT_EQ(parse_policy("linear(1s, +2s) | additive_jitter(3s)"),
            (Linear{.first = 1s, .step = 2s} | additive_jitter(3s)));
  EXPECT_EQ(parse_policy("fixed(1s) | proportional_jitter(20%)"),
            (Fixed{1s} | proportional_jitter(0.2)));
  EXPECT_EQ(parse_policy("steps(20s, 5min, 30min)"), (Policy{Steps{20s, 5min, 30min}}));
  EXPECT_EQ(parse_policy("polynomial(15s, +1s, ^4) | additive_jitter(9s, per_retry, cap_last)"),
            (Polynomial{.first = 15s, .step = 1s, .power = 4} | additive_jitter_per_retry(9s)));
  EXPECT_EQ(parse_policy("exponential(1s, x2) | additive_jitter(30%, carried, cap_first)"),
            (Exponential{.first = 1s} | additive_jitter(0.3).carried().cap_first()));
  EXPECT_EQ(parse_policy("linear(1s) | first_wait(0s, times 2) | whole_seconds"),
            (Policy{Linear{.first = 1s}} | first_wait(0s, 2) | whole_seconds));
  EXPECT_EQ(parse_policy("random_slots(1ms, ceiling 3, stay)"),
            (Policy{RandomSlots{1ms, 3, true}}));
}

// -- what is refused -----------------------------------------------------------------------

constexpr auto policies = "expected a policy: decorrelated, ethernet, exponential, fixed, like, "
                          "linear, memorystore, polynomial, random_slots, seed002 or steps; found ";

TEST(parse_policy, refuses_a_text_at_its_column_with_what_was_expected) {
  test::expect_refused(
    [](const auto& text) { return parse_policy(text); },
    {{"exponential(100ms, 2, cap 30s)", 20,
      "expected a factor such as x2, or 'cap' and a span such as 30s, or 'exponent' and a "
      "whole number such as 10; found '2'"},
     {"exponential", 12, "expected '('; found the end"},
     {"exponential()", 13, "expected a span such as 100ms, 1.5s or 2min; found ')'"},
     {"exponential(x2)", 15, "expected a span such as 100ms, 1.5s or 2min; found ')'"},
     {"exponential(1s x2)", 16, "expected ',' or ')'; found 'x2'"},
     {"exponential(1s, x)", 18, "expected a factor such as x2; found ')'"},
     {"exponential(1s, x1e3)", 19, "expected ',' or ')'; found 'e3'"},
     {"exponential(1s, cap)", 20, "expected a span such as 30s; found ')'"},
     {"linear(1s, 1s)", 12,
      "expected a step such as +1s, or 'cap' and a span such as 30s; found '1s'"},
     {"linear(1s, +1s, cap 2s, cap 3s)", 23, "expected ')'; found ','"},
     {"fixed(1s", 9, "expected ')'; found the end"},
     {"fixed(1.5ns)", 7, "expected a span such as 100ms, 1.5s or 2min; found '1.5ns'"},
     {"fixed(5m)", 7, "expected a span such as 100ms, 1.5s or 2min; found '5m'; write 5min"},
     {"fixed(5 sec)", 7, "expected a span such as 100ms, 1.5s or 2min; found '5'; write 5s"},
     {"exponential(100, x2)", 13,
      "expected a span such as 100ms, 1.5s or 2min; found '100'; add a unit: 100ms or 100s"},
     {"exponential(1s, cap 5m)", 21, "expected a span such as 30s; found '5m'; write 5min"},
     {"fixed(\xd9\xa1s)", 7, "expected a span such as 100ms, 1.5s or 2min; found '\xd9\xa1'"},
     {"fixed(-1s)", 7, "expected a span such as 100ms, 1.5s or 2min; found '-'"},
     {"fixed(1s) full_jitter", 11, "expected '|' and a jitter, or the end; found 'full_jitter'"},
     {"fixed(1s) | full", 13,
      "expected a jitter or another part: additive_jitter, equal_jitter, first_wait, "
      "full_jitter, gaussian_jitter, no_jitter, proportional_jitter or whole_seconds; found "
      "'full'; did you mean full_jitter?"},
     {"fixed(1s) | full_jitter | equal_jitter", 27,
      "jitter: got another one, allowed none, since there is full_jitter"},
     {"fixed(1s) | first_wait(0s) | first_wait(0s)", 30,
      "first_wait: got another one, allowed none, since there is one"},
     {"fixed(1s) | full_jitter whole_seconds", 25,
      "expected '|' and another part, or the end; found 'whole_seconds'"},
     {"steps()", 7, "expected a span such as 100ms, 1.5s or 2min; found ')'"},
     {"steps(1s, x2)", 11, "expected a span such as 100ms, 1.5s or 2min; found 'x2'"},
     {"steps(1s, 2s, 3s, 4s, 5s, 6s, 7s, 8s, 9s)", 37, "expected ')'; found ','"},
     {"steps(1s, 1.5ms)", 11,
      "step 2: got 1.5ms, allowed 0ns..4294967.295s, in whole milliseconds"},
     {"polynomial(1s, 4)", 16,
      "expected a step such as +1s, or a power such as ^4, or 'cap' and a span such as 30s; "
      "found '4'"},
     {"polynomial(1s, ^x)", 17, "expected a power such as ^4; found 'x'"},
     {"fixed(1s) | additive_jitter(5)", 29,
      "expected a span such as 1s or a percentage such as 10%; found '5'; add a unit: 5ms or "
      "5s"},
     {"fixed(1s) | additive_jitter(30%, per_retry)", 34,
      "per_retry: got 30%, allowed with a span, not with a percentage"},
     {"fixed(1s) | full_jitter(cap_first, cap_last)", 36,
      "cap_last: got cap_first, too, allowed one of the two"},
     {"fixed(1s) | full_jitter(cap_last)", 13,
      "jitter: got full_jitter(cap_last), allowed no order of cap and jitter, since "
      "fixed(1s) has no cap"},
     {"exponential(1s) | full_jitter(carried)", 31,
      "carried: got full_jitter(carried), allowed a jitter whose shortest draw, 0% of the "
      "delay, times the factor, x2, is at least 1, or delays could shrink to nothing"},
     {"fixed(1s) | first_wait(2s)", 24,
      "first_wait: got 2s, allowed 0ns..1s, in whole milliseconds"},
     {"fixed(1s) | gaussian_jitter(10%) | whole_seconds", 36,
      "whole_seconds: got gaussian_jitter(10%), allowed a jitter that is uniform, or none"},
     {"memorystore | whole_seconds", 15,
      "whole_seconds: got whole_seconds, allowed none, since memorystore(max 64s) draws by "
      "itself"},
     {"fixed(1s) | gaussian_jitter(0.1)", 29, "expected a percentage such as 10%; found '0.1'"},
     {"random_slots(10ms, ceiling 1.5)", 28, "expected a whole number such as 10; found '1.5'"},
     {"random_slots(10ms, ceiling 9999999999)", 28,
      "expected a whole number such as 10; found '9999999999'"},
     {"seed002(jitter 5)", 16, "expected a percentage such as 10%; found '5'"},
     // out of range: at the first, naming all
     {"exponential(100ms, x0.5, cap 30ms) | full_jitter", 20,
      "factor: got x0.5, allowed x1..x1000; cap: got 30ms, allowed 100ms (the first)..876000h"},
     {"fixed(1s) | proportional_jitter(120%)", 33,
      "proportional_jitter: got 120%, allowed more than 0%, up to 100%"},
     {"exponential(1s, cap 2s) | additive_jitter(3s)", 43,
      "additive_jitter: got 3s, allowed 0ns..2s, the cap, in whole nanoseconds"},
     {"seed002(jitter 13%)", 9,
      "jitter: got 13%, allowed 0%..12%, beyond which a delay could be negative"},
     {"memorystore | full_jitter", 15,
      "jitter: got full_jitter, allowed none, since memorystore(max 64s) draws by itself"},
     {"seed002(jitter 5%) | full_jitter", 22,
      "jitter: got full_jitter, allowed none, since seed002(100ms, x2, cap 15min, jitter 5%) "
      "draws by itself"}});
}

TEST(parse_policy, lists_all_policies_where_none_is_named) {
  for (const auto& [text, found] : {std::pair{"", "the end"},
                                    {"  ", "the end"},
                                    {"exp(1s)", "'exp'; did you mean exponential?"},
                                    {"exponetial(1s)", "'exponetial'; did you mean exponential?"},
                                    {"|", "'|'"},
                                    {"Fixed(1s)", "'F'"},
                                    {"\xc3\xa9", "'\xc3\xa9'"},
                                    {"\xff\x01", "'?'"}})
    try {
      parse_policy(text);
      FAIL() << text << " was taken";
    } catch (const ParseError& error) {
      EXPECT_EQ(error.problem(), std::string{policies} + found);
    }
}

TEST(parse_policy, points_at_the_place) {
  try {
    parse_policy("exponential(100ms, 2, cap 30s)");
    FAIL() << "was taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "column 20: expected a factor such as x2, or 'cap' and a span such as "
                 "30s, or 'exponent' and a whole number such as 10; found '2'\n"
                 "  exponential(100ms, 2, cap 30s)\n"
                 "                     ^");
  }
}

TEST(parse_policy, points_at_the_place_behind_characters_of_several_bytes) {
  try {
    parse_policy("fixed(1s)\xc2\xa0\x01\xe2\x82\xac");
    FAIL() << "was taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "column 10: expected '|' and a jitter, or the end; found '\xc2\xa0'\n"
                 "  fixed(1s)\xc2\xa0?\xe2\x82\xac\n"
                 "           ^");
  }
  try {
    parse_policy("fixed(1s) | \xe2\x82\xac");
    FAIL() << "was taken";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.column(), 13u);
  }
}

TEST(parse_policy, does_not_print_a_text_that_is_too_long_to_be_read) {
  try {
    parse_policy("fixed(1s)" + std::string(100'000, 'x'));
    FAIL() << "was taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_LT(std::string{error.what()}.size(), 400u);
  }
}

// -- texts at random --------------------------------------------------------------------

// Pieces of policies in any order: mostly refused, and what is taken is printed as it can be read.
TEST(parse_policy, refuses_or_reads_back_whatever_comes) {
  constexpr const char* pieces[] = {"fixed",
                                    "linear",
                                    "exponential",
                                    "decorrelated",
                                    "random_slots",
                                    "ethernet",
                                    "memorystore",
                                    "seed002",
                                    "steps",
                                    "polynomial",
                                    "^2",
                                    "| first_wait(1s",
                                    "| whole_seconds",
                                    "carried",
                                    "cap_last",
                                    "cap_first",
                                    "per_retry",
                                    "times 2",
                                    "exponent 3",
                                    "(",
                                    "(",
                                    ")",
                                    ")",
                                    ",",
                                    ",",
                                    "|",
                                    " ",
                                    "100ms",
                                    "1s",
                                    "2min",
                                    "0.5us",
                                    "10h",
                                    "x2",
                                    "x",
                                    "1.1",
                                    "x1.5",
                                    "+1s",
                                    "+",
                                    "cap ",
                                    "cap 30s",
                                    "max 64s",
                                    "max ",
                                    "ceiling 10",
                                    "ceiling ",
                                    "stay",
                                    "jitter 10%",
                                    "full_jitter",
                                    "equal_jitter",
                                    "additive_jitter(1s)",
                                    "gaussian_jitter(10%)",
                                    "proportional_jitter(",
                                    "20%",
                                    "no_jitter",
                                    "\n",
                                    "\x80",
                                    "99999999999"};
  constexpr std::uint64_t seed = 20262;
  auto taken = 0;
  for (std::uint64_t text_number = 0; text_number < 200'000; ++text_number) {
    const Draws draws{seed, text_number};
    std::string text;
    for (std::uint64_t n = 0; n < 1 + text_number % 9; ++n)
      text += pieces[static_cast<std::size_t>(draws(n) * std::size(pieces))];
    try {
      const auto policy = parse_policy(text);
      ++taken;
      ASSERT_EQ(parse_policy(to_string(policy)), policy) << "seed " << seed << ": " << text;
    } catch (const ParseError& error) {
      ASSERT_GE(error.column(), 1u) << text;
      ASSERT_LE(error.column(), text.size() + 1) << text;
    }
  }
  EXPECT_GT(taken, 1000);
}

} // namespace

} // namespace backoff_actor
