// The end of a sender that is given time: first the children finish what is in flight.

#include "guarded_sender.hpp"

#include "backoff_actor/testing/record/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <variant>

namespace backoff_actor::engine_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

input::Finish within(Duration grace) { return {Instant{grace}}; }

// A sender with three deliveries, two of them with its child; it was told to finish within 30 s.
class SenderFinish : public ::testing::Test {
protected:
  void begin(EngineOptions options = {}) {
    options.max_in_flight = 2;
    options.kill_grace = 5s;
    options.on_event = log.hook();
    sender.emplace(std::move(options));
    sender->start();
    for (int i = 0; i < 3; ++i)
      sender->submit();
    asked = sender->take(within(30s));
  }

  Phase phase() const { return sender->engine->phase(); }
  SenderStatus status() const { return sender->engine->status(sender->now); }

  testing::EventLog log;
  std::optional<EngineDriver> sender;
  Lines asked;
};

// -- what is finished -----------------------------------------------------------------

TEST_F(SenderFinish, takes_the_answers_to_what_is_in_flight_and_hands_over_nothing_more) {
  begin();
  EXPECT_THAT(asked, ElementsAre("wake at 30s"));
  EXPECT_EQ(phase(), Phase::finishing);
  EXPECT_EQ(sender->engine->living_child(), 1u);
  EXPECT_THAT(sender->ack(1), ElementsAre("acknowledge 1"));
  EXPECT_THAT(sender->reject(2),
              ElementsAre("dead letter 2 rejected", "ask to end 1", "wake at 5s"));
  EXPECT_EQ(phase(), Phase::stopping);
  EXPECT_THAT(sender->stop_normally(), ElementsAre("dead letter 3 stopped"));
  EXPECT_TRUE(sender->engine->has_ended());
}

TEST_F(SenderFinish, is_told_in_an_event) {
  begin();
  sender->take(within(20s));
  const auto events = log.all<event::Finishing>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].in_flight, 2u);
  EXPECT_EQ(events[0].until, Instant{30s});
}

TEST_F(SenderFinish, ends_at_once_if_nothing_is_in_flight) {
  EngineDriver idle;
  idle.start();
  EXPECT_THAT(idle.take(within(30s)), ElementsAre("ask to end 1", "wake at 5s"));
  EXPECT_THAT(idle.stop_normally(), IsEmpty());
  EXPECT_TRUE(idle.engine->has_ended());
}

TEST_F(SenderFinish, ends_at_once_if_there_never_was_a_child) {
  EngineDriver fresh{{.child_start = FirstStart::on_first_use}};
  fresh.take(input::Start{});
  EXPECT_THAT(fresh.take(within(30s)), IsEmpty());
  EXPECT_TRUE(fresh.engine->has_ended());
}

TEST_F(SenderFinish, accepts_starts_and_retries_nothing) {
  begin();
  EXPECT_THAT(sender->submit(), ElementsAre("refuse: draining"));
  EXPECT_THAT(sender->take(input::Join{0, 1}), ElementsAre("refuse: draining"));
  EXPECT_THAT(sender->nack(1, 1s), IsEmpty());
  EXPECT_THAT(sender->take(input::RetryNow{}), IsEmpty());
  EXPECT_THAT(sender->take(input::Resume{}), IsEmpty());
  EXPECT_THAT(sender->take(input::Start{}), IsEmpty());
  EXPECT_EQ(status().is_delayed, false);
  EXPECT_EQ(status().owed, 3u);
  EXPECT_EQ(status().in_flight, 1u);
  EXPECT_THAT(sender->ack(2), ElementsAre("acknowledge 2", "ask to end 1", "wake at 5s"));
}

TEST_F(SenderFinish, in_a_pause_finishes_what_was_handed_over_before) {
  EngineDriver paused{{.max_in_flight = 1}};
  paused.start();
  paused.submit();
  paused.submit();
  paused.take(input::Pause{});
  EXPECT_THAT(paused.take(within(30s)), ElementsAre("wake at 30s"));
  EXPECT_THAT(paused.ack(1), ElementsAre("acknowledge 1", "ask to end 1", "wake at 5s"));
}

