// The awkward orders of events: a test for each row of docs/explanation/sequences.md, with the
// row's number.

#include "engine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// -- a crash while a tick is armed ---------------------------------------------------

TEST(sequences, s1_a_crash_while_a_tick_is_armed_only_puts_it_off) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash();
  sender.child_started();
  sender.now = Instant{4ms};

  EXPECT_THAT(sender.crash(), IsEmpty()) << "handed nothing, it is not recreated at once";
  EXPECT_EQ(sender.engine->due(), Instant{34ms});
  EXPECT_THAT(sender.wake_after(6ms), ElementsAre("wake at 34ms")) << "the old tick";
  EXPECT_THAT(sender.wake_after(24ms), ElementsAre("start child 3"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
  EXPECT_EQ(sender.hand_overs[1].size(), 2u);
}

// -- an ack after the tick --------------------------------------------------------------

TEST(sequences, s2_an_ack_that_comes_before_the_tick_is_looked_at_saves_the_resend) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  const auto first = sender.hand_overs[1].back();
  sender.crash();
  sender.child_started();
  sender.now = Instant{10ms}; // the tick is due, and nobody has looked yet

  EXPECT_THAT(sender.ack(first), ElementsAre("acknowledge 1"));
  EXPECT_THAT(sender.wake_after(0ms), IsEmpty());
  EXPECT_TRUE(sender.engine->backoff().is_started());
}

TEST(sequences,
     s3_an_ack_of_the_dead_after_the_resend_ends_the_delivery_and_the_second_is_unknown) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  const auto first = sender.hand_overs[1].back();
  sender.crash_and_resend(10ms);
  const auto second = sender.hand_overs[1].back();

  EXPECT_THAT(sender.ack(first), ElementsAre("acknowledge 1"));
  EXPECT_TRUE(sender.engine->backoff().is_started()) << "it says nothing of the present child";
  EXPECT_THAT(sender.ack(second), IsEmpty());
}

// -- a refusal while others are in flight --------------------------------------------------

TEST(sequences, s4_a_refusal_while_others_are_in_flight_leaves_them_there) {
  EngineDriver sender{{.max_in_flight = 3}};
  sender.start();
  for (int i = 0; i < 4; ++i)
    sender.submit();
  sender.nack(2);

  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_TRUE(sender.engine->backoff().is_started()) << "it was handed over before the refusal";
  EXPECT_THAT(sender.ack(3), ElementsAre("acknowledge 3"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 2"));
  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "hand over 4"));
  EXPECT_EQ(sender.hand_overs[1].size(), 1u);
  EXPECT_EQ(sender.hand_overs[3].size(), 1u);
}

// -- a pause during a backoff ---------------------------------------------------------------

TEST(sequences, s5_a_pause_during_a_backoff_lets_the_delay_run_out_and_holds_the_resend) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash();
  sender.child_started();
  sender.take(input::Pause{});

  EXPECT_THAT(sender.wake_after(10ms), IsEmpty());
  EXPECT_EQ(sender.engine->phase(), Phase::running);
  EXPECT_THAT(sender.take(input::Resume{}), ElementsAre("hand over 1"));
}

TEST(sequences, s6_a_resume_during_a_backoff_waits_for_the_tick) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash();
  sender.child_started();
  sender.take(input::Pause{});

  EXPECT_THAT(sender.take(input::Resume{}), IsEmpty());
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("hand over 1"));
}

// -- the drop of a delivery that the child holds ----------------------------------------------

TEST(sequences, s7_a_full_outbox_drops_nothing_that_the_child_holds) {
  EngineDriver sender{{.overflow = Overflow::drop_oldest, .max_in_flight = 1, .capacity = 2}};
  sender.start();
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.submit(), ElementsAre("dead letter 2 dropped", "accept 3"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 3"));
}

TEST(sequences, s8_a_deadline_ends_a_delivery_that_the_child_holds_and_its_late_ack_is_unknown) {
  EngineDriver sender{{.max_in_flight = 1}};
  sender.start();
  sender.take(input::Submit{.deadline = Instant{50ms}});
  sender.submit();

  EXPECT_THAT(sender.wake_after(50ms), ElementsAre("dead letter 1 expired"));
  EXPECT_THAT(sender.ack(1), ElementsAre("hand over 2")) << "the child is free again";
}

// -- a drain with a poison message --------------------------------------------------------------

TEST(sequences, s9_a_drain_with_a_poison_message_ends_when_its_attempts_do) {
  EngineDriver sender{{.max_attempts = 2, .charging = Charging::every_failure()}};
  sender.start();
  sender.submit();
  sender.submit();
  sender.take(input::Drain{1});
  sender.crash_and_resend(10ms);
  sender.crash(); // 1 is a dead letter now
  sender.child_started();
  sender.wake_after(30ms);

  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2", "drained 1, 0 left"));
}

TEST(sequences, s10_without_a_limit_it_says_at_its_deadline_what_is_left) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.take(input::Drain{1, Instant{25ms}});
  sender.crash_and_resend(10ms);
  sender.crash();
  sender.child_started();

  EXPECT_THAT(sender.wake_after(15ms), ElementsAre("drained 1, 2 left", "wake at 40ms"));
  EXPECT_THAT(sender.wake_after(15ms), ElementsAre("hand over 1")) << "it goes on";
}

// -- an answer from an abandoned child ------------------------------------------------------------

