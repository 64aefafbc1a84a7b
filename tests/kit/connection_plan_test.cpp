#include <backoff_actor/backoff/parse_policy.hpp>
#include <backoff_actor/testing/proxy/connection_plan.hpp>

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace backoff_actor::kit_test {

namespace {

using namespace std::chrono_literals;
using testing::ConnectionFault;
using testing::ConnectionPlan;

TEST(ConnectionPlan, says_what_becomes_of_each_connection_and_all_is_well_after_it) {
  const ConnectionPlan plan{"refuse, cut(after 100)*2, slow 50ms"};

  EXPECT_EQ(plan[0], ConnectionFault::refuse());
  EXPECT_EQ(plan[1], ConnectionFault::cut_after_bytes(100));
  EXPECT_EQ(plan[2], ConnectionFault::cut_after_bytes(100));
  EXPECT_EQ(plan[3], ConnectionFault::slow(50ms));
  EXPECT_EQ(plan[4], ConnectionFault{});
}

TEST(ConnectionPlan, is_made_in_code_as_well_as_of_text) {
  const ConnectionPlan plan{ConnectionFault::drop(), ConnectionFault::cut_after(2s),
                            ConnectionPlan::repeated_for_ever(ConnectionFault::corrupt_every(7))};

  EXPECT_EQ(to_string(plan), "drop, cut(after 2s), corrupt(every 7)...");
  EXPECT_EQ(plan, ConnectionPlan{"drop, cut(after 2s), corrupt(every 7)..."});
}

TEST(ConnectionPlan, can_be_random) {
  const ConnectionPlan plan{"random(seed 7, refuse 50%, slow 10ms 50%)"};

  EXPECT_EQ(plan.length(), std::nullopt);
  EXPECT_NE(plan[0], ConnectionFault{});
  EXPECT_NE(plan[1], ConnectionFault{});
  EXPECT_EQ(to_string(plan), "random(seed 7, refuse 50%, slow(10ms) 50%)");
}

struct ConnectionForm {
  const char* text;
  const char* canonical;

  friend void PrintTo(const ConnectionForm& row, std::ostream* out) { *out << row.text; }
};

class ConnectionPlanForms : public ::testing::TestWithParam<ConnectionForm> {};

TEST_P(ConnectionPlanForms, are_read_and_written_so_that_they_are_read_again) {
  const ConnectionPlan plan{GetParam().text};

  EXPECT_EQ(to_string(plan), GetParam().canonical);
  EXPECT_EQ(ConnectionPlan{to_string(plan)}, plan);
}

INSTANTIATE_TEST_SUITE_P(
  table, ConnectionPlanForms,
  ::testing::Values(ConnectionForm{"ok", "ok"}, ConnectionForm{"slow 50ms", "slow(50ms)"},
                    ConnectionForm{"slow( 50ms )", "slow(50ms)"},
                    ConnectionForm{"refuse", "refuse"}, ConnectionForm{"drop*2", "drop*2"},
                    ConnectionForm{"cut", "cut"}, ConnectionForm{"cut()", "cut"},
                    ConnectionForm{"cut(after 100)", "cut(after 100)"},
                    ConnectionForm{"cut(after 2s)", "cut(after 2s)"},
                    ConnectionForm{"cut(slow 1s, after 100)", "cut(after 100, slow 1s)"},
                    ConnectionForm{"cut(slow 1s)", "cut(slow 1s)"},
                    ConnectionForm{"corrupt", "corrupt"},
                    ConnectionForm{"corrupt(every 1)", "corrupt"},
                    ConnectionForm{"corrupt(every 18446744073709551615, slow 1ms)",
                                   "corrupt(every 18446744073709551615, slow 1ms)"}));

struct BadConnectionForm {
  const char* text;
  std::size_t column;
  const char* problem;

  friend void PrintTo(const BadConnectionForm& row, std::ostream* out) { *out << row.text; }
};

class BadConnectionPlans : public ::testing::TestWithParam<BadConnectionForm> {};

TEST_P(BadConnectionPlans, are_refused_at_the_place_and_told_what_could_be_there) {
  try {
    ConnectionPlan{GetParam().text};
    FAIL() << "it is taken";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.problem(), GetParam().problem);
    EXPECT_EQ(error.column(), GetParam().column);
  }
}

INSTANTIATE_TEST_SUITE_P(
  table, BadConnectionPlans,
  ::testing::Values(
    BadConnectionForm{
      "crash", 1,
      "expected what becomes of a connection: ok, slow, refuse, drop, cut, corrupt or "
      "random(...); found 'crash'"},
    BadConnectionForm{"slow", 5, "expected a span such as 50ms; found the end"},
    BadConnectionForm{
      "refuse(slow 1s)", 7,
      "expected ',' and another fault, '*' and a number of times, '...', or the end; found "
      "'('"},
    BadConnectionForm{
      "cut(100)", 5,
      "expected 'after' and a number of bytes or a span, such as 100 or 2s, or 'slow' and a "
      "span such as 30s; found '100'"},
    BadConnectionForm{"cut(after 0)", 11,
                      "expected a whole number, 1..18446744073709551615; found '0'"},
    BadConnectionForm{"cut(after 0s)", 11, "expected a span above 0; found '0s'"},
    BadConnectionForm{"corrupt(every 0)", 15,
                      "expected a whole number, 1..18446744073709551615; found '0'"}));

} // namespace

} // namespace backoff_actor::kit_test