TEST_F(SenderFinish, does_not_wait_for_a_delivery_whose_deadline_has_passed) {
  EngineDriver late;
  late.start();
  late.submit_within(1s);
  EXPECT_THAT(late.take(within(30s)), IsEmpty()) << "a wake-up is out already";
  EXPECT_THAT(late.wake_after(1s),
              ElementsAre("dead letter 1 expired", "ask to end 1", "wake at 6s"));
}

TEST_F(SenderFinish, ends_a_delay_and_what_waits_for_it_stays_owed) {
  EngineDriver delayed{{.restart = RestartTiming::at_tick}};
  delayed.start();
  delayed.submit();
  ASSERT_THAT(delayed.crash(), ElementsAre("wake at 10ms"));
  EXPECT_THAT(delayed.take(within(30s)), ElementsAre("dead letter 1 stopped"));
}

TEST_F(SenderFinish, calls_off_the_start_of_a_child) {
  EngineDriver starting;
  starting.take(input::Start{});
  starting.submit();
  EXPECT_THAT(starting.take(input::Finish{Instant{30s}, false}),
              ElementsAre("stop child 1", "finished"));
  EXPECT_THAT(starting.take(input::ChildStarted{1}), ElementsAre("stop child 1"));
  EXPECT_THAT(starting.take(input::Stop{}), ElementsAre("dead letter 1 stopped"));
}

TEST_F(SenderFinish, lets_both_children_finish_and_none_take_over) {
  EngineDriver both{
    {.max_in_flight = 1, .restart_limit = RestartLimit{0, 1s}, .has_fallback = true}};
  both.start();
  both.submit();
  both.submit();
  both.crash();
  both.child_started();
  both.wake_after(10ms);
  ASSERT_THAT(both.child_started(), ElementsAre("hand over 2"));
  EXPECT_THAT(both.take(within(30s)), ElementsAre("wake at 30s"));
  EXPECT_EQ(both.engine->living_child(), 2u);
  EXPECT_THAT(both.ack(2), ElementsAre("acknowledge 2")) << "by the worker, which is well";
  EXPECT_THAT(both.ack(1),
              ElementsAre("acknowledge 1", "ask to end 3", "ask to end 2", "wake at 5.01s"));
}

// -- failures meanwhile ---------------------------------------------------------------

TEST_F(SenderFinish, after_a_crash_charges_the_culprit_and_starts_no_child) {
  EngineDriver crashing{{.max_in_flight = 2, .persist = true}};
  crashing.start();
  for (std::uint32_t i = 0; i < 3; ++i) {
    crashing.submit();
    crashing.take(input::Persisted{i, i + 1});
  }
  ASSERT_THAT(crashing.take(within(30s)), ElementsAre("wake at 30s"));
  EXPECT_THAT(crashing.crash(), ElementsAre("count 1 of 1", "suspend 1", "suspend 2", "suspend 3"));
  EXPECT_EQ(crashing.engine->status(crashing.now).counters.crashes, 1u);
  EXPECT_TRUE(crashing.engine->has_ended());
}

TEST_F(SenderFinish, gives_up_a_delivery_that_has_no_attempts_left) {
  begin({.max_attempts = 1, .charging = Charging::every_failure()});
  EXPECT_THAT(sender->nack(1), ElementsAre("dead letter 1 attempts_exhausted"));
  EXPECT_THAT(sender->crash(),
              ElementsAre("dead letter 2 attempts_exhausted", "dead letter 3 stopped"));
}

TEST_F(SenderFinish, gives_a_crash_as_the_cause_of_the_dead_letters) {
  EngineDriver crashing{{.max_in_flight = 1}};
  crashing.start();
  crashing.submit();
  crashing.submit();
  crashing.take(within(30s));
  Effects effects;
  crashing.engine->step(crashing.now, input::ChildDown{1, {7, "crash"}}, effects);
  ASSERT_EQ(effects.size(), 2u);
  for (const auto& effect : effects)
    EXPECT_EQ(std::get<effect::DeadLetter>(effect).cause->text, "crash");
}

