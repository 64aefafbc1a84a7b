// Many callers that share a rate, for a minute of virtual time: how many calls there are in any
// part of it, and how long no call is made although one is allowed and somebody waits.

#include "backoff_actor/guard/guard_options.hpp"
#include "backoff_actor/guard/internal/rate.hpp"

#include "guard_fixture.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <random>
#include <tuple>
#include <utility>

namespace backoff_actor::guard_test {

struct Crowd {
  int loyal = 0;        // callers that come at each turn, and after each call at once again
  int fresh = 0;        // calls a second that come at random, and then at each turn
  int fleeting = 0;     // calls a second that come at random, and do not come back
  Duration lateness{0}; // the most by which somebody misses his turn
};

struct Minute {
  std::vector<Instant> calls;
  Duration longest_idle{0}; // from when a call was allowed until it was made
  int asked = 0;
};

class MinuteOfCalls {
public:
  MinuteOfCalls(const RateOptions& options, const Crowd& crowd, unsigned seed)
    : rate_(options), crowd_(crowd), draws_(seed) {
    for (auto i = 0; i < crowd.loyal; ++i)
      will_come(at(0s), Kind::loyal);
    will_come_at_random(crowd.fresh, Kind::fresh);
    will_come_at_random(crowd.fleeting, Kind::fleeting);
  }

  Minute run() {
    while (!callers_.empty() && std::get<Instant>(callers_.top()) <= at(1min)) {
      const auto [now, number, kind] = callers_.top();
      callers_.pop();
      ++result_.asked;
      if (rate_.can_go(now))
        call(now, kind);
      else if (const auto turn = rate_.next_turn(now); kind != Kind::fleeting)
        will_come(turn + drawn_up_to(crowd_.lateness), kind);
    }
    return std::move(result_);
  }

private:
  enum class Kind { loyal, fresh, fleeting };
  using Caller = std::tuple<Instant, int, Kind>; // in the order in which they come

  void will_come(Instant when, Kind kind) { callers_.emplace(when, ++last_number_, kind); }

  void will_come_at_random(int per_second, Kind kind) {
    for (auto i = 0; i < 60 * per_second; ++i)
      will_come(at(drawn_up_to(1min)), kind);
  }

  Duration drawn_up_to(Duration most) {
    return Duration{std::uniform_int_distribution<Duration::rep>{0, most.count()}(draws_)};
  }

  void call(Instant now, Kind kind) {
    const auto allowed = used_until_ + (1 - static_cast<int>(rate_.options().burst)) * interval();
    result_.longest_idle = std::max(result_.longest_idle, now - std::max(allowed, at(0s)));
    used_until_ = std::max(used_until_, now) + interval();
    rate_.go(now);
    result_.calls.push_back(now);
    if (kind == Kind::loyal)
      will_come(now, kind);
  }

  Duration interval() const { return rate_.interval(); }

