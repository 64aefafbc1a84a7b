// When a breaker opens, and how it closes again.

#include "guard_fixture.hpp"

#include <cstdint>

namespace backoff_actor::guard_test {

// -- trips --------------------------------------------------------------------------------

TEST(circuit_breaker, lets_everything_through_at_first) {
  CircuitBreaker breaker{{}};
  for (auto i = 0; i < 1000; ++i)
    EXPECT_EQ(shown(breaker.admit(at(0s))), "let through");
  EXPECT_EQ(breaker.state(), BreakerState::closed);
}

TEST(circuit_breaker, opens_after_five_failures_in_a_row_for_five_seconds_unless_told_otherwise) {
  CircuitBreaker breaker{{}};
  for (auto i = 0; i < 4; ++i)
    fail(breaker, 1s);
  EXPECT_EQ(breaker.state(), BreakerState::closed);
  EXPECT_EQ(breaker.consecutive_failures(), 4u);
  fail(breaker, 1s);
  EXPECT_EQ(breaker.state(), BreakerState::open);
  EXPECT_EQ(breaker.open_until(), at(6s));
  EXPECT_EQ(breaker.open_for(), 5s);
}

TEST(circuit_breaker, counts_failures_anew_after_a_success) {
  CircuitBreaker breaker{{}};
  for (auto round = 0; round < 9; ++round) {
    for (auto i = 0; i < 4; ++i)
      fail(breaker, 0s);
    succeed(breaker, 0s);
    EXPECT_EQ(breaker.consecutive_failures(), 0u);
  }
  EXPECT_EQ(breaker.state(), BreakerState::closed);
}

TEST(circuit_breaker, does_not_count_calls_that_are_on_their_way_or_forgotten) {
  CircuitBreaker breaker{{.trip = ConsecutiveFailures{2}}};
  fail(breaker, 0s);
  for (auto i = 0; i < 9; ++i)
    breaker.forgotten(permit_of(breaker.admit(at(0s))));
  (void)breaker.admit(at(0s));
  EXPECT_EQ(breaker.consecutive_failures(), 1u);
  EXPECT_EQ(breaker.state(), BreakerState::closed);
}

// How many of the calls, which end as the text says, are made until the breaker opens; 0: it does
// not.
std::size_t calls_until_open(const CircuitBreakerOptions& options, const std::string& calls,
                             Duration each = 0s) {
  CircuitBreaker breaker{options};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto now = static_cast<int>(i) * each;
    if (calls[i] == 'x')
      fail(breaker, now);
    else
      succeed(breaker, now);
    if (breaker.state() == BreakerState::open)
      return i + 1;
  }
  return 0;
}

TEST(circuit_breaker, opens_when_half_of_the_last_calls_failed) {
  const CircuitBreakerOptions options{.trip = FailureRatioOfCalls{0.5, 8, 4}};
  EXPECT_EQ(calls_until_open(options, "xxxx"), 4u) << "no sooner than there are enough";
  EXPECT_EQ(calls_until_open(options, "xx.."), 4u) << "a success can be what makes enough";
  EXPECT_EQ(calls_until_open(options, "x...x..x"), 0u);
  EXPECT_EQ(calls_until_open(options, "x...x.xx"), 8u);
  EXPECT_EQ(calls_until_open(options, "x....x..xx"), 0u) << "the first is forgotten";
  EXPECT_EQ(calls_until_open(options, "x....x.xxx"), 10u);
}

TEST(circuit_breaker, whose_part_is_all_opens_only_if_all_failed) {
  const CircuitBreakerOptions options{.trip = FailureRatioOfCalls{1, 3, 3}};
  EXPECT_EQ(calls_until_open(options, "xx.xx.xx."), 0u);
  EXPECT_EQ(calls_until_open(options, "xx.xxx"), 6u);
}

TEST(circuit_breaker, whose_part_is_meant_exactly_opens_at_just_that) {
  // 0.07 * 100 is a little more than 7 in binary.
  const CircuitBreakerOptions options{.trip = FailureRatioOfCalls{0.07, 100, 100}};
  EXPECT_EQ(calls_until_open(options, "xxxxxx" + std::string(94, '.')), 0u);
  EXPECT_EQ(calls_until_open(options, "xxxxxxx" + std::string(93, '.')), 100u);
}

TEST(circuit_breaker, never_opens_without_a_failure_however_small_the_part) {
  const CircuitBreakerOptions options{.trip = FailureRatioOfCalls{1e-12, 10, 1}};
  EXPECT_EQ(calls_until_open(options, std::string(50, '.')), 0u);
  EXPECT_EQ(calls_until_open(options, "..x"), 3u);
}

