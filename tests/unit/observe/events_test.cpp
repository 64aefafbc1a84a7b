#include "backoff_actor/observe/events.hpp"

#include <gtest/gtest.h>

#include <any>
#include <ostream>
#include <string>
#include <variant>

namespace backoff_actor::events_test {

using namespace std::chrono_literals;

struct Row {
  const char* name;
  Event event;
  const char* text;

  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }
};

class EventText : public ::testing::TestWithParam<Row> {};

TEST_P(EventText, says_what_happened) { EXPECT_EQ(text_of(GetParam().event), GetParam().text); }

TEST_P(EventText, says_in_whom_if_that_has_a_name) {
  auto event = GetParam().event;
  EXPECT_EQ(to_string(event), GetParam().text);
  event.of = {"billing", 17};
  EXPECT_EQ(to_string(event), std::string{"billing#17: "} + GetParam().text);
  EXPECT_EQ(text_of(event), GetParam().text);
}

const Instant at{5s};
const Cause danger{1, "Danger, High Voltage!"};

INSTANTIATE_TEST_SUITE_P(
  table, EventText,
  ::testing::Values(
    Row{"accepted", event::Accepted{at, 7}, "delivery 7 accepted"},
    Row{"full", event::NotAccepted{at, Refusal::outbox_full}, "message not accepted, outbox_full"},
    Row{"drained_away", event::NotAccepted{at, Refusal::draining},
        "message not accepted, draining"},
    Row{"started", event::ChildStarted{at, 3}, "child 3 started"},
    Row{"start_failed", event::StartFailed{at, 3, danger},
        "child 3 failed to start: Danger, High Voltage!"},
    Row{"down", event::ChildDown{at, 3, danger, true}, "child 3 down: Danger, High Voltage!"},
    Row{"down_in_two_lines", event::ChildDown{at, 3, Cause{1, "High\nVolt\xe9"}, true},
        "child 3 down: High\\nVolt\xef\xbf\xbd"},
    Row{"stopped", event::ChildDown{at, 3, {}, false}, "child 3 stopped normally"},
    Row{"stopped_too_early", event::ChildDown{at, 3, {}, true},
        "child 3 down: stopped normally while the sender still needed it"},
    Row{"timed_out", event::AckTimedOut{at, 7, 3},
        "delivery 7 not acknowledged in time by child 3; the sender ends that child"},
    Row{"abandoned", event::ChildOverdue{at, 3, true},
        "child 3 has not ended in time; the sender abandons it"},
    Row{"waited_for", event::ChildOverdue{at, 3, false},
        "child 3 has not ended in time; the sender keeps waiting for it"},
    Row{"ended_after_all", event::AbandonedChildEnded{at, 3}, "abandoned child 3 ended after all"},
    Row{"refused", event::Refused{at, 7, danger, {}}, "delivery 7 refused: Danger, High Voltage!"},
    Row{"refused_until", event::Refused{at, 7, danger, 2s},
        "delivery 7 refused, to be retried after 2s: Danger, High Voltage!"},
    Row{"scheduled", event::Scheduled{at, 7, at + 2h}, "delivery 7 is due in 2h"},
    Row{"retry", event::RetryScheduled{at, 10ms, at + 10ms, BackOff{}.next(0.9)},
        "retry 1 in 10ms"},
    Row{"retry_behind_a_longer_delay",
        event::RetryScheduled{at, 10ms, at + 2s, BackOff{}.next(0.9).next(0.9)}, "retry 2 in 2s"},
    Row{"retry_of_a_delivery",
        event::RetryScheduled{at, 10ms, at + 2s, BackOff{}.next(0.9).next(0.9), 7},
        "delivery 7: retry 2 in 2s"},
    Row{"free_retry", event::RetryScheduled{at, 0s, at, BackOff{}}, "retry in 0ns"},
    Row{"delay_ended", event::DelayEnded{at}, "delay ended"},
    Row{"handed_over", event::HandedOver{at, 7, 3, false}, "delivery 7 handed over to child 3"},
    Row{"handed_over_again", event::HandedOver{at, 7, 3, true},
        "delivery 7 handed over again to child 3"},
    Row{"restored", event::Restored{at, 7, 2}, "delivery 7 restored, 2 failed attempts"},
    Row{"suspended", event::Suspended{at, 7, 1}, "delivery 7 suspended, 1 failed attempt"},
    Row{"held_back", event::GuardHeldBack{at, HeldBackBy::open_breaker, at + 3s},
        "held back by open_breaker, to ask again in 3s"},
    Row{"held_back_by_hand",
        event::GuardHeldBack{at, HeldBackBy::isolated_breaker, Instant::never()},
        "held back by isolated_breaker, until it is closed by hand"},
    Row{"acknowledged", event::Acknowledged{at, 7, 3, 1, 40ms},
        "delivery 7 acknowledged after 40ms, 1 failed attempt"},
    Row{"acknowledged_late", event::Acknowledged{at, 7, 3, 1, 40ms, true},
        "delivery 7 acknowledged after 40ms, 1 failed attempt, by a child that no longer had it"},
    Row{"unknown", event::UnknownAcknowledgement{at, 99},
        "acknowledgement 99 matches no delivery that is owed"},
    Row{"reset", event::BackOffReset{at, BackOff{}.reset()}, "backoff reset"},
    Row{"rejected", event::DeadLettered{at, 7, DeadLetterReason::rejected, 2, danger},
        "delivery 7 dead-lettered, rejected, 2 failed attempts: Danger, High Voltage!"},
    Row{"given_up", event::DeadLettered{at, 7, DeadLetterReason::stopped, 0, {}},
        "delivery 7 dead-lettered, stopped, 0 failed attempts"},
    Row{"fell_back", event::FellBack{at, danger}, "the fallback takes over: Danger, High Voltage!"},
    Row{"came_back", event::CameBack{at}, "the worker takes over from the fallback"},
    Row{"gave_up", event::GaveUp{at, danger}, "gave up: Danger, High Voltage!"},
    Row{"paused", event::Paused{at}, "paused"}, Row{"resumed", event::Resumed{at}, "resumed"},
    Row{"draining", event::DrainBegan{at}, "draining"},
    Row{"drained", event::Drained{at, 0}, "drained"},
    Row{"drain_ended", event::Drained{at, 3}, "drain ended, 3 left"},
    Row{"store_fell_behind", event::StoreFellBehind{at, Cause{1, "the disk is full"}},
        "held back: the store fails: the disk is full"},
    Row{"store_caught_up", event::StoreCaughtUp{at},
        "the store works again and has stored all that waited"},
    Row{"store_notice", event::StoreNotice{at, "others may read its files"},
        "store notice: others may read its files"},
    Row{"nothing_succeeds_of_one", event::NothingSucceeds{at, at + -Duration{90s}, 10, 7, false},
        "nothing has succeeded for 90s, 10 failures: delivery 7 or the service is at fault"},
    Row{"nothing_succeeds", event::NothingSucceeds{at, at + -Duration{12s}, 2, 0, true},
        "nothing has succeeded with the fallback for 12s, 2 failures: the service is down, no "
        "attempt "
        "is charged"},
    Row{"succeeds_again", event::SucceedsAgain{at, at + -Duration{1h}, 31, false},
        "the service answers again after 1h, 31 failures"},
    Row{"succeeds_again_of_fallback", event::SucceedsAgain{at, at, 1, true},
        "the fallback's service answers again after 0ns, 1 failure"},
    Row{"hint_no_key", event::Hint{at, event::Hint::About::no_key, 7, 0},
        "delivery 7 has no key: per_key keeps no order for it"},
    Row{"hint_short_ack_timeout", event::Hint{at, event::Hint::About::short_ack_timeout, 7, 0},
        "delivery 7 was done after its ack_timeout: set a longer one, or let the worker say "
        "Working"},
    Row{"hint_endless_retries", event::Hint{at, event::Hint::About::endless_retries, 7, 12},
        "10 failures in a row, delivery 7 is first, 12 others wait: max_attempts or time_to_live "
        "would end it"},
    Row{"hint_endless_retry_of_two", event::Hint{at, event::Hint::About::endless_retries, 7, 1},
        "10 failures in a row, delivery 7 is first, 1 other waits: max_attempts or time_to_live "
        "would end it"},
    Row{"finishing", event::Finishing{at, 3, at + Duration{30s}},
        "finishing what is in flight (3) within 30s"},
    Row{"finishing_without_a_limit", event::Finishing{at, 1, Instant::never()},
        "finishing what is in flight (1)"},
    Row{"sender_stopped", event::SenderStopped{at}, "sender stopped"},
    Row{"letter_lost", event::DeadLetterHookFailed{at, 7, "no\npaper", "(\"a\")", std::any{1}},
        "on_dead_letter threw for delivery 7: no\\npaper; nobody else gets the message (\"a\")"},
    Row{"letter_kept", event::DeadLetterHookFailed{at, 7, "no paper", "", {}},
        "on_dead_letter threw for delivery 7: no paper"},
    Row{"letter_left", event::DeadLettersLeft{at, "charges", 1, {1'700'000'000'000'000'000}},
        "1 dead letter is left in charges, of 2023-11-14T22:13:20Z"},
    Row{"letters_left", event::DeadLettersLeft{at, "charges", 3, {1'700'000'000'000'000'000}},
        "3 dead letters are left in charges, the oldest of 2023-11-14T22:13:20Z"}),
  [](const auto& row) { return std::string{row.param.name}; });

TEST(event, knows_when_it_happened) {
  EXPECT_EQ(time_of(event::DelayEnded{at}), at);
  EXPECT_EQ(time_of(event::ChildDown{at, 1, danger, true}), at);
}

TEST(event, is_told_by_its_type_and_has_a_name_beside) {
  Event event{event::Paused{at}};
  EXPECT_EQ(event.of, ActorName{});
  event.of = {"billing", 17};
  const auto copy = event;
  EXPECT_EQ(copy.of, (ActorName{"billing", 17}));
  EXPECT_TRUE(std::holds_alternative<event::Paused>(copy));
  EXPECT_EQ(std::get_if<event::Resumed>(&copy), nullptr);
  EXPECT_EQ(std::visit([](const auto& x) { return x.at; }, copy), at);
  EXPECT_EQ(std::variant_size_v<Event::variant>, 36U);
}

} // namespace backoff_actor::events_test