TEST_F(SenderFinish, ends_a_child_that_hangs) {
  begin({.ack_timeout = 1s});
  EXPECT_THAT(asked, IsEmpty()) << "a wake-up is out already";
  EXPECT_THAT(sender->wake_after(1s), ElementsAre("tell to end 1", "wake at 6s"));
  EXPECT_EQ(phase(), Phase::stopping);
  EXPECT_THAT(sender->down(1), ElementsAre("dead letter 1 stopped", "dead letter 2 stopped",
                                           "dead letter 3 stopped"));
  EXPECT_EQ(status().counters.hangs, 1u);
}

TEST_F(SenderFinish, does_not_give_up_for_one_of_them) {
  begin();
  EXPECT_THAT(sender->take(input::ErrorAnswer{
                sender->hand_overs.at(1).back(), {7, "no"}, false, true, Verdict::give_up}),
              ElementsAre("hold 1"));
  EXPECT_EQ(phase(), Phase::finishing);
  EXPECT_THAT(sender->ack(2), ElementsAre("acknowledge 2", "ask to end 1", "wake at 5s"));
}

TEST_F(SenderFinish, waits_until_it_knows_whether_a_child_meant_its_error) {
  begin();
  EXPECT_THAT(sender->error(1, 8), ElementsAre("hold 1", "probe 1"));
  EXPECT_THAT(sender->ack(2), ElementsAre("acknowledge 2"));
  EXPECT_THAT(sender->take(input::ChildAlive{1, 1}),
              ElementsAre("dead letter 1 rejected", "ask to end 1", "wake at 5s"));
}

// -- time -----------------------------------------------------------------------------

TEST_F(SenderFinish, kills_a_child_at_the_deadline_and_then_abandons_it) {
  begin();
  EXPECT_THAT(sender->wake_after(30s - 1ns), ElementsAre("wake at 30s"));
  EXPECT_EQ(phase(), Phase::finishing);
  EXPECT_THAT(sender->wake_after(1ns), ElementsAre("ask to end 1", "tell to end 1", "wake at 35s"));
  EXPECT_EQ(phase(), Phase::stopping);
  EXPECT_THAT(sender->ack(2), ElementsAre("acknowledge 2")) << "it still may say so";
  EXPECT_THAT(sender->wake_after(5s),
              ElementsAre("abandon 1", "dead letter 1 stopped", "dead letter 3 stopped"));
}

TEST_F(SenderFinish, kills_a_child_that_has_finished_at_the_deadline_at_the_latest) {
  begin();
  sender->now = Instant{28s};
  sender->ack(1);
  EXPECT_THAT(sender->ack(2), ElementsAre("acknowledge 2", "ask to end 1"));
  EXPECT_THAT(sender->wake_after(2s), ElementsAre("tell to end 1", "wake at 35s"));
}

TEST_F(SenderFinish, goes_by_the_earliest_deadline) {
  begin();
  EXPECT_THAT(sender->take(within(40s)), IsEmpty());
  EXPECT_THAT(sender->take(within(2s)), ElementsAre("wake at 2s"));
  EXPECT_THAT(sender->wake_after(2s), ElementsAre("ask to end 1", "tell to end 1", "wake at 7s"));
}

TEST_F(SenderFinish, is_not_put_off_by_a_later_deadline) {
  begin();
  EXPECT_THAT(sender->take(within(40s)), IsEmpty());
  EXPECT_THAT(sender->wake_after(30s), ElementsAre("ask to end 1", "tell to end 1", "wake at 35s"));
}

TEST_F(SenderFinish, has_no_limit_without_a_deadline) {
  EngineDriver patient;
  patient.start();
  patient.submit();
  EXPECT_THAT(patient.take(input::Finish{}), IsEmpty());
  EXPECT_THAT(patient.wake_after(10000h), IsEmpty());
  EXPECT_EQ(patient.engine->phase(), Phase::finishing);
}

TEST_F(SenderFinish, is_cut_short_by_a_stop) {
  begin();
  EXPECT_THAT(sender->take(input::Stop{}), ElementsAre("ask to end 1", "wake at 5s"));
  EXPECT_THAT(sender->crash(), ElementsAre("dead letter 1 stopped", "dead letter 2 stopped",
                                           "dead letter 3 stopped"));
}

