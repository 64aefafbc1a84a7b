#include "backoff_actor/observe/events.hpp"

#include <gtest/gtest.h>

#include <any>
#include <string>
#include <variant>
#include <vector>

namespace backoff_actor::events_test {

using namespace std::chrono_literals;

struct Row {
  Event event;
  const char* text;
};

const Instant at{5s};
const Cause danger{1, "Danger, High Voltage!"};

TEST(EventText, says_what_happened) {
  const std::vector<Row> rows{
    {event::Accepted{at, 7}, "delivery 7 accepted"},
    {event::NotAccepted{at, Refusal::outbox_full}, "message not accepted, outbox_full"},
    {event::NotAccepted{at, Refusal::draining}, "message not accepted, draining"},
    {event::ChildStarted{at, 3}, "child 3 started"},
    {event::StartFailed{at, 3, danger}, "child 3 failed to start: Danger, High Voltage!"},
    {event::ChildDown{at, 3, danger, true}, "child 3 down: Danger, High Voltage!"},
    {event::ChildDown{at, 3, Cause{1, "High\nVolt\xe9"}, true},
     "child 3 down: High\\nVolt\xef\xbf\xbd"},
    {event::ChildDown{at, 3, {}, false}, "child 3 stopped normally"},
    {event::ChildDown{at, 3, {}, true},
     "child 3 down: stopped normally while the sender still needed it"},
    {event::AckTimedOut{at, 7, 3},
     "delivery 7 not acknowledged in time by child 3; the sender ends that child"},
    {event::ChildOverdue{at, 3, true}, "child 3 has not ended in time; the sender abandons it"},
    {event::ChildOverdue{at, 3, false},
     "child 3 has not ended in time; the sender keeps waiting for it"},
    {event::AbandonedChildEnded{at, 3}, "abandoned child 3 ended after all"},
    {event::Refused{at, 7, danger, {}}, "delivery 7 refused: Danger, High Voltage!"},
    {event::Refused{at, 7, danger, 2s},
     "delivery 7 refused, to be retried after 2s: Danger, High Voltage!"},
    {event::Scheduled{at, 7, at + 2h}, "delivery 7 is due in 2h"},
    {event::RetryScheduled{at, 10ms, at + 10ms, BackOff{}.next(0.9)}, "retry 1 in 10ms"},
    {event::RetryScheduled{at, 10ms, at + 2s, BackOff{}.next(0.9).next(0.9)}, "retry 2 in 2s"},
    {event::RetryScheduled{at, 10ms, at + 2s, BackOff{}.next(0.9).next(0.9), 7},
     "delivery 7: retry 2 in 2s"},
    {event::RetryScheduled{at, 0s, at, BackOff{}}, "retry in 0ns"},
    {event::DelayEnded{at}, "delay ended"},
    {event::HandedOver{at, 7, 3, false}, "delivery 7 handed over to child 3"},
    {event::HandedOver{at, 7, 3, true}, "delivery 7 handed over again to child 3"},
    {event::Restored{at, 7, 2}, "delivery 7 restored, 2 failed attempts"},
    {event::Suspended{at, 7, 1}, "delivery 7 suspended, 1 failed attempt"},
    {event::GuardHeldBack{at, HeldBackBy::open_breaker, at + 3s},
     "held back by open_breaker, to ask again in 3s"},
    {event::GuardHeldBack{at, HeldBackBy::isolated_breaker, Instant::never()},
     "held back by isolated_breaker, until it is closed by hand"},
    {event::Acknowledged{at, 7, 3, 1, 40ms},
     "delivery 7 acknowledged after 40ms, 1 failed attempt"},
    {event::Acknowledged{at, 7, 3, 1, 40ms, true},
     "delivery 7 acknowledged after 40ms, 1 failed attempt, by a child that no longer had it"},
    {event::UnknownAcknowledgement{at, 99}, "acknowledgement 99 matches no delivery that is owed"},
    {event::BackOffReset{at, BackOff{}.reset()}, "backoff reset"},
    {event::DeadLettered{at, 7, DeadLetterReason::rejected, 2, danger},
     "delivery 7 dead-lettered, rejected, 2 failed attempts: Danger, High Voltage!"},
    {event::DeadLettered{at, 7, DeadLetterReason::stopped, 0, {}},
     "delivery 7 dead-lettered, stopped, 0 failed attempts"},
    {event::CancelRequested{at, 7, 3}, "delivery 7 is to be cancelled, child 3 was told"},
    {event::Cancelled{at, 7, 1}, "delivery 7 cancelled, 1 failed attempt"},
    {event::Replaced{at, 7, 1}, "delivery 7 has a new payload, 1 failed attempt before"},
    {event::CalendarEntryChanged{at, "report", event::CalendarEntryChanged::What::added,
                                 WallTime{1'774'746'000'000'000'000}},
     "calendar entry report added, due at 2026-03-29T01:00:00Z"},
    {event::CalendarEntryChanged{at, "report", event::CalendarEntryChanged::What::removed, {}},
     "calendar entry report removed"},
    {event::CalendarEntryDue{at, "report", 1, WallTime{1'774'746'000'000'000'000}},
     "calendar entry report: 1 message submitted for 2026-03-29T01:00:00Z"},
    {event::CalendarEntryDue{at, "report", 3, WallTime{1'774'746'000'000'000'000}},
     "calendar entry report: 3 messages submitted, the last for 2026-03-29T01:00:00Z"},
    {event::WorkersOffered{at, "node 3", 1, 5}, "node 3 offers 1 worker, 5 in all"},
    {event::WorkersOffered{at, "node 3", 4, 5}, "node 3 offers 4 workers, 5 in all"},
    {event::OfferEnded{at, "node 3", 4, 1, "withdrawn"},
     "node 3 offers no workers any more, 1 is left: withdrawn"},
    {event::OfferEnded{at, "node 3", 4, 0, "unreachable"},
     "node 3 offers no workers any more, 0 are left: unreachable"},
    {event::FellBack{at, danger}, "the fallback takes over: Danger, High Voltage!"},
    {event::CameBack{at}, "the worker takes over from the fallback"},
    {event::GaveUp{at, danger}, "gave up: Danger, High Voltage!"},
    {event::Paused{at}, "paused"},
    {event::Resumed{at}, "resumed"},
    {event::DrainBegan{at}, "draining"},
    {event::Drained{at, 0}, "drained"},
    {event::Drained{at, 3}, "drain ended, 3 left"},
    {event::StoreFellBehind{at, Cause{1, "the disk is full"}},
     "held back: the store fails: the disk is full"},
    {event::StoreCaughtUp{at}, "the store works again and has stored all that waited"},
    {event::StoreNotice{at, "others may read its files"},
     "store notice: others may read its files"},
    {event::NothingSucceeds{at, at + -Duration{90s}, 10, 7, false},
     "nothing has succeeded for 90s, 10 failures, last of delivery 7: the service may be down"},
    {event::NothingSucceeds{at, at + -Duration{12s}, 2, 0, true},
     "nothing has succeeded with the fallback for 12s, 2 failures: the service is down, no attempt "
     "is charged"},
    {event::SucceedsAgain{at, at + -Duration{1h}, 31, false},
     "the service answers again after 1h, 31 failures"},
    {event::SucceedsAgain{at, at, 1, true},
     "the fallback's service answers again after 0ns, 1 failure"},
    {event::Hint{at, event::Hint::About::no_key, 7, 0},
     "delivery 7 has no key: per_key keeps no order for it"},
    {event::Hint{at, event::Hint::About::short_ack_timeout, 7, 0},
     "delivery 7 was done after its ack_timeout: set a longer one, or let the worker say "
     "Working"},
    {event::Hint{at, event::Hint::About::large_note, 7, 0},
     "the note of delivery 7 has more than 64 KiB: it is not kept"},
    {event::Hint{at, event::Hint::About::endless_retries, 7, 12},
     "10 failures in a row, delivery 7 is first, 12 others wait: max_attempts or time_to_live "
     "would end it"},
    {event::Hint{at, event::Hint::About::endless_retries, 7, 1},
     "10 failures in a row, delivery 7 is first, 1 other waits: max_attempts or time_to_live "
     "would end it"},
    {event::Finishing{at, 3, at + Duration{30s}}, "finishing what is in flight (3) within 30s"},
    {event::Finishing{at, 1, Instant::never()}, "finishing what is in flight (1)"},
    {event::SenderStopped{at}, "sender stopped"},
    {event::DeadLetterHookFailed{at, 7, "no\npaper", "(\"a\")", std::any{1}},
     "on_dead_letter threw for delivery 7: no\\npaper; nobody else gets the message (\"a\")"},
    {event::DeadLetterHookFailed{at, 7, "no paper", "", {}},
     "on_dead_letter threw for delivery 7: no paper"},
    {event::DeadLettersLeft{at, "charges", 1, {1'700'000'000'000'000'000}},
     "1 dead letter is left in charges, of 2023-11-14T22:13:20Z"},
    {event::DeadLettersLeft{at, "charges", 3, {1'700'000'000'000'000'000}},
     "3 dead letters are left in charges, the oldest of 2023-11-14T22:13:20Z"}};
  for (const auto& row : rows) {
    EXPECT_EQ(to_string(row.event), row.text);
    auto event = row.event;
    event.of = {"billing", 17};
    EXPECT_EQ(to_string(event), std::string{"billing#17: "} + row.text);
    EXPECT_EQ(text_of(event), row.text);
  }
}

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
  EXPECT_EQ(std::variant_size_v<Event::variant>, 44U);
}

} // namespace backoff_actor::events_test