TEST(circuit_breaker, opens_when_half_of_the_calls_of_late_failed) {
  const CircuitBreakerOptions options{.trip = FailureRatioOfTime{0.5, 1s, 4}};
  EXPECT_EQ(calls_until_open(options, "xxxx", 100ms), 4u);
  EXPECT_EQ(calls_until_open(options, "xxxx", 400ms), 0u) << "never four in one second";
  EXPECT_EQ(calls_until_open(options, "......xx..xxxx", 100ms), 13u)
    << "of the last ten five, which are those since the fourth";
}

TEST(circuit_breaker, shows_the_calls_that_it_judges_by) {
  CircuitBreaker of_calls{{.trip = FailureRatioOfCalls{0.5, 3, 3}}};
  CircuitBreaker of_time{{.trip = FailureRatioOfTime{0.9, 1s, 3}}};
  CircuitBreaker of_failures{{}};
  for (auto* const breaker : {&of_calls, &of_time, &of_failures}) {
    succeed(*breaker, 0s);
    fail(*breaker, 0s);
  }
  EXPECT_EQ(of_calls.counts(at(0s)), (CallCounts{2, 1}));
  EXPECT_EQ(of_time.counts(at(0s)), (CallCounts{2, 1}));
  EXPECT_EQ(of_time.counts(at(2s)), (CallCounts{0, 0}));
  EXPECT_EQ(of_failures.counts(at(0s)), (CallCounts{0, 0}));
}

// -- open -------------------------------------------------------------------------------------

TEST(circuit_breaker, holds_back_until_its_time_is_over_and_then_lets_one_through) {
  CircuitBreaker breaker{touchy()};
  fail(breaker, 0s);
  EXPECT_EQ(shown(breaker.admit(at(0s))), "open_breaker until 5s");
  EXPECT_EQ(shown(breaker.admit(at(5s - 1ns))), "open_breaker until 5s");
  EXPECT_EQ(breaker.state(), BreakerState::open);
  EXPECT_EQ(shown(breaker.admit(at(5s))), "a probe");
  EXPECT_EQ(breaker.state(), BreakerState::half_open);
  EXPECT_EQ(breaker.open_until(), Instant::never());
  EXPECT_EQ(breaker.open_for(), 5s) << "as long as it was";
}

TEST(circuit_breaker, is_open_until_somebody_asks) {
  CircuitBreaker breaker{touchy()};
  fail(breaker, 0s);
  EXPECT_EQ(breaker.counts(at(1h)), (CallCounts{0, 0}));
  EXPECT_EQ(breaker.state(), BreakerState::open);
}

// When the breaker opens again, if every probe fails as soon as it may.
std::vector<Duration> openings(const CircuitBreakerOptions& options, std::size_t count,
                               std::uint64_t seed = 0) {
  CircuitBreaker breaker{options, seed};
  std::vector<Duration> result;
  for (auto now = Duration{0}; result.size() < count; now = breaker.open_until().since_origin) {
    fail(breaker, now);
    result.push_back(breaker.open_for());
  }
  return result;
}

TEST(circuit_breaker, stays_open_longer_each_time_with_a_policy_that_grows) {
  auto options = touchy();
  options.open = Exponential{.first = 1s, .factor = 2, .cap = 5s};
  EXPECT_THAT(openings(options, 5), ElementsAre(1s, 2s, 4s, 5s, 5s));
}

TEST(circuit_breaker, begins_its_series_anew_after_closing) {
  auto options = touchy();
  options.open = Exponential{.first = 1s, .factor = 2, .cap = 1h};
  CircuitBreaker breaker{options};
  fail(breaker, 0s);
  fail(breaker, 1s);
  succeed(breaker, 3s);
  EXPECT_EQ(breaker.state(), BreakerState::closed);
  fail(breaker, 10s);
  EXPECT_EQ(breaker.open_for(), 1s);
}

TEST(circuit_breaker, jitters_its_openings_by_its_seed) {
  auto options = touchy();
  options.open = Fixed{10s} | full_jitter;
  const auto some = openings(options, 6, 1);
  EXPECT_EQ(some, openings(options, 6, 1));
  EXPECT_NE(some, openings(options, 6, 2));
  EXPECT_NE(some[0], some[1]);
  for (const auto delay : some)
    EXPECT_TRUE(delay >= 0s && delay <= 10s) << to_string(delay);
}

TEST(circuit_breaker, draws_on_after_closing) {
  auto options = touchy();
  options.open = Fixed{10s} | full_jitter;
  CircuitBreaker breaker{options, 1};
  fail(breaker, 0s);
  const auto first = breaker.open_for();
  succeed(breaker, 20s);
  fail(breaker, 30s);
  EXPECT_NE(breaker.open_for(), first);
}

