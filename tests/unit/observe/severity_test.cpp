#include "backoff_actor/core/event/severity.hpp"

#include "backoff_actor/core/event/internal/event_record.hpp"
#include "backoff_actor/guard/guard_events.hpp"
#include "backoff_actor/observe/events.hpp"
#include "backoff_actor/observe/supervisor_events.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::severity_test {

using namespace std::chrono_literals;

constexpr Instant at{5s};
const Cause cause{1, "High Voltage"};

// Each event, with all sides that it can take.
TEST(severity, is_told_for_each_event_of_a_sender) {
  const std::vector<std::pair<Event, Severity>> rows{
    {event::Accepted{at, 7}, Severity::debug},
    {event::NotAccepted{at, Refusal::outbox_full}, Severity::warning},
    {event::ChildStarted{at, 1}, Severity::debug},
    {event::ChildStarted{at, 2}, Severity::info},
    {event::StartFailed{at, 1, cause}, Severity::warning},
    {event::ChildDown{at, 3, cause, true}, Severity::warning},
    {event::ChildDown{at, 3, {}, false}, Severity::debug},
    {event::AckTimedOut{at, 7, 3}, Severity::warning},
    {event::ChildOverdue{at, 3, true}, Severity::error},
    {event::ChildOverdue{at, 3, false}, Severity::warning},
    {event::AbandonedChildEnded{at, 3}, Severity::info},
    {event::Refused{at, 7, cause, {}}, Severity::warning},
    {event::Scheduled{at, 7, at}, Severity::debug},
    {event::RetryScheduled{at, 10ms, at, BackOff{}}, Severity::warning},
    {event::DelayEnded{at}, Severity::debug},
    {event::HandedOver{at, 7, 3, false}, Severity::debug},
    {event::HandedOver{at, 7, 3, true}, Severity::debug},
    {event::GuardHeldBack{at, HeldBackBy::probe, at}, Severity::info},
    {event::Acknowledged{at, 7, 3, 1, 40ms}, Severity::debug},
    {event::UnknownAcknowledgement{at, 99}, Severity::warning},
    {event::BackOffReset{at, BackOff{}}, Severity::info},
    {event::DeadLettered{at, 7, DeadLetterReason::rejected, 2, cause}, Severity::error},
    {event::DeadLettered{at, 7, DeadLetterReason::cancelled, 1, {}}, Severity::info},
    {event::CancelRequested{at, 7, 3}, Severity::info},
    {event::Cancelled{at, 7, 1}, Severity::info},
    {event::Replaced{at, 7, 1}, Severity::info},
    {event::CalendarEntryChanged{at, "a", event::CalendarEntryChanged::What::added, {}},
     Severity::info},
    {event::CalendarEntryDue{at, "a", 1, {}}, Severity::info},
    {event::WorkersOffered{at, "n", 4, 5}, Severity::info},
    {event::OfferEnded{at, "n", 4, 1, "withdrawn"}, Severity::warning},
    {event::FellBack{at, cause}, Severity::error},
    {event::CameBack{at}, Severity::info},
    {event::GaveUp{at, cause}, Severity::error},
    {event::Paused{at}, Severity::info},
    {event::Resumed{at}, Severity::info},
    {event::DrainBegan{at}, Severity::info},
    {event::Drained{at, 0}, Severity::info},
    {event::Drained{at, 1}, Severity::warning},
    {event::SenderStopped{at}, Severity::info},
    {event::Restored{at, 7, 2}, Severity::debug},
    {event::Suspended{at, 7, 2}, Severity::debug},
    {event::StoreFellBehind{at, cause}, Severity::error},
    {event::StoreCaughtUp{at}, Severity::info},
    {event::StoreNotice{at, "its log is kept"}, Severity::warning},
    {event::NothingSucceeds{at, at, 10, 7, false}, Severity::error},
    {event::SucceedsAgain{at, at, 10, false}, Severity::info},
    {event::Hint{at, event::Hint::About::no_key, 7, 0}, Severity::warning},
    {event::Finishing{at, 2, at + 30s}, Severity::info},
    {event::DeadLetterHookFailed{at, 7, "no paper", "", {}}, Severity::error},
    {event::DeadLettersLeft{at, "charges", 3, {}}, Severity::warning},
  };
  std::set<std::size_t> seen;
  for (const auto& [event, severity] : rows) {
    EXPECT_EQ(severity_of(event), severity) << to_string(event);
    seen.insert(event.index());
  }
  EXPECT_EQ(seen.size(), std::variant_size_v<Event::variant>) << "an event has no row";
}