  Rate rate_;
  Crowd crowd_;
  std::mt19937 draws_;
  std::priority_queue<Caller, std::vector<Caller>, std::greater<>> callers_;
  int last_number_ = 0;
  Instant used_until_{}; // what the calls have used, counted apart from the rate
  Minute result_;
};

Minute minute_of(const RateOptions& options, const Crowd& crowd, unsigned seed = 1) {
  return MinuteOfCalls{options, crowd, seed}.run();
}

// Whether in every stretch from one call to another there are at most the burst and one for each
// interval. What call `n` has in hand is its time less `n` intervals. So the stretches are kept if
// that never falls by more than `burst - 1` intervals.
bool is_kept(const RateOptions& options, const std::vector<Instant>& calls) {
  const auto interval = Rate{options}.interval();
  auto most_in_hand = Duration::min();
  for (std::size_t n = 0; n < calls.size(); ++n) {
    const auto in_hand = calls[n].since_origin - static_cast<Duration::rep>(n) * interval;
    most_in_hand = std::max(most_in_hand, in_hand);
    if (most_in_hand - in_hand > (options.burst - 1) * interval)
      return false;
  }
  return true;
}

constexpr Crowd crowds[] = {
  {.fresh = 10},
  {.fresh = 20},
  {.loyal = 1},
  {.loyal = 10, .fresh = 15},
  {.loyal = 200, .lateness = 2ms},
  {.loyal = 3, .fresh = 20, .fleeting = 100, .lateness = 2ms},
};

TEST(rate_callers, are_judged_by_every_stretch_of_time) {
  const RateOptions options{.calls = 50, .burst = 2};
  EXPECT_TRUE(is_kept(options, {at(0s), at(0s), at(20ms), at(100ms), at(101ms), at(121ms)}));
  EXPECT_FALSE(is_kept(options, {at(0s), at(0s), at(20ms - 1ns)}));
  EXPECT_FALSE(is_kept(options, {at(0s), at(1s), at(1s), at(1020ms), at(1040ms - 1ns)}));
}

TEST(rate_callers, never_make_more_calls_than_the_burst_and_one_each_interval) {
  for (const auto burst : {1u, 10u})
    for (const auto calls : {7u, 50u})
      for (const auto& crowd : crowds) {
        const RateOptions options{.calls = calls, .burst = burst};
        EXPECT_TRUE(is_kept(options, minute_of(options, crowd).calls)) << to_string(options);
      }
}

TEST(rate_callers, that_come_at_their_turns_leave_no_call_unused) {
  for (const auto burst : {1u, 5u})
    for (const auto loyal : {1, 7, 50, 300}) {
      const auto minute = minute_of({.calls = 50, .burst = burst}, {.loyal = loyal});
      EXPECT_EQ(minute.longest_idle, 0s) << loyal;
      EXPECT_EQ(minute.calls.size(), 3000 + burst) << loyal;
    }
}

TEST(rate_callers, leave_no_call_unused_for_longer_than_an_interval_when_others_come_in_between) {
  for (const auto burst : {1u, 5u})
    for (const auto fresh : {5, 40, 60})
      for (const auto seed : {1u, 2u, 3u}) {
        const Crowd crowd{.loyal = 4, .fresh = fresh};
        EXPECT_LE(minute_of({.calls = 50, .burst = burst}, crowd, seed).longest_idle, 20ms);
      }
}

TEST(rate_callers, that_do_not_come_back_put_the_others_off_for_a_second_at_most) {
  for (const auto fleeting : {1, 10, 100})
    for (const auto loyal : {1, 20}) {
      const auto minute = minute_of({}, {.loyal = loyal, .fleeting = fleeting});
      EXPECT_LE(minute.longest_idle, 1s) << fleeting;
      EXPECT_GT(minute.calls.size(), 1500u) << "half of what is allowed";
    }
}

// Without a burst each call is as late as its timer, and no later, however many callers there are.
TEST(rate_callers, that_are_late_lose_their_lateness_alone_and_nothing_with_a_burst_of_two) {
  for (const auto loyal : {1, 2, 30}) {
    const Crowd crowd{.loyal = loyal, .lateness = 2ms};
    const auto smooth = minute_of({.calls = 50, .burst = 1}, crowd);
    EXPECT_LE(smooth.longest_idle, 2ms) << loyal;
    EXPECT_GE(smooth.calls.size(), 2700u) << loyal << ": 22 ms for each call at the most";
    EXPECT_GE(minute_of({.calls = 50, .burst = 2}, crowd).calls.size(), 3000u) << loyal;
  }
}

TEST(rate_callers, ask_about_twice_for_a_call_and_about_once_a_second_if_they_are_many) {
  EXPECT_LE(minute_of({}, {.loyal = 20}).asked, 2 * 3001 + 20);
  EXPECT_LE(minute_of({}, {.loyal = 20, .lateness = 2ms}).asked, 3 * 3001);
  EXPECT_LE(minute_of({}, {.loyal = 1000}).asked, 2 * 60 * 1000 + 2 * 3001);
}

} // namespace backoff_actor::guard_test
