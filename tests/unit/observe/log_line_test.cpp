#include "backoff_actor/observe/log_line.hpp"

#include <gtest/gtest.h>

#include <variant>
#include <vector>

namespace backoff_actor::log_line_test {

using namespace std::chrono_literals;

constexpr std::chrono::sys_time<Duration> at(std::chrono::sys_days day, Duration time) {
  return day + time;
}

constexpr auto some_time =
  at(std::chrono::sys_days{2026y / 11 / 23}, 7h + 21min + 10s + 123456789ns);

TEST(log_line, has_the_time_the_severity_the_name_and_the_text) {
  Event event{event::ChildDown{{}, 3, {7, "reset by\npeer"}, true}};
  event.of = {"billing", 17};
  EXPECT_EQ(line_of(event, some_time),
            "2026-11-23T07:21:10.123456Z warning billing#17: child 3 down: reset by\\npeer");
}

TEST(log_line, has_no_name_if_there_is_none) {
  EXPECT_EQ(line_of(Event{event::Paused{{}}}, some_time),
            "2026-11-23T07:21:10.123456Z info paused");
}

TEST(log_line, is_made_of_events_of_supervisors_and_guards_too) {
  SupervisorEvent event{supervisor_event::ChildStarted{{}, "db", 2}};
  event.of = {"root", 5};
  EXPECT_EQ(line_of(event, some_time),
            "2026-11-23T07:21:10.123456Z info root#5: child db 2 started");
  EXPECT_EQ(line_of(GuardEvent{event::BreakerOpened{{}, 5s, false}}, some_time),
            "2026-11-23T07:21:10.123456Z error circuit breaker open for 5s");
}

TEST(log_line, has_its_time_in_the_calendar_of_utc) {
  const Event event{event::Resumed{{}}};
  using std::chrono::sys_days;
  EXPECT_EQ(line_of(event, at(sys_days{1970y / 1 / 1}, 0ns)),
            "1970-01-01T00:00:00.000000Z info resumed");
  EXPECT_EQ(line_of(event, at(sys_days{1970y / 1 / 1}, -1ns)),
            "1969-12-31T23:59:59.999999Z info resumed");
  EXPECT_EQ(line_of(event, at(sys_days{2024y / 2 / 29}, 24h - 1us)),
            "2024-02-29T23:59:59.999999Z info resumed");
  EXPECT_EQ(line_of(event, at(sys_days{2000y / 3 / 1}, 0ns)),
            "2000-03-01T00:00:00.000000Z info resumed");
}

// -- for machines -----------------------------------------------------------------------

TEST(log_line, of_parts_is_logfmt_or_json) {
  Event event{event::ChildDown{{}, 3, {7, "reset by\npeer, \"quick\""}, true}};
  event.of = {"billing", 17};
  EXPECT_EQ(line_of(event, some_time, LogFormat::logfmt),
            "ts=2026-11-23T07:21:10.123456Z level=warning event=child_down sender=billing "
            "instance=17 child=3 is_failure=true cause=\"reset by\\npeer, \\\"quick\\\"\"");
  EXPECT_EQ(
    line_of(event, some_time, LogFormat::json),
    "{\"ts\":\"2026-11-23T07:21:10.123456Z\",\"level\":\"warning\",\"event\":\"child_down\","
    "\"sender\":\"billing\",\"instance\":17,\"child\":3,\"is_failure\":true,"
    "\"cause\":\"reset by\\npeer, \\\"quick\\\"\"}");
}

TEST(log_line, of_parts_has_no_sender_if_there_is_no_name) {
  EXPECT_EQ(line_of(Event{event::Paused{{}}}, some_time, LogFormat::json),
            R"({"ts":"2026-11-23T07:21:10.123456Z","level":"info","event":"paused"})");
  Event without_number{event::Paused{{}}};
  without_number.of = {"billing", 0};
  EXPECT_EQ(line_of(without_number, some_time, LogFormat::logfmt),
            "ts=2026-11-23T07:21:10.123456Z level=info event=paused sender=billing");
  Event without_kind{event::Paused{{}}};
  without_kind.of = {"", 17};
  EXPECT_EQ(line_of(without_kind, some_time, LogFormat::logfmt),
            "ts=2026-11-23T07:21:10.123456Z level=info event=paused");
}

TEST(log_line, of_a_pool_says_which_worker_it_is_about) {
  Event event{event::ChildStarted{{}, 3}};
  event.worker = 2;
  EXPECT_EQ(line_of(event, some_time),
            "2026-11-23T07:21:10.123456Z info worker 2: child 3 started");
  EXPECT_EQ(line_of(event, some_time, LogFormat::logfmt),
            "ts=2026-11-23T07:21:10.123456Z level=info event=child_started child=3 worker=2");
}

TEST(log_line, of_logfmt_has_quotes_where_a_reader_needs_them) {
  const auto cause = [](const char* text) {
    const auto line = line_of(Event{event::GaveUp{{}, {7, text}}}, some_time, LogFormat::logfmt);
    return line.substr(line.find("cause=") + 6);
  };
  EXPECT_EQ(cause("refused"), "refused");
  EXPECT_EQ(cause("a b"), "\"a b\"");
  EXPECT_EQ(cause("a=b"), "\"a=b\"");
  EXPECT_EQ(cause("a\"b"), "\"a\\\"b\"");
  EXPECT_EQ(cause("a\\b"), "\"a\\\\b\"");
  EXPECT_EQ(cause(""), "\"\"");
  EXPECT_EQ(cause("a\xFF"
                  "b"),
            "\"a\xEF\xBF\xBD"
            "b\"")
    << "no UTF-8";
}

TEST(log_line, says_how_many_are_missing) {
  EXPECT_EQ(detail::line_of_left_out(12, some_time, LogFormat::text),
            "2026-11-23T07:21:10.123456Z warning log: lines left out: 12");
  EXPECT_EQ(detail::line_of_left_out(12, some_time, LogFormat::logfmt),
            "ts=2026-11-23T07:21:10.123456Z level=warning event=lines_left_out count=12");
}

TEST(log_line, formats_have_names) {
  EXPECT_EQ(to_string(LogFormat::text), "text");
  EXPECT_EQ(to_string(LogFormat::logfmt), "logfmt");
  EXPECT_EQ(to_string(LogFormat::json), "json");
}

struct Parts {
  const char* expected; // the line from `event=` on; all of it but that is the same in every row
  std::variant<Event, SupervisorEvent, GuardEvent> event;
};

const Cause reset{7, "reset"};
constexpr Instant now{10s};

TEST(LogLineOfParts, names_the_event_and_all_that_it_has) {
  const std::vector<Parts> rows{
    {"accepted delivery=4", Event{event::Accepted{now, 4}}},
    {"not_accepted reason=outbox_full", Event{event::NotAccepted{now, Refusal::outbox_full}}},
    {"child_started child=3", Event{event::ChildStarted{now, 3}}},
    {"start_failed child=3 cause=reset", Event{event::StartFailed{now, 3, reset}}},
    {"child_down child=3 is_failure=false", Event{event::ChildDown{now, 3, {}, false}}},
    {"ack_timed_out delivery=4 child=3", Event{event::AckTimedOut{now, 4, 3}}},
    {"child_overdue child=3 is_abandoned=true", Event{event::ChildOverdue{now, 3, true}}},
    {"abandoned_child_ended child=3", Event{event::AbandonedChildEnded{now, 3}}},
    {"refused delivery=4 retry_after_s=1.5 cause=reset",
     Event{event::Refused{now, 4, reset, 1500ms}}},
    {"refused delivery=4 cause=reset", Event{event::Refused{now, 4, reset, {}}}},
    {"retry_scheduled retry=0 retry_in_s=0.07",
     Event{event::RetryScheduled{now, 50ms, now + 70ms, BackOff{}}}},
    {"retry_scheduled delivery=4 retry=0 retry_in_s=0.07",
     Event{event::RetryScheduled{now, 50ms, now + 70ms, BackOff{}, 4}}},
    {"delay_ended", Event{event::DelayEnded{now}}},
    {"handed_over delivery=4 child=3 again=true", Event{event::HandedOver{now, 4, 3, true}}},
    {"guard_held_back reason=open_breaker retry_in_s=3",
     Event{event::GuardHeldBack{now, HeldBackBy::open_breaker, now + 3s}}},
    {"guard_held_back reason=isolated_breaker",
     Event{event::GuardHeldBack{now, HeldBackBy::isolated_breaker, Instant::never()}}},
    {"acknowledged delivery=4 child=3 attempts=2 latency_s=0.000000123 is_late=false",
     Event{event::Acknowledged{now, 4, 3, 2, 123ns}}},
    {"unknown_acknowledgement hand_over=99", Event{event::UnknownAcknowledgement{now, 99}}},
    {"back_off_reset", Event{event::BackOffReset{now, BackOff{}}}},
    {"dead_lettered delivery=4 reason=expired attempts=2 cause=reset",
     Event{event::DeadLettered{now, 4, DeadLetterReason::expired, 2, reset}}},
    {"cancel_requested delivery=4 child=3", Event{event::CancelRequested{now, 4, 3}}},
    {"cancelled delivery=4 attempts=2", Event{event::Cancelled{now, 4, 2}}},
    {"replaced delivery=4 attempts=2", Event{event::Replaced{now, 4, 2}}},
    {"calendar_entry_changed entry=report what=changed next=2026-03-29T01:00:00Z",
     Event{event::CalendarEntryChanged{now, "report", event::CalendarEntryChanged::What::changed,
                                       WallTime{1'774'746'000'000'000'000}}}},
    {"calendar_entry_due entry=report runs=3 last=2026-03-29T01:00:00Z",
     Event{event::CalendarEntryDue{now, "report", 3, WallTime{1'774'746'000'000'000'000}}}},
    {"workers_offered process=n workers=4 all=5", Event{event::WorkersOffered{now, "n", 4, 5}}},
    {"offer_ended process=n workers=4 all=1 reason=withdrawn",
     Event{event::OfferEnded{now, "n", 4, 1, "withdrawn"}}},
    {"fell_back cause=reset", Event{event::FellBack{now, reset}}},
    {"came_back", Event{event::CameBack{now}}},
    {"gave_up cause=reset", Event{event::GaveUp{now, reset}}},
    {"resumed", Event{event::Resumed{now}}},
    {"drain_began", Event{event::DrainBegan{now}}},
    {"drained left=2", Event{event::Drained{now, 2}}},
    {"sender_stopped", Event{event::SenderStopped{now}}},
    {"restored delivery=4 attempts=2", Event{event::Restored{now, 4, 2}}},
    {"suspended delivery=4 attempts=2", Event{event::Suspended{now, 4, 2}}},
    {"store_fell_behind cause=reset", Event{event::StoreFellBehind{now, reset}}},
    {"store_caught_up", Event{event::StoreCaughtUp{now}}},
    {"store_notice text=\"others may read it\"",
     Event{event::StoreNotice{now, "others may read it"}}},
    {"nothing_succeeds for_s=90 failures=10 delivery=4 is_fallback=false",
     Event{event::NothingSucceeds{now, now + -Duration{90s}, 10, 4, false}}},
    {"nothing_succeeds for_s=12 failures=2 is_fallback=true",
     Event{event::NothingSucceeds{now, now + -Duration{12s}, 2, 0, true}}},
    {"succeeds_again after_s=3600 failures=31 is_fallback=false",
     Event{event::SucceedsAgain{now, now + -Duration{1h}, 31, false}}},
    {"hint about=no_key delivery=4", Event{event::Hint{now, event::Hint::About::no_key, 4, 0}}},
    {"hint about=large_note delivery=4",
     Event{event::Hint{now, event::Hint::About::large_note, 4, 0}}},
    {"hint about=endless_retries delivery=4 waiting=12",
     Event{event::Hint{now, event::Hint::About::endless_retries, 4, 12}}},
    {"finishing in_flight=2 within_s=20", Event{event::Finishing{now, 2, now + 20s}}},
    {"finishing in_flight=2", Event{event::Finishing{now, 2, Instant::never()}}},
    {"dead_letter_hook_failed delivery=4 exception=full",
     Event{event::DeadLetterHookFailed{now, 4, "full", "", {}}}},
    {"dead_letter_hook_failed delivery=4 exception=full message=(order)",
     Event{event::DeadLetterHookFailed{now, 4, "full", "(order)", 1}}},
    {"dead_letters_left count=3 outbox=charges oldest=1970-01-01T00:00:01Z",
     Event{event::DeadLettersLeft{now, "charges", 3, {1'999'999'999}}}},
    {"started", SupervisorEvent{supervisor_event::Started{now}}},
    {"child_added child=db", SupervisorEvent{supervisor_event::ChildAdded{now, "db"}}},
    {"child_removed child=db", SupervisorEvent{supervisor_event::ChildRemoved{now, "db"}}},
    {"child_started child=db incarnation=3",
     SupervisorEvent{supervisor_event::ChildStarted{now, "db", 3}}},
    {"start_failed child=db incarnation=3 cause=reset",
     SupervisorEvent{supervisor_event::StartFailed{now, "db", 3, reset}}},
    {"child_down child=db incarnation=3 ending=failed cause=reset",
     SupervisorEvent{supervisor_event::ChildDown{now, "db", 3, Ending::failed, reset}}},
    {"child_told_to_end child=db incarnation=3 is_killed=true",
     SupervisorEvent{supervisor_event::ChildToldToEnd{now, "db", 3, true}}},
    {"child_ended child=db incarnation=3",
     SupervisorEvent{supervisor_event::ChildEnded{now, "db", 3}}},
    {"child_abandoned child=db incarnation=3",
     SupervisorEvent{supervisor_event::ChildAbandoned{now, "db", 3}}},
    {"abandoned_child_ended", SupervisorEvent{supervisor_event::AbandonedChildEnded{now}}},
    {"restart_scheduled child=db failures=2 retry_in_s=0.4",
     SupervisorEvent{supervisor_event::RestartScheduled{now, "db", 400ms, 2}}},
    {"child_stopped child=db", SupervisorEvent{supervisor_event::ChildStopped{now, "db"}}},
    {"child_given_up child=db cause=reset",
     SupervisorEvent{supervisor_event::ChildGivenUp{now, "db", reset}}},
    {"limit_reached child=db cause=reset",
     SupervisorEvent{supervisor_event::LimitReached{now, "db", reset}}},
    {"control_refused cause=reset",
     SupervisorEvent{supervisor_event::ControlRefused{now, "", reset}}},
    {"stopping cause=\"told to\"", SupervisorEvent{supervisor_event::Stopping{now, "told to"}}},
    {"stopped", SupervisorEvent{supervisor_event::Stopped{now}}},
    {"finishing within_s=20", SupervisorEvent{supervisor_event::Finishing{now, now + 20s}}},
    {"breaker_opened open_for_s=5 was_probed=true",
     GuardEvent{event::BreakerOpened{now, 5s, true}}},
    {"breaker_half_opened", GuardEvent{event::BreakerHalfOpened{now}}},
    {"breaker_closed was_by_hand=false", GuardEvent{event::BreakerClosed{now, false}}},
    {"breaker_isolated", GuardEvent{event::BreakerIsolated{now}}},
    {"budget_exhausted", GuardEvent{event::BudgetExhausted{now}}},
    {"budget_recovered", GuardEvent{event::BudgetRecovered{now}}},
    {"rate_reached", GuardEvent{event::RateReached{now}}},
    {"rate_free reached_for_s=2.5", GuardEvent{event::RateFree{now + 2500ms, now}}}};
  for (const auto& row : rows) {
    const auto line = std::visit(
      [](const auto& event) { return line_of(event, some_time, LogFormat::logfmt); }, row.event);
    EXPECT_EQ(line.substr(line.find("event=") + 6), row.expected);
  }
}

} // namespace backoff_actor::log_line_test