// -- half open --------------------------------------------------------------------------------

TEST(circuit_breaker, closes_when_its_probe_succeeds) {
  CircuitBreaker breaker{touchy()};
  fail(breaker, 0s);
  const auto probe = permit_of(breaker.admit(at(5s)));
  EXPECT_EQ(reason_of(breaker.admit(at(5s))), HeldBackBy::probe);
  breaker.succeeded(probe, at(6s));
  EXPECT_EQ(breaker.state(), BreakerState::closed);
  EXPECT_EQ(breaker.consecutive_failures(), 0u);
  EXPECT_EQ(shown(breaker.admit(at(6s))), "let through");
}

TEST(circuit_breaker, opens_again_when_its_probe_fails) {
  CircuitBreaker breaker{touchy()};
  fail(breaker, 0s);
  const auto probe = permit_of(breaker.admit(at(5s)));
  breaker.failed(probe, at(7s));
  EXPECT_EQ(breaker.state(), BreakerState::open);
  EXPECT_EQ(breaker.open_until(), at(12s));
}

class three_probes : public ::testing::Test {
protected:
  three_probes() {
    fail(breaker, 0s);
    for (auto& probe : probes)
      probe = permit_of(breaker.admit(at(5s)));
  }

  static CircuitBreakerOptions options() {
    auto result = touchy();
    result.probes = 3;
    return result;
  }

  CircuitBreaker breaker{options()};
  Permit probes[3];
};

TEST_F(three_probes, go_at_once_and_no_fourth) {
  EXPECT_EQ(breaker.state(), BreakerState::half_open);
  EXPECT_EQ(reason_of(breaker.admit(at(5s))), HeldBackBy::probe);
}

TEST_F(three_probes, close_it_when_all_have_succeeded) {
  breaker.succeeded(probes[2], at(6s));
  breaker.succeeded(probes[0], at(6s));
  EXPECT_EQ(breaker.state(), BreakerState::half_open);
  EXPECT_EQ(reason_of(breaker.admit(at(6s))), HeldBackBy::probe) << "success makes no room";
  breaker.succeeded(probes[1], at(6s));
  EXPECT_EQ(breaker.state(), BreakerState::closed);
}

TEST_F(three_probes, open_it_when_one_fails) {
  breaker.succeeded(probes[0], at(6s));
  breaker.failed(probes[1], at(6s));
  EXPECT_EQ(breaker.state(), BreakerState::open);
  breaker.succeeded(probes[2], at(6s));
  EXPECT_EQ(breaker.state(), BreakerState::open) << "it is late";
}

TEST_F(three_probes, make_room_for_another_when_one_is_forgotten) {
  breaker.forgotten(probes[1]);
  EXPECT_EQ(shown(breaker.admit(at(6s))), "a probe");
  EXPECT_EQ(reason_of(breaker.admit(at(6s))), HeldBackBy::probe);
}

TEST_F(three_probes, count_once_each) {
  for (auto i = 0; i < 9; ++i)
    breaker.succeeded(probes[0], at(6s));
  EXPECT_EQ(breaker.state(), BreakerState::half_open);
}

TEST(circuit_breaker, gives_the_place_of_a_silent_probe_to_another) {
  auto options = touchy();
  options.probe_timeout = 30s;
  CircuitBreaker breaker{options};
  fail(breaker, 0s);
  const auto silent = permit_of(breaker.admit(at(5s)));
  EXPECT_EQ(reason_of(breaker.admit(at(35s - 1ns))), HeldBackBy::probe);
  const auto second = permit_of(breaker.admit(at(35s)));
  EXPECT_NE(second, silent);
  breaker.failed(silent, at(36s));
  EXPECT_EQ(breaker.state(), BreakerState::half_open) << "it had lost its place";
  breaker.succeeded(second, at(36s));
  EXPECT_EQ(breaker.state(), BreakerState::closed);
}

TEST(circuit_breaker, hears_a_late_probe_that_nobody_replaced) {
  auto options = touchy();
  options.probe_timeout = 30s;
  CircuitBreaker breaker{options};
  fail(breaker, 0s);
  const auto late = permit_of(breaker.admit(at(5s)));
  breaker.succeeded(late, at(1h));
  EXPECT_EQ(breaker.state(), BreakerState::closed);
}

// -- earlier generations ----------------------------------------------------------------------

