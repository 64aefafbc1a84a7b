#include "engine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// A child that is started on first use.

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

EngineOptions on_first_use(EngineOptions options = {}) {
  options.child_start = FirstStart::on_first_use;
  return options;
}

} // namespace

TEST(sender_first_start, makes_the_child_for_the_first_message) {
  EngineDriver sender{on_first_use()};

  EXPECT_THAT(sender.take(input::Start{}), IsEmpty());
  EXPECT_EQ(sender.engine->phase(), Phase::starting);
  EXPECT_EQ(sender.engine->incarnation(), 0u);
  EXPECT_EQ(sender.engine->living_child(), 0u);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1", "start child 1"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1", "hand over 2"));
  EXPECT_EQ(sender.engine->phase(), Phase::running);
  EXPECT_EQ(sender.engine->status(sender.now).restarts, 0u);
}

TEST(sender_first_start, makes_no_child_for_what_is_not_handed_over) {
  EngineDriver sender{on_first_use()};
  sender.take(input::Start{});

  EXPECT_THAT(sender.submit_within(0ns), ElementsAre("accept 1", "dead letter 1 expired"));
  EXPECT_THAT(sender.take(input::Submit{.refused = Refusal::unusable}),
              ElementsAre("refuse: unusable"));
  EXPECT_THAT(sender.take(input::RetryNow{}), IsEmpty());
  EXPECT_THAT(sender.take(input::Reset{}), IsEmpty());
  EXPECT_THAT(sender.take(input::Start{}), IsEmpty());
  EXPECT_THAT(sender.take(input::Drain{1}), ElementsAre("drained 1, 0 left"));
  EXPECT_THAT(sender.take(input::Resume{}), IsEmpty());
  EXPECT_EQ(sender.engine->status(sender.now).phase, Phase::starting);
  EXPECT_EQ(sender.engine->status(sender.now).counters.refused, 1u);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "start child 1"));
}

TEST(sender_first_start, what_follows_a_crash_is_as_ever) {
  EngineDriver sender{on_first_use()};
  sender.take(input::Start{});
  sender.submit();
  sender.child_started();
  sender.ack(1);

  EXPECT_THAT(sender.crash(), ElementsAre("start child 2", "wake at 10ms"));
}

TEST(sender_first_start, a_first_start_that_fails_waits_like_any_other) {
  EngineDriver sender{on_first_use()};
  sender.take(input::Start{});
  sender.submit();

  EXPECT_THAT(sender.take(input::StartFailed{1, {1, "no"}}), ElementsAre("wake at 10ms"));
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("start child 2"));
}

TEST(sender_first_start, what_the_store_holds_is_a_use) {
  EngineDriver sender{on_first_use({.persist = true})};
  sender.take(input::Restore{.delivery = 4});

  EXPECT_THAT(sender.take(input::Start{4}), ElementsAre("start child 1"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 4"));
}

TEST(sender_first_start, a_store_that_holds_nothing_is_none) {
  EngineDriver sender{on_first_use({.persist = true})};

  EXPECT_THAT(sender.take(input::Start{4}), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("accept 5", "persist 5", "start child 1"));
}

TEST(sender_first_start, what_the_store_tells_of_too_late_is_a_use) {
  EngineDriver sender{on_first_use({.persist = true})};
  sender.take(input::Start{});

  EXPECT_THAT(sender.take(input::Restore{.delivery = 4}), ElementsAre("accept 4", "start child 1"));
}

TEST(sender_first_start, a_sender_that_was_never_used_ends_without_a_child) {
  EngineDriver sender{on_first_use()};
  sender.take(input::Start{});

  EXPECT_THAT(sender.take(input::Stop{}), IsEmpty());
  EXPECT_EQ(sender.engine->phase(), Phase::stopped);
}

} // namespace backoff_actor::engine_test
