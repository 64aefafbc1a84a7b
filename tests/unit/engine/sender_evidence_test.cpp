// What a sender tells when nothing succeeds, and what it learns from others that share the guard.

#include "guarded_sender.hpp"

#include "backoff_actor/guard/internal/guard.hpp"
#include "backoff_actor/testing/record/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

class SenderEvidence : public ::testing::Test {
public:
  EngineOptions with_limit(std::uint32_t attempts = 3) {
    EngineOptions options;
    options.max_attempts = attempts;
    options.max_in_flight = 1;
    options.on_event = log.hook();
    return options;
  }

  // What is told, without what any failure leads to.
  std::vector<std::string> told() const {
    std::vector<std::string> result;
    for (const auto& event : log.events())
      if (std::holds_alternative<event::NothingSucceeds>(event)
          || std::holds_alternative<event::SucceedsAgain>(event)
          || std::holds_alternative<event::Hint>(event))
        result.push_back(text_of(event));
    return result;
  }

  testing::EventLog log{};
};

TEST_F(SenderEvidence, tells_once_that_the_service_is_down_and_when_it_answers_again) {
  auto options = with_limit();
  options.ordering = Ordering::unordered;
  options.max_in_flight = 2;
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  sender.submit();
  sender.nack(1);
  EXPECT_THAT(told(), IsEmpty());
  sender.wake_after(20ms);
  sender.nack(2);
  sender.wake_after(100ms);

  EXPECT_THAT(told(), ElementsAre("nothing has succeeded for 20ms, 2 failures: the service is "
                                  "down, no attempt is charged"));
  const auto status = sender.engine->status(sender.now);
  EXPECT_TRUE(status.is_service_down);
  EXPECT_EQ(status.nothing_succeeded_for, 120ms);
  EXPECT_EQ(status.unanswered_failures, 2u);

  sender.nack(1);
  sender.wake_after(500ms);
  sender.ack(1);

  EXPECT_EQ(told().size(), 2u);
  EXPECT_EQ(told().back(), "the service answers again after 620ms, 3 failures");
  EXPECT_FALSE(sender.engine->status(sender.now).is_service_down);
  EXPECT_EQ(sender.engine->status(sender.now).nothing_succeeded_for, 0ms);
}

TEST_F(SenderEvidence, tells_of_one_message_that_fails_ten_times_in_strict_order) {
  EngineDriver sender{with_limit()};
  sender.start();
  sender.submit();
  sender.submit();
  for (int i = 0; i < 12; ++i) {
    sender.nack(1);
    sender.wake_after(2s);
  }

  EXPECT_THAT(told(), ElementsAre("nothing has succeeded for 18s, 10 failures, last of delivery 1: "
                                  "the service may be down"));
}

// Four deliveries may fail together if each was charged before: they are charged again.
TEST_F(SenderEvidence, tells_of_ten_failures_of_several_messages_but_not_that_none_is_charged) {
  auto options = with_limit(20);
  options.ordering = Ordering::unordered;
  options.backoff_by = BackoffBy::message;
  options.max_in_flight = 4;
  EngineDriver sender{options};
  sender.start();
  for (int i = 0; i < 4; ++i)
    sender.submit();
  sender.nack(1);
  sender.ack(3);
  sender.nack(2);
  sender.ack(4);
  for (int i = 0; i < 5; ++i) {
    sender.wake_after(10s);
    sender.nack(1);
    sender.nack(2);
  }

  EXPECT_THAT(told(), ElementsAre("nothing has succeeded for 40s, 10 failures, last of delivery 2: "
                                  "the service may be down"));
  EXPECT_FALSE(sender.engine->status(sender.now).is_service_down);
  EXPECT_EQ(sender.engine->status(sender.now).unanswered_failures, 10u);
}

// One permit of somebody else.
void succeed_once(Guard& guard, Instant now) {
  guard.succeeded(std::get<Permit>(guard.admit(now, Call::first)), now);
}

TEST_F(SenderEvidence, is_what_the_service_does_for_others_that_share_the_guard) {
  auto options = with_limit();
  const auto guard = std::make_shared<Guard>(GuardOptions{});
  options.guard = guard;
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  sender.nack(1);
  sender.wake_after(1s);
  EXPECT_EQ(sender.hand_overs.at(1).size(), 2u);
  succeed_once(*guard, sender.now);

  sender.nack(1);
  sender.wake_after(1s);
  const auto last = sender.nack(1);

  EXPECT_EQ(last.front(), "dead letter 1 attempts_exhausted")
    << "charged when the others were heeded, and at once from then on";
}

TEST_F(SenderEvidence, is_not_what_the_service_did_for_the_sender_itself_or_before) {
  auto options = with_limit(1);
  const auto guard = std::make_shared<Guard>(GuardOptions{});
  options.guard = guard;
  EngineDriver sender{options};
  succeed_once(*guard, sender.now);
  sender.start();
  for (int i = 0; i < 3; ++i)
    sender.submit();
  sender.ack(1);
  sender.ack(2);
  for (int i = 0; i < 5; ++i) {
    sender.nack(3);
    sender.wake_after(2s);
  }

  EXPECT_EQ(sender.engine->owed(), 1u);
  EXPECT_EQ(guard->answers(), 3u);
}