// opossum counts them as calls: after 20 of them it takes 21 failures to open again.
TEST(circuit_breaker, counts_a_call_that_it_held_back_neither_as_a_failure_nor_as_a_call) {
  CircuitBreakerOptions options;
  options.trip = FailureRatioOfCalls{0.5, 4, 4};
  options.spread = 0s;
  CircuitBreaker breaker{options};
  for (int i = 0; i < 4; ++i)
    fail(breaker, 0s);
  EXPECT_EQ(breaker.state(), BreakerState::open);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(reason_of(breaker.admit(at(1s))), HeldBackBy::open_breaker);
  succeed(breaker, 5s);
  EXPECT_EQ(breaker.state(), BreakerState::closed);
  EXPECT_EQ(breaker.counts(at(5s)).calls, 0u);

  for (int i = 0; i < 3; ++i)
    fail(breaker, 6s);
  EXPECT_EQ(breaker.state(), BreakerState::closed);
  fail(breaker, 6s);
  EXPECT_EQ(breaker.state(), BreakerState::open) << "four failures of four calls, as before";
}

TEST(circuit_breaker, takes_no_notice_of_calls_that_began_before_it_changed) {
  CircuitBreaker breaker{touchy()};
  const auto first = permit_of(breaker.admit(at(0s)));
  const auto second = permit_of(breaker.admit(at(0s)));
  const auto third = permit_of(breaker.admit(at(0s)));
  breaker.failed(first, at(0s));

  breaker.failed(second, at(1s));
  EXPECT_EQ(breaker.open_until(), at(5s)) << "it opens once";
  breaker.succeeded(third, at(1s));
  EXPECT_EQ(breaker.state(), BreakerState::open);

  const auto probe = permit_of(breaker.admit(at(5s)));
  breaker.failed(second, at(5s));
  breaker.succeeded(third, at(5s));
  breaker.forgotten(third);
  EXPECT_EQ(breaker.state(), BreakerState::half_open);
  EXPECT_EQ(reason_of(breaker.admit(at(5s))), HeldBackBy::probe);

  breaker.succeeded(probe, at(5s));
  breaker.failed(second, at(5s));
  breaker.failed(probe, at(5s));
  EXPECT_EQ(breaker.state(), BreakerState::closed);
  EXPECT_EQ(breaker.consecutive_failures(), 0u);
}

TEST(circuit_breaker, takes_no_notice_of_no_permit) {
  CircuitBreaker breaker{touchy()};
  breaker.failed({}, at(0s));
  breaker.succeeded({}, at(0s));
  breaker.forgotten({});
  EXPECT_EQ(breaker.state(), BreakerState::closed);
  EXPECT_FALSE(Permit{});
  EXPECT_TRUE(permit_of(breaker.admit(at(0s))));
}

// -- by hand ----------------------------------------------------------------------------------

TEST(circuit_breaker, isolated_lets_nothing_through_until_it_is_closed) {
  CircuitBreaker breaker{touchy()};
  breaker.isolate();
  EXPECT_EQ(shown(breaker.admit(at(0s))), "isolated_breaker for ever");
  EXPECT_EQ(shown(breaker.admit(at(100h))), "isolated_breaker for ever");
  EXPECT_EQ(breaker.open_until(), Instant::never());
  breaker.close();
  EXPECT_EQ(shown(breaker.admit(at(100h))), "let through");
}

TEST(circuit_breaker, isolated_stays_so_whatever_becomes_of_its_probe) {
  CircuitBreaker breaker{touchy()};
  fail(breaker, 0s);
  const auto probe = permit_of(breaker.admit(at(5s)));
  breaker.isolate();
  breaker.succeeded(probe, at(6s));
  breaker.failed(probe, at(6s));
  EXPECT_EQ(breaker.state(), BreakerState::isolated);
}

TEST(circuit_breaker, closed_by_hand_begins_anew) {
  CircuitBreaker breaker{{.trip = FailureRatioOfCalls{0.5, 4, 4},
                          .open = Exponential{.first = 1s, .factor = 2, .cap = 1h}}};
  for (auto i = 0; i < 4; ++i)
    fail(breaker, 0s);
  fail(breaker, 1s);
  EXPECT_EQ(breaker.open_for(), 2s);
  breaker.close();
  EXPECT_EQ(breaker.counts(at(1s)), (CallCounts{0, 0}));
  for (auto i = 0; i < 3; ++i)
    fail(breaker, 1s);
  EXPECT_EQ(breaker.state(), BreakerState::closed);
  breaker.close();
  EXPECT_EQ(breaker.consecutive_failures(), 0u) << "one that is closed, too";
  for (auto i = 0; i < 4; ++i)
    fail(breaker, 1s);
  EXPECT_EQ(breaker.open_for(), 1s);
}

} // namespace backoff_actor::guard_test