TEST(severity, is_told_for_each_event_of_a_supervisor) {
  namespace news = supervisor_event;
  const std::vector<std::pair<SupervisorEvent, Severity>> rows{
    {news::Started{at}, Severity::info},
    {news::ChildAdded{at, "db"}, Severity::debug},
    {news::ChildRemoved{at, "db"}, Severity::debug},
    {news::ChildStarted{at, "db", 1}, Severity::debug},
    {news::ChildStarted{at, "db", 2}, Severity::info},
    {news::StartFailed{at, "db", 3, cause}, Severity::warning},
    {news::ChildDown{at, "db", 3, Ending::normal, {}}, Severity::debug},
    {news::ChildDown{at, "db", 3, Ending::shutdown, cause}, Severity::info},
    {news::ChildDown{at, "db", 3, Ending::killed, cause}, Severity::warning},
    {news::ChildDown{at, "db", 3, Ending::failed, cause}, Severity::warning},
    {news::ChildToldToEnd{at, "db", 3, false}, Severity::debug},
    {news::ChildToldToEnd{at, "db", 3, true}, Severity::info},
    {news::ChildEnded{at, "db", 3}, Severity::debug},
    {news::ChildAbandoned{at, "db", 3}, Severity::error},
    {news::AbandonedChildEnded{at}, Severity::info},
    {news::RestartScheduled{at, "db", 70ms, 1}, Severity::warning},
    {news::ChildStopped{at, "db"}, Severity::info},
    {news::ChildGivenUp{at, "db", cause}, Severity::error},
    {news::LimitReached{at, "db", cause}, Severity::error},
    {news::ControlRefused{at, "db", cause}, Severity::warning},
    {news::Stopping{at, "told to stop"}, Severity::info},
    {news::Stopped{at}, Severity::info},
    {news::Finishing{at, at + 30s}, Severity::info},
  };
  std::set<std::size_t> seen;
  for (const auto& [event, severity] : rows) {
    EXPECT_EQ(severity_of(event), severity) << to_string(event);
    seen.insert(event.index());
  }
  EXPECT_EQ(seen.size(), std::variant_size_v<SupervisorEvent::variant>) << "an event has no row";
}

TEST(severity, is_told_for_each_event_of_a_guard) {
  const std::vector<std::pair<GuardEvent, Severity>> rows{
    {event::BreakerOpened{at, 5s, false}, Severity::error},
    {event::BreakerOpened{at, 5s, true}, Severity::warning},
    {event::BreakerHalfOpened{at}, Severity::info},
    {event::BreakerClosed{at, false}, Severity::info},
    {event::BreakerIsolated{at}, Severity::warning},
    {event::BudgetExhausted{at}, Severity::warning},
    {event::BudgetRecovered{at}, Severity::info},
    {event::RateReached{at}, Severity::info},
    {event::RateFree{at, at}, Severity::info},
  };
  std::set<std::size_t> seen;
  for (const auto& [event, severity] : rows) {
    EXPECT_EQ(severity_of(event), severity) << to_string(event);
    seen.insert(event.index());
  }
  EXPECT_EQ(seen.size(), std::variant_size_v<GuardEvent>) << "an event has no row";
}

// A log asks for it first, and needs no more of most events.
TEST(severity, is_told_without_a_text_and_fields) {
  using detail::EventRecord;
  const EventRecord record{EventRecord::Part::severity, Event{event::StartFailed{at, 3, cause}}};
  EXPECT_EQ(record.severity(), Severity::warning);
  EXPECT_EQ(record.name(), "start_failed");
  EXPECT_EQ(record.text(), "");
  EXPECT_TRUE(record.fields().empty());
}

TEST(severity, has_an_order_and_a_name) {
  EXPECT_LT(Severity::debug, Severity::info);
  EXPECT_LT(Severity::info, Severity::warning);
  EXPECT_LT(Severity::warning, Severity::error);
  EXPECT_EQ(to_string(Severity::debug), "debug");
  EXPECT_EQ(to_string(Severity::error), "error");
  EXPECT_EQ(to_string(Severity{77}), "unknown");
}

} // namespace backoff_actor::severity_test
