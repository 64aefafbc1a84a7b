#include <backoff_actor/backoff/parse_policy.hpp>
#include <backoff_actor/testing/proxy/connection_plan.hpp>

#include "common/text_rows.hpp"

#include <gtest/gtest.h>

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

TEST(ConnectionPlan, is_read_and_written_so_that_it_is_read_again) {
  test::expect_read([](const auto& text) { return ConnectionPlan{text}; },
                    {{"ok", "ok"},
                     {"slow 50ms", "slow(50ms)"},
                     {"slow( 50ms )", "slow(50ms)"},
                     {"refuse", "refuse"},
                     {"drop*2", "drop*2"},
                     {"cut", "cut"},
                     {"cut()", "cut"},
                     {"cut(after 100)", "cut(after 100)"},
                     {"cut(after 2s)", "cut(after 2s)"},
                     {"cut(slow 1s, after 100)", "cut(after 100, slow 1s)"},
                     {"cut(slow 1s)", "cut(slow 1s)"},
                     {"corrupt", "corrupt"},
                     {"corrupt(every 1)", "corrupt"},
                     {"corrupt(every 18446744073709551615, slow 1ms)",
                      "corrupt(every 18446744073709551615, slow 1ms)"}});
}

TEST(ConnectionPlan, is_refused_at_the_place_and_told_what_could_be_there) {
  test::expect_refused(
    [](const auto& text) { return ConnectionPlan{text}; },
    {{"crash", 1,
      "expected what becomes of a connection: ok, slow, refuse, drop, cut, corrupt or "
      "random(...); found 'crash'"},
     {"slow", 5, "expected a span such as 50ms; found the end"},
     {"refuse(slow 1s)", 7,
      "expected ',' and another fault, '*' and a number of times, '...', or the end; found "
      "'('"},
     {"cut(100)", 5,
      "expected 'after' and a number of bytes or a span, such as 100 or 2s, or 'slow' and a "
      "span such as 30s; found '100'"},
     {"cut(after 0)", 11, "expected a whole number, 1..18446744073709551615; found '0'"},
     {"cut(after 0s)", 11, "expected a span above 0; found '0s'"},
     {"corrupt(every 0)", 15, "expected a whole number, 1..18446744073709551615; found '0'"}});
}

} // namespace

} // namespace backoff_actor::kit_test