TEST_F(SenderFinish, that_was_stopped_before_only_has_an_earlier_end) {
  EngineDriver ending;
  ending.start();
  ending.submit();
  ASSERT_THAT(ending.take(input::Stop{}), ElementsAre("ask to end 1", "wake at 5s"));
  EXPECT_THAT(ending.take(within(30s)), IsEmpty());
  EXPECT_EQ(ending.engine->phase(), Phase::stopping);
  EXPECT_THAT(ending.take(within(2s)), ElementsAre("wake at 2s"));
  EXPECT_THAT(ending.wake_after(2s), ElementsAre("tell to end 1", "wake at 7s"));
}

TEST_F(SenderFinish, ends_at_once_when_it_is_killed) {
  begin();
  EXPECT_THAT(sender->take(input::Kill{}),
              ElementsAre("stop child 1", "dead letter 1 stopped", "dead letter 2 stopped",
                          "dead letter 3 stopped"));
}

TEST_F(SenderFinish, abandons_a_child_that_did_not_end_in_time_when_it_is_killed_itself) {
  begin();
  sender->wake_after(30s);
  EXPECT_THAT(sender->take(input::Kill{}),
              ElementsAre("abandon 1", "dead letter 1 stopped", "dead letter 2 stopped",
                          "dead letter 3 stopped"));
}

TEST_F(SenderFinish, says_of_a_message_that_cannot_be_taken_why) {
  begin();
  EXPECT_THAT(sender->take(input::Submit{}), ElementsAre("refuse: draining"));
  EXPECT_THAT(sender->take(input::Submit{.refused = Refusal::unusable}),
              ElementsAre("refuse: unusable"));
}

// -- the store ------------------------------------------------------------------------

TEST_F(SenderFinish, waits_for_the_store_to_take_what_was_accepted) {
  begin({.persist = true});
  EXPECT_THAT(asked, ElementsAre("wake at 30s"));
  EXPECT_THAT(sender->take(input::Persisted{0, 1}), ElementsAre("confirm 1"));
  EXPECT_THAT(sender->take(input::NotPersisted{1, 2, {5, "no room"}}),
              ElementsAre("dead letter 2 not_stored"));
  EXPECT_THAT(sender->take(input::Persisted{2, 3}),
              ElementsAre("confirm 3", "ask to end 1", "wake at 5s"));
  EXPECT_THAT(sender->stop_normally(), ElementsAre("suspend 1", "suspend 3"));
}

// -- drains ---------------------------------------------------------------------------

TEST_F(SenderFinish, answers_drains_when_nothing_is_owed_and_at_the_end) {
  begin();
  EXPECT_THAT(sender->take(input::Drain{1}), IsEmpty());
  EXPECT_EQ(phase(), Phase::finishing);
  EXPECT_THAT(sender->take(input::Drain{2, Instant{1s}}), ElementsAre("wake at 1s"));
  EXPECT_THAT(sender->wake_after(1s), ElementsAre("drained 2, 3 left", "wake at 30s"));
  EXPECT_THAT(sender->crash(), ElementsAre("dead letter 1 stopped", "dead letter 2 stopped",
                                           "dead letter 3 stopped", "drained 1, 0 left"));
}

// -- the guard ------------------------------------------------------------------------

TEST_F(SenderFinish, does_not_wait_for_the_guard) {
  GuardedSender s;
  s.sender.start();
  s.open();
  s.sender.submit();
  ASSERT_TRUE(s.status().is_held_back);
  EXPECT_THAT(s.sender.take(within(30s)), ElementsAre("ask to end 1", "wake at 5s"));
  EXPECT_FALSE(s.status().is_held_back);
  EXPECT_EQ(s.guard->out, 0);
}

TEST_F(SenderFinish, tells_the_guard_how_the_calls_in_flight_went) {
  GuardedSender s;
  s.sender.start();
  s.sender.submit();
  s.sender.take(within(30s));
  s.sender.ack(1);
  EXPECT_EQ(s.guard->successes, 1);
  EXPECT_EQ(s.guard->out, 0);
}

} // namespace
} // namespace backoff_actor::engine_test
