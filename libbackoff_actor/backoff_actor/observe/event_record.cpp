#include "backoff_actor/observe/internal/event_record.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <cstdlib>
#include <utility>
#include <variant>

namespace backoff_actor::detail {

EventRecord& EventRecord::text(std::string_view key, std::string_view value) {
  fields_.push_back({key, std::string{value}, true});
  return *this;
}

EventRecord& EventRecord::number(std::string_view key, std::uint64_t value) {
  fields_.push_back({key, std::to_string(value), false});
  return *this;
}

EventRecord& EventRecord::flag(std::string_view key, bool value) {
  fields_.push_back({key, value ? "true" : "false", false});
  return *this;
}

// As a decimal number, without zeros at its end.
EventRecord& EventRecord::seconds(std::string_view key, Duration value) {
  constexpr std::int64_t second = 1'000'000'000;
  const auto [whole, rest] = std::lldiv(value.count(), second);
  std::string result{value.count() < 0 ? "-" : ""};
  result += std::to_string(std::abs(whole));
  if (rest != 0) {
    auto digits = std::to_string(std::abs(rest));
    digits.insert(0, 9 - digits.size(), '0');
    digits.erase(digits.find_last_not_of('0') + 1);
    result.append(".").append(digits);
  }
  fields_.push_back({key, std::move(result), false});
  return *this;
}

EventRecord& EventRecord::cause(const Cause& value) {
  return value.is_error() || !value.text.empty() ? text("cause", value.text) : *this;
}

void EventRecord::set_owner(std::string_view key, const ActorName& name) {
  if (name.kind.empty())
    return;
  auto at = fields_.insert(fields_.begin(), {key, name.kind, true});
  if (name.number != 0)
    fields_.insert(at + 1, {"instance", std::to_string(name.number), false});
}

namespace {

using Record = EventRecord;

// A member for each event: a new event must have its fields to compile.
struct RecordOfSenderEvent {
  Record operator()(const event::Accepted& x) const {
    return Record{"accepted"}.number("delivery", x.delivery);
  }
  Record operator()(const event::NotAccepted& x) const {
    return Record{"not_accepted"}.text("reason", to_string(x.refusal));
  }
  Record operator()(const event::ChildStarted& x) const {
    return Record{"child_started"}.number("child", x.incarnation);
  }
  Record operator()(const event::StartFailed& x) const {
    return Record{"start_failed"}.number("child", x.incarnation).cause(x.cause);
  }
  Record operator()(const event::ChildDown& x) const {
    return Record{"child_down"}
      .number("child", x.incarnation)
      .flag("is_failure", x.is_failure)
      .cause(x.cause);
  }
  Record operator()(const event::AckTimedOut& x) const {
    return Record{"ack_timed_out"}.number("delivery", x.delivery).number("child", x.incarnation);
  }
  Record operator()(const event::ChildOverdue& x) const {
    return Record{"child_overdue"}
      .number("child", x.incarnation)
      .flag("is_abandoned", x.is_abandoned);
  }
  Record operator()(const event::AbandonedChildEnded& x) const {
    return Record{"abandoned_child_ended"}.number("child", x.incarnation);
  }
  Record operator()(const event::Refused& x) const {
    Record result{"refused"};
    result.number("delivery", x.delivery);
    if (x.retry_after)
      result.seconds("retry_after_s", *x.retry_after);
    return result.cause(x.cause);
  }
  Record operator()(const event::Scheduled& x) const {
    return Record{"scheduled"}
      .number("delivery", x.delivery)
      .seconds("due_in_s", x.not_before - x.at);
  }
  Record operator()(const event::RetryScheduled& x) const {
    Record result{"retry_scheduled"};
    if (x.delivery != 0)
      result.number("delivery", x.delivery);
    return result.number("retry", x.backoff.retries()).seconds("retry_in_s", x.due - x.at);
  }
  Record operator()(const event::DelayEnded&) const { return Record{"delay_ended"}; }
  Record operator()(const event::HandedOver& x) const {
    return Record{"handed_over"}
      .number("delivery", x.delivery)
      .number("child", x.incarnation)
      .flag("again", x.again);
  }
  Record operator()(const event::GuardHeldBack& x) const {
    Record result{"guard_held_back"};
    result.text("reason", to_string(x.reason));
    if (x.until != Instant::never())
      result.seconds("retry_in_s", x.until - x.at);
    return result;
  }
  Record operator()(const event::Acknowledged& x) const {
    return Record{"acknowledged"}
      .number("delivery", x.delivery)
      .number("child", x.incarnation)
      .number("attempts", x.attempts)
      .seconds("latency_s", x.latency)
      .flag("is_late", x.is_late);
  }
  Record operator()(const event::UnknownAcknowledgement& x) const {
    return Record{"unknown_acknowledgement"}.number("hand_over", x.hand_over);
  }
  Record operator()(const event::BackOffReset&) const { return Record{"back_off_reset"}; }
  Record operator()(const event::DeadLettered& x) const {
    return Record{"dead_lettered"}
      .number("delivery", x.delivery)
      .text("reason", to_string(x.reason))
      .number("attempts", x.attempts)
      .cause(x.cause);
  }
  Record operator()(const event::FellBack& x) const { return Record{"fell_back"}.cause(x.cause); }
  Record operator()(const event::CameBack&) const { return Record{"came_back"}; }
  Record operator()(const event::GaveUp& x) const { return Record{"gave_up"}.cause(x.cause); }
  Record operator()(const event::Paused&) const { return Record{"paused"}; }
  Record operator()(const event::Resumed&) const { return Record{"resumed"}; }
  Record operator()(const event::DrainBegan&) const { return Record{"drain_began"}; }
  Record operator()(const event::Drained& x) const {
    return Record{"drained"}.number("left", x.left);
  }
  Record operator()(const event::SenderStopped&) const { return Record{"sender_stopped"}; }
  Record operator()(const event::Restored& x) const {
    return Record{"restored"}.number("delivery", x.delivery).number("attempts", x.attempts);
  }
  Record operator()(const event::Suspended& x) const {
    return Record{"suspended"}.number("delivery", x.delivery).number("attempts", x.attempts);
  }
  Record operator()(const event::StoreFellBehind& x) const {
    return Record{"store_fell_behind"}.cause(x.cause);
  }
  Record operator()(const event::StoreCaughtUp&) const { return Record{"store_caught_up"}; }
  Record operator()(const event::StoreNotice& x) const {
    return Record{"store_notice"}.text("text", x.text);
  }
  Record operator()(const event::Finishing& x) const {
    Record result{"finishing"};
    result.number("in_flight", x.in_flight);
    if (x.until != Instant::never())
      result.seconds("within_s", x.until - x.at);
    return result;
  }
  Record operator()(const event::DeadLetterHookFailed& x) const {
    Record result{"dead_letter_hook_failed"};
    result.number("delivery", x.delivery).text("exception", x.exception);
    if (x.letter.has_value())
      result.text("message", x.message);
    return result;
  }
  Record operator()(const event::DeadLettersLeft& x) const {
    return Record{"dead_letters_left"}
      .number("count", x.count)
      .text("outbox", x.outbox)
      .text("oldest", to_string(x.oldest));
  }
  Record operator()(const event::NothingSucceeds& x) const {
    Record result{"nothing_succeeds"};
    result.seconds("for_s", x.at - x.since).number("failures", x.failures);
    if (x.delivery != 0)
      result.number("delivery", x.delivery);
    return result.flag("is_fallback", x.is_fallback);
  }
  Record operator()(const event::SucceedsAgain& x) const {
    return Record{"succeeds_again"}
      .seconds("after_s", x.at - x.since)
      .number("failures", x.failures)
      .flag("is_fallback", x.is_fallback);
  }
  Record operator()(const event::Hint& x) const {
    Record result{"hint"};
    result.text("about", to_string(x.about)).number("delivery", x.delivery);
    if (x.about == event::Hint::About::endless_retries)
      result.number("waiting", x.waiting);
    return result;
  }
};

struct RecordOfSupervisorEvent {
  Record operator()(const supervisor_event::Started&) const { return Record{"started"}; }
  Record operator()(const supervisor_event::ChildAdded& x) const {
    return Record{"child_added"}.text("child", x.child);
  }
  Record operator()(const supervisor_event::ChildRemoved& x) const {
    return Record{"child_removed"}.text("child", x.child);
  }
  Record operator()(const supervisor_event::ChildStarted& x) const {
    return of_actor("child_started", x);
  }
  Record operator()(const supervisor_event::StartFailed& x) const {
    return of_actor("start_failed", x).cause(x.cause);
  }
  Record operator()(const supervisor_event::ChildDown& x) const {
    return of_actor("child_down", x).text("ending", to_string(x.ending)).cause(x.cause);
  }
  Record operator()(const supervisor_event::ChildToldToEnd& x) const {
    return of_actor("child_told_to_end", x).flag("is_killed", x.is_killed);
  }
  Record operator()(const supervisor_event::ChildEnded& x) const {
    return of_actor("child_ended", x);
  }
  Record operator()(const supervisor_event::ChildAbandoned& x) const {
    return of_actor("child_abandoned", x);
  }
  Record operator()(const supervisor_event::AbandonedChildEnded&) const {
    return Record{"abandoned_child_ended"};
  }
  Record operator()(const supervisor_event::RestartScheduled& x) const {
    return Record{"restart_scheduled"}
      .text("child", x.child)
      .number("failures", x.failures)
      .seconds("retry_in_s", x.delay);
  }
  Record operator()(const supervisor_event::ChildStopped& x) const {
    return Record{"child_stopped"}.text("child", x.child);
  }
  Record operator()(const supervisor_event::ChildGivenUp& x) const {
    return Record{"child_given_up"}.text("child", x.child).cause(x.cause);
  }
  Record operator()(const supervisor_event::LimitReached& x) const {
    return Record{"limit_reached"}.text("child", x.child).cause(x.cause);
  }
  Record operator()(const supervisor_event::ControlRefused& x) const {
    Record result{"control_refused"};
    if (!x.child.empty())
      result.text("child", x.child);
    return result.cause(x.cause);
  }
  Record operator()(const supervisor_event::Stopping& x) const {
    return Record{"stopping"}.text("cause", x.cause);
  }
  Record operator()(const supervisor_event::Stopped&) const { return Record{"stopped"}; }
  Record operator()(const supervisor_event::Finishing& x) const {
    Record result{"finishing"};
    if (x.until != Instant::never())
      result.seconds("within_s", x.until - x.at);
    return result;
  }

private:
  template <class OneEvent>
  static Record of_actor(std::string_view name, const OneEvent& x) {
    return Record{name}.text("child", x.child).number("incarnation", x.incarnation);
  }
};

struct RecordOfGuardEvent {
  Record operator()(const event::BreakerOpened& x) const {
    return Record{"breaker_opened"}
      .seconds("open_for_s", x.open_for)
      .flag("was_probed", x.was_probed);
  }
  Record operator()(const event::BreakerHalfOpened&) const { return Record{"breaker_half_opened"}; }
  Record operator()(const event::BreakerClosed& x) const {
    return Record{"breaker_closed"}.flag("was_by_hand", x.was_by_hand);
  }
  Record operator()(const event::BreakerIsolated&) const { return Record{"breaker_isolated"}; }
  Record operator()(const event::BudgetExhausted&) const { return Record{"budget_exhausted"}; }
  Record operator()(const event::BudgetRecovered&) const { return Record{"budget_recovered"}; }
  Record operator()(const event::RateReached&) const { return Record{"rate_reached"}; }
  Record operator()(const event::RateFree& x) const {
    return Record{"rate_free"}.seconds("reached_for_s", x.at - x.since);
  }
};

} // namespace

EventRecord record_of(const Event& event) {
  auto result = std::visit(RecordOfSenderEvent{}, event);
  if (event.worker != 0)
    result.number("worker", event.worker);
  result.set_owner("sender", event.of);
  return result;
}

EventRecord record_of(const SupervisorEvent& event) {
  auto result = std::visit(RecordOfSupervisorEvent{}, event);
  result.set_owner("supervisor", event.of);
  return result;
}

EventRecord record_of(const GuardEvent& event) { return std::visit(RecordOfGuardEvent{}, event); }

} // namespace backoff_actor::detail
