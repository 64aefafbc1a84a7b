#include "engine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// A sender that has nothing to do gives back what it worked with: nothing of that may show.

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(sender_idle, an_idle_sender_tells_all_that_it_has_counted) {
  EngineDriver sender;
  sender.start();
  for (std::uint64_t i = 1; i <= 3; ++i) {
    sender.submit();
    sender.ack(i);
  }

  const auto status = sender.engine->status(sender.now);
  EXPECT_EQ(status.phase, Phase::running);
  EXPECT_EQ(status.incarnation, 1u);
  EXPECT_EQ(status.restarts, 0u);
  EXPECT_EQ(status.resets, 3u);
  EXPECT_EQ(status.owed, 0u);
  EXPECT_EQ(status.counters.accepted, 3u);
  EXPECT_EQ(status.counters.acknowledged, 3u);
  EXPECT_EQ(status.counters.hand_overs, 3u);
  EXPECT_EQ(sender.engine->living_child(), 1u);
}

TEST(sender_idle, an_idle_sender_tells_what_has_gone_wrong_before) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms);
  sender.nack(1);
  sender.wake_after(30ms);
  sender.ack(1);

  const auto status = sender.engine->status(sender.now);
  EXPECT_EQ(status.phase, Phase::running);
  EXPECT_EQ(status.incarnation, 2u);
  EXPECT_EQ(status.restarts, 1u);
  EXPECT_EQ(status.retries, 0u);
  EXPECT_EQ(status.total_retries, 2u);
  EXPECT_EQ(status.last_delay, 0ns);
  EXPECT_EQ(status.counters.crashes, 1u);
  EXPECT_EQ(status.counters.nacks, 1u);
  EXPECT_EQ(status.counters.hand_overs, 3u);
  EXPECT_EQ(status.counters.resends, 2u);
}

TEST(sender_idle, an_acknowledgement_of_before_a_rest_stays_stale_after_it) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.submit();
  sender.ack(1);
  sender.ack(2);
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.take(input::Acknowledged{sender.hand_overs.at(1).back()}), IsEmpty());
  EXPECT_THAT(sender.take(input::Acknowledged{sender.hand_overs.at(2).back()}), IsEmpty());
  EXPECT_EQ(sender.engine->owed(), 2u);
  EXPECT_THAT(sender.ack(4), ElementsAre("acknowledge 4"));
}

TEST(sender_idle, no_hand_over_has_the_name_of_one_before_a_rest) {
  EngineDriver sender;
  sender.start();
  std::set<std::uint64_t> names;
  for (std::uint64_t i = 1; i <= 50; ++i) {
    sender.submit();
    EXPECT_TRUE(names.insert(sender.hand_overs.at(i).back().value).second) << i;
    sender.ack(i);
  }
}

TEST(sender_idle, an_idle_sender_whose_child_crashes_makes_another) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.ack(1);

  EXPECT_THAT(sender.crash(), ElementsAre("start child 2", "wake at 10ms"));
  sender.child_started();
  EXPECT_THAT(sender.wake_after(10ms), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "hand over 2"));
}

TEST(sender_idle, the_window_opens_on_after_a_rest_where_it_stood) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms);
  sender.ack(1); // the window is two now

  sender.submit();
  sender.submit();
  EXPECT_THAT(sender.submit(), ElementsAre("accept 4"));
}

TEST(sender_idle, a_limit_counts_failures_of_before_a_rest) {
  EngineOptions options;
  options.restart_limit = RestartLimit{1, 1s};
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms);
  sender.ack(1);

  EXPECT_THAT(sender.crash(), ElementsAre("give up"));
}

TEST(sender_idle,
     the_next_child_of_an_idle_sender_whose_child_is_done_starts_with_the_next_message) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.ack(1);
  EXPECT_THAT(sender.stop_normally(), IsEmpty());
  EXPECT_EQ(sender.engine->phase(), Phase::starting);
  EXPECT_EQ(sender.engine->living_child(), 0u);

  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 2"));
}

TEST(sender_idle, a_wake_up_that_comes_late_finds_an_idle_sender_asleep) {
  EngineOptions options;
  options.ack_timeout = 1s;
  EngineDriver sender{options};
  sender.start();
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1", "hand over 1", "wake at 1s"));
  sender.ack(1);

  EXPECT_THAT(sender.wake_after(1s), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "hand over 2", "wake at 2s"));
}

TEST(sender_idle, a_wake_up_that_is_out_is_not_asked_for_again_after_a_rest) {
  EngineOptions options;
  options.ack_timeout = 1s;
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  sender.ack(1);

  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "hand over 2"));
}

// -- what is given back -------------------------------------------------------

TEST(sender_idle, begins_with_the_acknowledgement_of_the_last_that_is_owed) {
  EngineDriver sender;
  sender.start();
  EXPECT_TRUE(sender.engine->is_idle());
  sender.submit();
  sender.submit();
  sender.ack(1);
  EXPECT_FALSE(sender.engine->is_idle());

  sender.ack(2);

  EXPECT_TRUE(sender.engine->is_idle());
}

TEST(sender_idle, does_not_come_while_a_failure_is_remembered) {
  EngineDriver sender;
  sender.start();

  sender.crash(); // owing nothing: the child is made again after the delay

  EXPECT_FALSE(sender.engine->is_idle());
}

TEST(sender_idle, comes_later_for_who_is_given_twenty_at_a_time) {
  EngineDriver sender;
  sender.start();
  for (std::uint64_t i = 1; i <= 20; ++i)
    sender.submit();
  for (std::uint64_t i = 1; i <= 20; ++i)
    sender.ack(i);
  EXPECT_FALSE(sender.engine->is_idle()) << "the next twenty would have to make room anew";

  sender.submit();
  sender.ack(21);

  EXPECT_TRUE(sender.engine->is_idle()) << "a single one has no use for the room of twenty";
}

// -- streams ------------------------------------------------------------------

TEST(sender_idle, engines_that_share_their_options_have_draws_of_their_own) {
  EngineOptions options;
  options.backoff = BackOff{{}, 72451};
  const auto shared = std::make_shared<const EngineOptions>(options);
  EXPECT_EQ(SenderEngine(shared, 7).backoff(), (BackOff{{}, 72451, 7}));
  EXPECT_EQ(SenderEngine(shared, 8).backoff(), (BackOff{{}, 72451, 8}));
  EXPECT_EQ(SenderEngine(shared).backoff(), (BackOff{{}, 72451, 0}));
}

} // namespace backoff_actor::engine_test