TEST(sequences, s11_an_ack_of_an_abandoned_child_counts_and_its_refusal_does_not) {
  EngineDriver sender{{.ack_timeout = 100ms, .kill_grace = 50ms}};
  sender.start();
  sender.submit();
  sender.submit();
  const auto first = sender.hand_overs[1].back();
  const auto second = sender.hand_overs[2].back();
  sender.wake_after(100ms);
  ASSERT_THAT(sender.wake_after(50ms), ElementsAre("abandon 1", "start child 2"));
  sender.child_started();

  EXPECT_THAT(sender.take(input::Nacked{first, {7, "busy"}, {}}), IsEmpty());
  EXPECT_THAT(sender.take(input::ErrorAnswer{first, {7, "e"}, false, false}), IsEmpty());
  EXPECT_THAT(sender.take(input::Rejected{second, {7, "e"}}), IsEmpty());
  EXPECT_THAT(sender.take(input::Working{second}), IsEmpty());
  EXPECT_THAT(sender.ack(second), ElementsAre("acknowledge 2"));
  EXPECT_TRUE(sender.engine->backoff().is_started()) << "old news resets nothing";
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
}

// -- killed in every phase ---------------------------------------------------------

struct Killing {
  const char* phase;
  void (*reach)(EngineDriver&);
  Lines asked;
};

void PrintTo(const Killing& killing, std::ostream* out) { *out << killing.phase; }

class KilledIn : public ::testing::TestWithParam<Killing> {};

TEST_P(KilledIn, s12_ends_the_child_and_gives_up_what_is_owed) {
  EngineDriver sender{{.restart = RestartTiming::at_tick, .ack_timeout = 100ms}};
  GetParam().reach(sender);

  EXPECT_EQ(sender.take(input::Kill{}), GetParam().asked);
  EXPECT_EQ(sender.engine->phase(), Phase::stopped);
  EXPECT_EQ(sender.engine->owed(), 0u);
  EXPECT_THAT(sender.wake_after(1h), IsEmpty());
  EXPECT_THAT(sender.take(input::Stop{}), IsEmpty());
  EXPECT_THAT(sender.take(input::Kill{}), IsEmpty());
}

TEST_P(KilledIn, s12_or_stopped_ends_without_a_child_that_clings_to_life) {
  EngineDriver sender{{.restart = RestartTiming::at_tick, .ack_timeout = 100ms, .kill_grace = 5s}};
  GetParam().reach(sender);

  sender.take(input::Stop{});
  sender.wake_after(5s);
  sender.wake_after(5s);

  EXPECT_EQ(sender.engine->phase(), Phase::stopped);
  EXPECT_EQ(sender.engine->owed(), 0u);
  EXPECT_THAT(sender.wake_after(1h), IsEmpty());
}

TEST_P(KilledIn, s13_or_stopped_with_a_grace_ends_when_that_and_the_kill_grace_are_over) {
  EngineDriver sender{{.restart = RestartTiming::at_tick, .ack_timeout = 100ms, .kill_grace = 5s}};
  GetParam().reach(sender);

  sender.take(input::Finish{sender.now + 30s});
  sender.wake_after(30s);
  sender.wake_after(5s);

  EXPECT_EQ(sender.engine->phase(), Phase::stopped);
  EXPECT_EQ(sender.engine->owed(), 0u);
  EXPECT_THAT(sender.wake_after(1h), IsEmpty());
  EXPECT_THAT(sender.take(input::Finish{}), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(sequences, KilledIn,
                         ::testing::Values(Killing{"unborn", [](EngineDriver&) {}, {}},
                                           Killing{"starting",
                                                   [](EngineDriver& sender) {
                                                     sender.take(input::Start{});
                                                     sender.submit();
                                                   },
                                                   {"stop child 1", "dead letter 1 stopped"}},
                                           Killing{"running",
                                                   [](EngineDriver& sender) {
                                                     sender.start();
                                                     sender.submit();
                                                   },
                                                   {"stop child 1", "dead letter 1 stopped"}},
                                           Killing{"waiting",
                                                   [](EngineDriver& sender) {
                                                     sender.start();
                                                     sender.submit();
                                                     sender.crash();
                                                   },
                                                   {"dead letter 1 stopped"}},
                                           Killing{"leaving",
                                                   [](EngineDriver& sender) {
                                                     sender.start();
                                                     sender.submit();
                                                     sender.wake_after(100ms);
                                                   },
                                                   {"stop child 1", "dead letter 1 stopped"}},
                                           Killing{"paused",
                                                   [](EngineDriver& sender) {
                                                     sender.start();
                                                     sender.take(input::Pause{});
                                                     sender.submit();
                                                   },
                                                   {"stop child 1", "dead letter 1 stopped"}},
                                           Killing{"draining",
                                                   [](EngineDriver& sender) {
                                                     sender.start();
                                                     sender.submit();
                                                     sender.take(input::Drain{3});
                                                   },
                                                   {"stop child 1", "dead letter 1 stopped",
                                                    "drained 3, 0 left"}},
                                           Killing{"finishing",
                                                   [](EngineDriver& sender) {
                                                     sender.start();
                                                     sender.submit();
                                                     sender.take(input::Finish{});
                                                   },
                                                   {"stop child 1", "dead letter 1 stopped"}}),
                         [](const auto& test) { return std::string{test.param.phase}; });

} // namespace backoff_actor::engine_test
