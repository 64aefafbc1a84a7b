// Defects and traps of Akka's classic BackoffSupervisor that a sender which delivers at most once
// does not have; the numbers are those of Akka's issues. docs/how-to/move_from_akka.md lists them.

#include "at_most_once_fixture.hpp"

#include <chrono>

namespace backoff_actor::actor_test {

using std::chrono::hours;

class AkkaDefects : public AtMostOnce {
protected:
  // Akka's tests of onFailure: minBackoff 200 ms, maxBackoff 10 s, randomFactor 0.
  static ForwarderOptions akkas(Duration min = 200ms, Duration max = 10s) {
    auto options = forwarding();
    options.backoff = Exponential{.first = min, .factor = 2, .cap = max};
    return options;
  }

  static bool is_stop(const caf::message& message) {
    return message.match_elements<std::string>() && message.get_as<std::string>(0) == "stop";
  }

  static ForwarderOptions with_final_stop() {
    auto options = akkas();
    options.final_stop = is_stop;
    return options;
  }

  // Nothing starts before the delay is over, and then one does.
  void expect_start_after(Duration delay) {
    const auto before = scribes->started;
    time.advance(delay - 1ns);
    EXPECT_EQ(scribes->started, before) << to_string(delay);
    time.advance(1ns);
    EXPECT_EQ(scribes->started, before + 1) << to_string(delay);
  }
};

TEST_F(AkkaDefects, restarts_after_200_400_800_and_1600_ms_with_exactly_one_child) {
  start(akkas());
  for (const auto delay : {200ms, 400ms, 800ms, 1600ms}) {
    request("crash");
    expect_start_after(delay);
    EXPECT_EQ(scribes->alive, 1);
  }
  time.advance(1h);

  EXPECT_EQ(scribes->started, 5);
  EXPECT_EQ(scribes->most_alive, 1);
}

struct DelayRow {
  int restarts; // before this one
  Duration min;
  Duration max;
  Duration delay;
};

class AkkasDelays : public AkkaDefects, public ::testing::WithParamInterface<DelayRow> {};

// akka#29569: an overflow was an IllegalArgumentException.
TEST_P(AkkasDelays, are_as_in_its_table_and_overflow_nowhere) {
  auto options = akkas(GetParam().min, GetParam().max);
  options.healthy_after = Duration::max();
  start(options);
  for (int i = 0; i < GetParam().restarts; ++i) {
    request("crash");
    tell(RetryNow{});
  }
  request("crash");

  expect_start_after(GetParam().delay);
}

// A minBackoff of 0, the first row of Akka's table, its options refuse, as ours do.
INSTANTIATE_TEST_SUITE_P(
  table, AkkasDelays,
  ::testing::Values(DelayRow{0, 5min, 7min, 5min}, DelayRow{2, 5s, 7s, 7s},
                    DelayRow{2, 5s, hours{24 * 7}, 20s}, DelayRow{29, 5min, 10min, 10min},
                    DelayRow{29, hours{240000}, hours{240000}, hours{240000}},
                    DelayRow{200, 1s, hours{240000}, hours{240000}}));

TEST_F(AkkaDefects, no_delay_exceeds_its_cap_jitter_included) {
  auto options = akkas();
  options.backoff = Exponential{.first = 200ms, .factor = 2, .cap = 10s} | proportional_jitter(0.2);
  options.healthy_after = Duration::max();
  start(options);
  for (int i = 0; i < 200; ++i) {
    request("crash");
    tell(RetryNow{});
  }

  for (const auto& retry : log.all<event::RetryScheduled>())
    EXPECT_LE(retry.delay, 10s);
}

// While the old child was terminating it was still taken for the child, and what came meanwhile was
// dead-lettered.
TEST_F(AkkaDefects, what_waits_at_the_sender_when_the_child_dies_goes_to_the_next_one) {
  start(akkas());
  request("last words");
  time.advance(200ms);

  EXPECT_THAT(scribes->seen, ElementsAre("1:last words", "2:a", "2:b", "2:c"));
}

TEST_F(AkkaDefects, what_waits_and_is_looked_at_when_the_child_dies_goes_to_the_next_one_too) {
  start(with_final_stop());
  request("last words");
  time.advance(200ms);

  EXPECT_THAT(scribes->seen, ElementsAre("1:last words", "2:a", "2:b", "2:c"));
}

// akka#26141: with a final stop message set, any message ended the supervisor.
TEST_F(AkkaDefects, only_the_final_stop_ends_the_sender) {
  start(with_final_stop());
  const auto reason = watch_sender();
  request("a");
  request("crash");
  time.advance(1h);
  EXPECT_EQ(request("b").text(), "2:b");
  EXPECT_FALSE(reason->has_value());

  EXPECT_EQ(request("stop").text(), "2:stop");
  ASSERT_TRUE(reason->has_value());
  EXPECT_FALSE(**reason) << "it ended normally";
}

// Without a child the final stop ended the supervisor, and was neither forwarded nor dead-lettered.
TEST_F(AkkaDefects, a_final_stop_without_a_child_is_told_as_undelivered) {
  Strings letters;
  auto options = with_final_stop();
  options.on_dead_letter = [&](const DeadLetter& letter) { letters.push_back(to_string(letter)); };
  start(options);
  const auto reason = watch_sender();
  request("crash");
  const auto stop = request("stop");

  EXPECT_EQ(stop.text(), "!stopped");
  EXPECT_THAT(letters,
              ElementsAre("delivery 2 (\"stop\") stopped after 0ns, 0 failed attempts: crash"));
  ASSERT_TRUE(reason->has_value());
  EXPECT_FALSE(**reason);
}

// akka#19645, akka#19726: commands were ignored while the child was terminating.
TEST_F(AkkaDefects, words_are_answered_while_no_child_is_there) {
  start(akkas());
  request("crash");

  EXPECT_EQ(status().retries, 1u);
  EXPECT_EQ(child().incarnation, 0u);
  const auto reset = time.ask<SenderStatus>(sender, Reset{});
  time.run();
  EXPECT_EQ(reset->value.value().retries, 0u);
  expect_start_after(200ms);
}

// The backoff began anew for a child that had lived for minBackoff, so that one which always lives
// a little longer before it fails never backed off: 200, 200, 200 ms.
TEST_F(AkkaDefects, a_child_that_always_lives_a_little_longer_than_the_first_delay_backs_off) {
  start(akkas());
  for (const auto delay : {200ms, 400ms, 800ms, 1600ms}) {
    time.advance(250ms);
    request("crash");
    expect_start_after(delay);
  }
}

TEST_F(AkkaDefects, one_that_lives_as_long_as_the_longest_delay_is_well) {
  start(akkas());
  request("crash");
  expect_start_after(200ms);
  time.advance(10s);
  EXPECT_EQ(status().retries, 0u);

  request("crash");
  expect_start_after(200ms);
}

// akka#27590, akka#27719: the count that was compared at the end of the window was wrong.
TEST_F(AkkaDefects, a_child_that_failed_again_meanwhile_is_not_well) {
  auto options = akkas();
  options.healthy_after = 1s;
  start(options);
  request("crash");
  expect_start_after(200ms);
  time.advance(900ms);
  request("crash");
  expect_start_after(400ms);
  time.advance(900ms);

  EXPECT_EQ(status().retries, 2u) << "2.2 s after the first restart, 0.9 s after the second";
}

// With AutoReset a Reset was unhandled.
TEST_F(AkkaDefects, a_reset_by_hand_is_obeyed_beside_the_one_by_health) {
  auto options = akkas();
  options.healthy_after = 1s;
  start(options);
  request("crash");
  expect_start_after(200ms);
  tell(Reset{});
  request("crash");

  expect_start_after(200ms);
}

// One counter was the exponent and the budget: a reset of the one refilled the other. akka#20597:
// the budget was ignored; akka#24769 asks for it.
TEST_F(AkkaDefects, the_budget_of_restarts_is_not_refilled_by_health) {
  auto options = akkas();
  options.healthy_after = 1s;
  options.restart_limit = RestartLimit{2, 1h};
  start(options);
  const auto reason = watch_sender();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(reason->has_value());
    request("crash");
    time.advance(1min);
  }