// The child is asked about both errors at once. The first is a failure that is open, and the second
// is an answer, which charges it.
TEST_F(SenderEvidence, that_ends_a_message_in_the_step_in_which_it_failed_leaves_it_no_delay) {
  auto options = with_limit(1);
  options.ordering = Ordering::unordered;
  options.max_in_flight = 3;
  EngineDriver sender{options};
  sender.start();
  for (int i = 0; i < 3; ++i)
    sender.submit();
  sender.error(3, 8, false, Verdict::reject);
  sender.error(1, 7, false, Verdict::retry);
  sender.error(2, 8, false, Verdict::reject);
  sender.take(input::ChildAlive{1, 1});

  const auto lines = sender.take(input::ChildAlive{1, 2});

  EXPECT_THAT(lines, IsSupersetOf({"dead letter 1 attempts_exhausted", "dead letter 2 rejected"}));
  const auto delays = log.all<event::RetryScheduled>();
  ASSERT_EQ(delays.size(), 1u);
  EXPECT_EQ(delays[0].delivery, 0u) << "the child's";
  EXPECT_EQ(sender.engine->owed(), 0u);
}

TEST_F(SenderEvidence, against_a_message_says_nothing_against_the_service) {
  auto options = with_limit(50);
  const auto guard = std::make_shared<Guard>(GuardOptions{after_two(), {}});
  options.guard = guard;
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  for (int i = 0; i < 5; ++i) {
    sender.take(input::Nacked{sender.hand_overs.at(1).back(), {7, "busy"}, {}, Blame::message});
    sender.wake_after(1h);
  }

  EXPECT_EQ(sender.hand_overs.at(1).size(), 6u);
  EXPECT_TRUE(guard->is_closed());
}

TEST_F(SenderEvidence, is_sought_with_a_message_that_has_not_failed_yet) {
  auto options = with_limit(50);
  options.ordering = Ordering::unordered;
  options.guard = std::make_shared<Guard>(GuardOptions{after_two(), {}});
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  for (int i = 0; i < 2; ++i) {
    sender.nack(1);
    sender.wake_after(5s);
  }
  sender.submit();

  sender.wake_after(1h);

  EXPECT_EQ(sender.hand_overs.at(1).size(), 2u);
  EXPECT_TRUE(sender.in_flight(2));
}

TEST_F(SenderEvidence, of_a_letter_says_how_long_its_failures_were_not_charged) {
  auto options = with_limit();
  options.charging.give_up_after = 3s;
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  for (int i = 0; i < 4; ++i) {
    sender.nack(1);
    sender.wake_after(1s);
  }
  EXPECT_EQ(log.all<event::DeadLettered>().at(0).cause.text,
            "busy; not charged for 3s, as the service may have been down");
}

TEST_F(SenderEvidence, is_not_kept_without_a_limit_but_ten_failures_give_a_hint) {
  EngineOptions options;
  options.max_in_flight = 1;
  options.on_event = log.hook();
  EngineDriver sender{options};
  sender.start();
  for (int i = 0; i < 3; ++i)
    sender.submit();
  for (int i = 0; i < 9; ++i) {
    sender.nack(1);
    sender.wake_after(2s);
  }
  EXPECT_THAT(told(), IsEmpty());
  for (int i = 0; i < 15; ++i) {
    sender.nack(1);
    sender.wake_after(2s);
  }

  EXPECT_THAT(told(), ElementsAre("10 failures in a row, delivery 1 is first, 2 others wait: "
                                  "max_attempts or time_to_live would end it"));
  EXPECT_FALSE(sender.engine->status(sender.now).is_service_down);
}

TEST_F(SenderEvidence, gives_no_hint_of_endless_retries_if_they_end_or_nobody_waits) {
  for (const auto has_deadline : {false, true}) {
    EngineOptions options;
    options.max_in_flight = 1;
    options.on_event = log.hook();
    EngineDriver sender{options};
    sender.start();
    if (has_deadline) {
      sender.submit_within(1h);
      sender.submit();
    } else {
      sender.submit();
    }
    for (int i = 0; i < 15; ++i) {
      sender.nack(1);
      sender.wake_after(2s);
    }
    EXPECT_THAT(told(), IsEmpty()) << has_deadline;
  }
}

TEST_F(SenderEvidence, gives_a_hint_about_a_message_without_a_key_once_also_after_a_rest) {
  auto options = with_limit();
  options.ordering = Ordering::per_key;
  EngineDriver sender{options};
  sender.start();
  sender.take(input::Submit{.key = 5});
  sender.ack(1);
  EXPECT_THAT(told(), IsEmpty());
  for (std::uint64_t id = 2; id < 5; ++id) {
    sender.submit();
    sender.ack(id);
    EXPECT_TRUE(sender.engine->is_idle());
  }

  EXPECT_THAT(told(), ElementsAre("delivery 2 has no key: per_key keeps no order for it"));
}

TEST_F(SenderEvidence, gives_a_hint_about_a_timeout_that_is_shorter_than_the_work) {
  EngineOptions options;
  options.on_event = log.hook();
  options.ack_timeout = 100ms;
  EngineDriver sender{options};
  sender.start();
  sender.submit();
  sender.wake_after(100ms);
  sender.ack(1);

  EXPECT_THAT(told(), ElementsAre("delivery 1 was done after its ack_timeout: set a longer one, "
                                  "or let the worker say Working"));
}

TEST(sender_crashes, heed_the_wait_that_was_asked_for) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  const Decision decision{Verdict::retry, Duration{7s}, Blame::service};
  sender.take(input::ChildDown{1, {7, "crash"}, decision});
  sender.child_started();

  EXPECT_EQ(sender.engine->due(), Instant{7s});
  EXPECT_THAT(sender.wake_after(7s), ElementsAre("hand over 1"));
}

TEST(sender_crashes, wait_no_longer_than_the_ceiling) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  const Decision decision{Verdict::retry, Duration{24h}};
  sender.take(input::ChildDown{1, {7, "crash"}, decision});

  EXPECT_EQ(sender.engine->due(), Instant{5min});
}

} // namespace backoff_actor::engine_test
