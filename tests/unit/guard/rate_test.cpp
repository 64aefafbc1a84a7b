#include "backoff_actor/guard/guard_options.hpp"
#include "backoff_actor/guard/internal/rate.hpp"

#include "guard_fixture.hpp"

#include <string>

namespace backoff_actor::guard_test {

// Makes all calls that are allowed at an instant, a thousand at most. Returns how many.
int call_all(Rate& rate, Duration now) {
  auto result = 0;
  while (result < 1000 && rate.can_go(at(now))) {
    rate.go(at(now));
    ++result;
  }
  return result;
}

// A rate that allows no call at 0 s; the next at 20 ms.
Rate fifty_used_up(std::uint32_t burst = 1) {
  Rate rate{{.burst = burst}};
  call_all(rate, 0s);
  return rate;
}

std::vector<Instant> turns_at(Rate& rate, Duration now, int count) {
  std::vector<Instant> result;
  for (auto i = 0; i < count; ++i)
    result.push_back(rate.next_turn(at(now)));
  return result;
}

// -- calls ------------------------------------------------------------------------------

TEST(rate, lets_a_burst_through_at_once_and_then_one_call_each_interval) {
  Rate rate{{.calls = 50, .burst = 5}};
  EXPECT_EQ(rate.interval(), 20ms);
  EXPECT_EQ(call_all(rate, 0s), 5);
  EXPECT_EQ(call_all(rate, 20ms - 1ns), 0);
  EXPECT_EQ(call_all(rate, 20ms), 1);
  EXPECT_EQ(call_all(rate, 39ms), 0);
  EXPECT_EQ(call_all(rate, 40ms), 1);
  EXPECT_EQ(call_all(rate, 80ms), 2);
}

TEST(rate, that_has_rested_has_one_burst_and_no_more) {
  Rate rate{{.calls = 50, .burst = 5}};
  EXPECT_EQ(rate.time_to_fill(), 100ms);
  EXPECT_EQ(call_all(rate, 0s), 5);
  EXPECT_EQ(call_all(rate, 100ms - 1ns), 4);
  EXPECT_EQ(call_all(rate, 1h), 5);
  EXPECT_EQ(call_all(rate, 1h + 1s), 5);
}

TEST(rate, without_a_burst_keeps_an_interval_between_any_two_calls) {
  Rate rate{{.calls = 50, .burst = 1}};
  EXPECT_EQ(call_all(rate, 0s), 1);
  EXPECT_EQ(call_all(rate, 25ms), 1) << "5 ms late";
  EXPECT_EQ(call_all(rate, 40ms), 0);
  EXPECT_EQ(call_all(rate, 45ms), 1) << "an interval after the late one";
}

TEST(rate, with_a_burst_makes_up_for_a_late_call) {
  Rate rate{{.calls = 50, .burst = 2}};
  EXPECT_EQ(call_all(rate, 0s), 2);
  EXPECT_EQ(call_all(rate, 25ms), 1) << "5 ms late";
  EXPECT_EQ(call_all(rate, 40ms), 1);
}

TEST(rate, rounds_its_interval_up_so_that_there_are_never_too_many_calls) {
  EXPECT_EQ(Rate({.calls = 3}).interval(), 333'333'334ns);
  EXPECT_EQ(Rate({.calls = 7, .per = 1ms}).interval(), 142'858ns);
  EXPECT_EQ(Rate({.calls = 1'000'000}).interval(), 1us);
  EXPECT_EQ(Rate({.calls = 1, .per = 24h}).interval(), 24h);
}

TEST(rate, has_the_same_answers_before_the_origin_of_time) {
  Rate rate{{.calls = 50, .burst = 2}};
  EXPECT_EQ(call_all(rate, -1h), 2);
  EXPECT_EQ(call_all(rate, -1h + 20ms), 1);
  EXPECT_EQ(rate.next_turn(at(-1h + 20ms)), at(-1h + 40ms));
}

TEST(rate, whose_burst_would_take_longer_than_time_lasts_has_it_all_the_same) {
  Rate rate{{.calls = 1, .per = 24h, .burst = 1'000'000}}; // 2738 years
  EXPECT_EQ(rate.time_to_fill(), Duration::max());
  EXPECT_EQ(rate.calls_left(at(0s)), 106'752u) << "the days in the range of a Duration, and one";
  EXPECT_EQ(call_all(rate, 0s), 1000);
  EXPECT_EQ(rate.calls_left(at(0s)), 105'752u);
}

TEST(rate, stays_within_the_range_of_time) {
  Rate rate{{.calls = 1, .per = 24h, .burst = 2}};
  const auto late = Instant{Duration::max() - 1h};
  rate.go(late);
  rate.go(late);
  EXPECT_LE(rate.next_turn(late), Instant::never());
  EXPECT_EQ(rate.calls_left(Instant{Duration::min()}), 0u);
}

TEST(rate, knows_how_many_calls_are_left) {
  Rate rate{{.calls = 50, .burst = 5}};
  EXPECT_EQ(rate.calls_left(at(0s)), 5u);
  rate.go(at(0s));
  rate.go(at(0s));
  EXPECT_EQ(rate.calls_left(at(0s)), 3u);
  EXPECT_EQ(call_all(rate, 0s), 3);
  EXPECT_EQ(rate.calls_left(at(19ms)), 0u);
  EXPECT_EQ(rate.calls_left(at(20ms)), 1u);
  EXPECT_EQ(rate.calls_left(at(70ms)), 3u);
  EXPECT_EQ(rate.calls_left(at(1h)), 5u);
}

// -- turns ------------------------------------------------------------------------------

TEST(rate, gives_successive_turns_an_interval_apart) {
  for (const auto burst : {1u, 5u}) {
    auto rate = fifty_used_up(burst);
    EXPECT_THAT(turns_at(rate, 5ms, 4), ElementsAre(at(20ms), at(40ms), at(60ms), at(80ms)));
    for (const auto turn : {20ms, 40ms, 60ms, 80ms})
      EXPECT_EQ(call_all(rate, turn), 1) << "there is a call for each";
  }
}

TEST(rate, gives_no_turn_while_a_call_is_allowed) {
  auto rate = fifty_used_up();
  EXPECT_EQ(rate.next_turn(at(20ms)), at(20ms));
  EXPECT_EQ(rate.next_turn(at(1h)), at(1h));
}

TEST(rate, gives_a_caller_that_is_alone_the_first_instant_that_is_allowed) {
  for (const auto late : {0ns, 1ns, 3'000'000ns, 70'000'000ns}) {
    Rate rate{{.burst = 1}};
    auto now = 0ns;
    for (auto i = 0; i < 100; ++i) {
      ASSERT_TRUE(rate.can_go(at(now)));
      rate.go(at(now));
      EXPECT_EQ(rate.next_turn(at(now)), at(now + 20ms)) << i;
      now += 20ms + late;
    }
  }
}

TEST(rate, gives_a_caller_whose_turn_another_took_the_next_instant) {
  auto rate = fifty_used_up();
  EXPECT_THAT(turns_at(rate, 0s, 4), ElementsAre(at(20ms), at(40ms), at(60ms), at(80ms)));
  EXPECT_EQ(call_all(rate, 20ms), 1);
  EXPECT_EQ(call_all(rate, 45ms), 1) << "5 ms late";
  EXPECT_EQ(rate.next_turn(at(60ms)), at(65ms)) << "it need not wait behind the others";
  EXPECT_EQ(rate.next_turn(at(60ms)), at(100ms)) << "another one does";
}

TEST(rate, forgets_the_turns_of_callers_that_did_not_come_back) {
  auto rate = fifty_used_up();
  turns_at(rate, 0s, 10);
  EXPECT_EQ(call_all(rate, 1s), 1);
  EXPECT_EQ(rate.next_turn(at(1s)), at(1020ms));
  EXPECT_EQ(rate.next_turn(at(1s)), at(1040ms));
}

TEST(rate, gives_no_turn_later_than_a_second_after_the_first_call_that_is_allowed) {
  auto rate = fifty_used_up();
  for (auto i = 1; i <= 51; ++i)
    EXPECT_EQ(rate.next_turn(at(0s)), at(i * 20ms));
  EXPECT_EQ(rate.next_turn(at(0s)), at(20ms)) << "from the beginning again";
  EXPECT_EQ(rate.next_turn(at(0s)), at(40ms));
  for (auto i = 0; i < 10'000; ++i)
    EXPECT_LE(rate.next_turn(at(0s)), at(1020ms));
}

TEST(rate, gives_all_callers_the_same_turn_if_calls_are_more_than_a_second_apart) {
  Rate rate{{.calls = 6, .per = 1min}};
  call_all(rate, 0s);
  EXPECT_THAT(turns_at(rate, 1s, 3), ElementsAre(at(10s), at(10s), at(10s)));
}

TEST(rate, never_gives_a_turn_at_which_no_call_would_be_allowed) {
  Rate rate{{.calls = 30, .burst = 3}};
  auto turn = 0ns;
  for (auto i = 0; i < 2000; ++i) {
    const auto now = i * 7ms;
    call_all(rate, now);
    auto later = rate;
    const auto next = later.next_turn(at(now));
    EXPECT_TRUE(later.can_go(next));
    EXPECT_GT(next, at(now));
    turn = rate.next_turn(at(now)).since_origin;
    if (i % 5 == 0 && rate.can_go(at(turn)) && turn < (i + 1) * 7ms)
      rate.go(at(turn));
  }
}

// -- options ----------------------------------------------------------------------------

TEST(rate, names_all_that_is_wrong_with_its_options) {
  EXPECT_EQ(to_string(check({.calls = 0, .per = 25h, .burst = 0})),
            "RateOptions: calls: got 0, allowed 1..1000000\n"
            "RateOptions: per: got 25h, allowed 1ms..24h\n"
            "RateOptions: burst: got 0, allowed 1..1000000");
  EXPECT_EQ(to_string(check({.calls = 1'000'001, .per = 999us, .burst = 1'000'001})),
            "RateOptions: calls: got 1000001, allowed 1..1000000\n"
            "RateOptions: per: got 999us, allowed 1ms..24h\n"
            "RateOptions: burst: got 1000001, allowed 1..1000000");
  EXPECT_EQ(to_string(check({.calls = 1001, .per = 1ms})),
            "RateOptions: calls: got 1001, allowed 1..1000")
    << "one each microsecond";
  EXPECT_TRUE(check({.calls = 1000, .per = 1ms, .burst = 1}).empty());
  EXPECT_TRUE(check({.calls = 1'000'000, .per = 24h, .burst = 1'000'000}).empty());
  EXPECT_TRUE(check({.calls = 1'000'000, .per = 1s, .burst = 1}).empty());
  EXPECT_THROW(Rate({.burst = 0}), InvalidArgument);
  EXPECT_THROW(Rate({.calls = 0, .per = -1s}), InvalidArgument);
}

TEST(rate, writes_its_options_with_everything_in_them) {
  EXPECT_EQ(to_string(RateOptions{}), "rate(50/s, burst 1)");
  EXPECT_EQ(to_string(RateOptions{100, 1min, 7}), "rate(100/min, burst 7)");
  EXPECT_EQ(to_string(RateOptions{100, 1h, 1}), "rate(100/h, burst 1)");
  EXPECT_EQ(to_string(RateOptions{1, 250ms, 1}), "rate(1/250ms, burst 1)");
  EXPECT_EQ(to_string(RateOptions{1, 24h, 1}), "rate(1/24h, burst 1)");
}

} // namespace backoff_actor::guard_test