  ASSERT_TRUE(reason->has_value());
  EXPECT_TRUE(**reason == SenderError::gave_up) << "with a reason that its watchers see";
}

// akka#25714, akka.net#4601: a strategy replaced the limit that was set before it.
TEST_F(AkkaDefects, a_decider_replaces_no_limit) {
  auto options = akkas();
  options.restart_limit = RestartLimit{0, 1h};
  options.decider = [](FailureKind, const caf::error&) { return Decision{Verdict::retry}; };
  start(options);
  const auto reason = watch_sender();
  request("crash");

  EXPECT_TRUE(reason->has_value());
}

// akka.net#5945: with onFailure, a child that failed in its start stopped everything.
TEST_F(AkkaDefects, a_failed_start_backs_off_where_a_normal_stop_ends_the_sender) {
  auto options = akkas();
  options.after_normal_stop = AfterNormalStop::end;
  danger = DangerousActor{FaultPlan{}, BirthPlan{{Birth::factory_throws, Birth::no_actor}}};
  start_with(danger.factory(), options);
  EXPECT_EQ(danger.alive(), 0u);
  time.advance(200ms);
  EXPECT_EQ(danger.alive(), 0u);
  time.advance(400ms);

  EXPECT_EQ(danger.alive(), 1u);
}

// onFailure and onStop differ in what follows a normal stop.
TEST_F(AkkaDefects, a_normal_stop_ends_the_sender_as_with_on_failure) {
  auto options = akkas();
  options.after_normal_stop = AfterNormalStop::end;
  start(options);
  const auto reason = watch_sender();
  request("crash");
  expect_start_after(200ms);
  request("stop");

  ASSERT_TRUE(reason->has_value());
  EXPECT_FALSE(**reason);
}

TEST_F(AkkaDefects, a_normal_stop_backs_off_as_with_on_stop) {
  auto options = akkas();
  options.after_normal_stop = AfterNormalStop::restart;
  start(options);
  request("stop");
  expect_start_after(200ms);
  request("stop");

  expect_start_after(400ms);
}

// With onStop the default decider restarted a crashed child at once, without a backoff.
TEST_F(AkkaDefects, a_crash_backs_off_where_a_normal_stop_does) {
  auto options = akkas();
  options.after_normal_stop = AfterNormalStop::restart;
  start(options);
  request("crash");

  expect_start_after(200ms);
}

} // namespace backoff_actor::actor_test
