#include "backoff_actor/observe/events.hpp"

#include "backoff_actor/core/event/internal/event_record.hpp"
#include "backoff_actor/core/internal/enum_names.hpp"

#include <utility>

namespace backoff_actor {

using detail::EventRecord;

namespace {

using detail::if_any;

const char* failures(std::uint32_t count) { return count == 1 ? " failure" : " failures"; }

const char* attempts(std::uint32_t count) {
  return count == 1 ? " failed attempt" : " failed attempts";
}

struct DescribeSenderEvent {
  using enum Severity;
  EventRecord& it;

  void operator()(const event::Accepted& x) const {
    it.is(debug, "accepted", "delivery ", x.delivery, " accepted");
    it.has("delivery", x.delivery);
  }
  void operator()(const event::NotAccepted& x) const {
    it.is(warning, "not_accepted", "message not accepted, ", to_string(x.refusal));
    it.has("reason", to_string(x.refusal));
  }
  void operator()(const event::ChildStarted& x) const {
    it.is(x.incarnation == 1 ? debug : info, "child_started", "child ", x.incarnation, " started");
    it.has("child", x.incarnation);
  }
  void operator()(const event::StartFailed& x) const {
    it.is(warning, "start_failed", "child ", x.incarnation, " failed to start", x.cause);
    it.has("child", x.incarnation, "cause", x.cause);
  }
  void operator()(const event::ChildDown& x) const {
    it.is(x.is_failure ? warning : debug, "child_down", "child ", x.incarnation);
    if (x.cause.is_error())
      it.says(" down", x.cause);
    else
      it.says(x.is_failure ? " down: stopped normally while the sender still needed it"
                           : " stopped normally");
    it.has("child", x.incarnation, "is_failure", x.is_failure, "cause", x.cause);
  }
  void operator()(const event::AckTimedOut& x) const {
    it.is(warning, "ack_timed_out", "delivery ", x.delivery, " not acknowledged in time by child ",
          x.incarnation, "; the sender ends that child");
    it.has("delivery", x.delivery, "child", x.incarnation);
  }
  void operator()(const event::ChildOverdue& x) const {
    it.is(x.is_abandoned ? error : warning, "child_overdue", "child ", x.incarnation,
          " has not ended in time; the sender ",
          x.is_abandoned ? "abandons it" : "keeps waiting for it");
    it.has("child", x.incarnation, "is_abandoned", x.is_abandoned);
  }
  void operator()(const event::AbandonedChildEnded& x) const {
    it.is(info, "abandoned_child_ended", "abandoned child ", x.incarnation, " ended after all");
    it.has("child", x.incarnation);
  }
  void operator()(const event::Refused& x) const {
    it.is(warning, "refused", "delivery ", x.delivery, " refused");
    it.has("delivery", x.delivery);
    if (x.retry_after) {
      it.says(", to be retried after ", *x.retry_after);
      it.has("retry_after_s", *x.retry_after);
    }
    it.says(x.cause);
    it.has("cause", x.cause);
  }
  void operator()(const event::Scheduled& x) const {
    it.is(debug, "scheduled", "delivery ", x.delivery, " is due in ", x.not_before - x.at);
    it.has("delivery", x.delivery, "due_in_s", x.not_before - x.at);
  }
  void operator()(const event::RetryScheduled& x) const {
    it.is(warning, "retry_scheduled");
    if (x.delivery != 0)
      it.says("delivery ", x.delivery, ": ");
    // A free retry has no number: with it the series begins anew.
    const auto number = x.backoff.retries();
    it.says("retry ", if_any(number), number == 0 ? "in " : " in ", x.due - x.at);
    it.has("delivery", if_any(x.delivery), "retry", number, "retry_in_s", x.due - x.at);
  }
  void operator()(const event::DelayEnded&) const { it.is(debug, "delay_ended", "delay ended"); }
  void operator()(const event::HandedOver& x) const {
    it.is(debug, "handed_over", "delivery ", x.delivery, " handed over ", x.again ? "again " : "",
          "to child ", x.incarnation);
    it.has("delivery", x.delivery, "child", x.incarnation, "again", x.again);
  }
  void operator()(const event::GuardHeldBack& x) const {
    it.is(info, "guard_held_back", "held back by ", to_string(x.reason));
    it.has("reason", to_string(x.reason));
    if (x.until == Instant::never()) {
      it.says(", until it is closed by hand");
    } else {
      it.says(", to ask again in ", x.until - x.at);
      it.has("retry_in_s", x.until - x.at);
    }
  }
  void operator()(const event::Acknowledged& x) const {
    it.is(debug, "acknowledged", "delivery ", x.delivery, " acknowledged after ", x.latency, ", ",
          x.attempts, attempts(x.attempts), x.is_late ? ", by a child that no longer had it" : "");
    it.has("delivery", x.delivery, "child", x.incarnation, "attempts", x.attempts, "latency_s",
           x.latency, "is_late", x.is_late);
  }
  void operator()(const event::UnknownAcknowledgement& x) const {
    it.is(warning, "unknown_acknowledgement", "acknowledgement ", x.hand_over,
          " matches no delivery that is owed");
    it.has("hand_over", x.hand_over);
  }
  void operator()(const event::BackOffReset&) const {
    it.is(info, "back_off_reset", "backoff reset");
  }
  void operator()(const event::DeadLettered& x) const {
    it.is(x.reason == DeadLetterReason::cancelled ? info : error, "dead_lettered", "delivery ",
          x.delivery, " dead-lettered, ", to_string(x.reason), ", ", x.attempts,
          attempts(x.attempts), x.cause);
    it.has("delivery", x.delivery, "reason", to_string(x.reason), "attempts", x.attempts, "cause",
           x.cause);
  }
  void operator()(const event::CancelRequested& x) const {
    it.is(info, "cancel_requested", "delivery ", x.delivery, " is to be cancelled, child ",
          x.incarnation, " was told");
    it.has("delivery", x.delivery, "child", x.incarnation);
  }
  void operator()(const event::Cancelled& x) const {
    it.is(info, "cancelled", "delivery ", x.delivery, " cancelled, ", x.attempts,
          attempts(x.attempts));
    it.has("delivery", x.delivery, "attempts", x.attempts);
  }
  void operator()(const event::Replaced& x) const {
    it.is(info, "replaced", "delivery ", x.delivery, " has a new payload, ", x.attempts,
          attempts(x.attempts), " before");
    it.has("delivery", x.delivery, "attempts", x.attempts);
  }
  void operator()(const event::CalendarEntryChanged& x) const {
    const auto next = x.next ? to_string(*x.next) : std::string{};
    it.is(info, "calendar_entry_changed", "calendar entry ", x.entry, " ", to_string(x.what),
          next.empty() ? "" : ", due at ", if_any(next));
    it.has("entry", x.entry, "what", to_string(x.what), "next", if_any(next));
  }
  void operator()(const event::CalendarEntryDue& x) const {
    const auto last = to_string(x.last);
    it.is(info, "calendar_entry_due", "calendar entry ", x.entry, ": ", x.runs,
          x.runs == 1 ? " message submitted for " : " messages submitted, the last for ", last);
    it.has("entry", x.entry, "runs", x.runs, "last", last);
  }
  void operator()(const event::FellBack& x) const {
    it.is(error, "fell_back", "the fallback takes over", x.cause);
    it.has("cause", x.cause);
  }
  void operator()(const event::CameBack&) const {
    it.is(info, "came_back", "the worker takes over from the fallback");
  }
  void operator()(const event::GaveUp& x) const {
    it.is(error, "gave_up", "gave up", x.cause);
    it.has("cause", x.cause);
  }
  void operator()(const event::Paused&) const { it.is(info, "paused", "paused"); }
  void operator()(const event::Resumed&) const { it.is(info, "resumed", "resumed"); }
  void operator()(const event::DrainBegan&) const { it.is(info, "drain_began", "draining"); }
  void operator()(const event::Drained& x) const {
    if (x.left == 0)
      it.is(info, "drained", "drained");
    else
      it.is(warning, "drained", "drain ended, ", x.left, " left");
    it.has("left", x.left);
  }
  void operator()(const event::SenderStopped&) const {
    it.is(info, "sender_stopped", "sender stopped");
  }
  void operator()(const event::Restored& x) const {
    it.is(debug, "restored", "delivery ", x.delivery, " restored, ", x.attempts,
          attempts(x.attempts));
    it.has("delivery", x.delivery, "attempts", x.attempts);
  }
  void operator()(const event::Suspended& x) const {
    it.is(debug, "suspended", "delivery ", x.delivery, " suspended, ", x.attempts,
          attempts(x.attempts));
    it.has("delivery", x.delivery, "attempts", x.attempts);
  }
  void operator()(const event::StoreFellBehind& x) const {
    it.is(error, "store_fell_behind", "held back: the store fails", x.cause);
    it.has("cause", x.cause);
  }
  void operator()(const event::StoreCaughtUp&) const {
    it.is(info, "store_caught_up", "the store works again and has stored all that waited");
  }
  void operator()(const event::StoreNotice& x) const {
    it.is(warning, "store_notice", "store notice: ", x.text);
    it.has("text", x.text);
  }
  void operator()(const event::WorkersOffered& x) const {
    it.is(info, "workers_offered", x.process, " offers ", x.workers,
          x.workers == 1 ? " worker, " : " workers, ", x.all, " in all");
    it.has("process", x.process, "workers", x.workers, "all", x.all);
  }
  void operator()(const event::OfferEnded& x) const {
    it.is(warning, "offer_ended", x.process, " offers no workers any more, ", x.all,
          x.all == 1 ? " is left: " : " are left: ", x.reason);
    it.has("process", x.process, "workers", x.workers, "all", x.all, "reason", x.reason);
  }
  void operator()(const event::Finishing& x) const {
    it.is(info, "finishing", "finishing what is in flight (", x.in_flight, ")");
    it.has("in_flight", x.in_flight);
    if (x.until != Instant::never()) {
      it.says(" within ", x.until - x.at);
      it.has("within_s", x.until - x.at);
    }
  }
  void operator()(const event::DeadLetterHookFailed& x) const {
    it.is(error, "dead_letter_hook_failed", "on_dead_letter threw for delivery ", x.delivery, ": ",
          x.exception);
    it.has("delivery", x.delivery, "exception", x.exception);
    if (x.letter.has_value()) {
      it.says("; nobody else gets the message ", x.message);
      it.has("message", x.message);
    }
  }
  void operator()(const event::DeadLettersLeft& x) const {
    const auto oldest = to_string(x.oldest);
    it.is(warning, "dead_letters_left", x.count,
          x.count == 1 ? " dead letter is left in " : " dead letters are left in ", x.outbox,
          x.count == 1 ? ", of " : ", the oldest of ", oldest);
    it.has("count", x.count, "outbox", x.outbox, "oldest", oldest);
  }
  void operator()(const event::NothingSucceeds& x) const {
    it.is(error, "nothing_succeeds", "nothing has succeeded ",
          x.is_fallback ? "with the fallback " : "", "for ", x.at - x.since, ", ", x.failures,
          failures(x.failures));
    if (x.delivery == 0)
      it.says(": the service is down, no attempt is charged");
    else
      it.says(", last of delivery ", x.delivery, ": the service may be down");
    it.has("for_s", x.at - x.since, "failures", x.failures, "delivery", if_any(x.delivery),
           "is_fallback", x.is_fallback);
  }
  void operator()(const event::SucceedsAgain& x) const {
    it.is(info, "succeeds_again", "the ", x.is_fallback ? "fallback's " : "",
          "service answers again after ", x.at - x.since, ", ", x.failures, failures(x.failures));
    it.has("after_s", x.at - x.since, "failures", x.failures, "is_fallback", x.is_fallback);
  }
  void operator()(const event::Hint& x) const {
    it.is(warning, "hint");
    it.has("about", to_string(x.about), "delivery", x.delivery);
    switch (x.about) {
    case event::Hint::About::no_key:
      it.says("delivery ", x.delivery, " has no key: per_key keeps no order for it");
      break;
    case event::Hint::About::short_ack_timeout:
      it.says("delivery ", x.delivery, " was done after its ack_timeout: set a longer one, or let ",
              "the worker say Working");
      break;
    case event::Hint::About::endless_retries:
      it.says("10 failures in a row, delivery ", x.delivery, " is first, ", x.waiting,
              x.waiting == 1 ? " other waits" : " others wait",
              ": max_attempts or time_to_live would end it");
      it.has("waiting", x.waiting);
      break;
    case event::Hint::About::large_note:
      it.says("the note of delivery ", x.delivery, " has more than 64 KiB: it is not kept");
      break;
    }
  }
};

} // namespace

std::string_view event::to_string(Hint::About about) {
  constexpr auto names = detail::enum_names<Hint::About>(
    {"no_key", "short_ack_timeout", "endless_retries", "large_note"});
  return names.of(about);
}

std::string_view event::to_string(CalendarEntryChanged::What what) {
  constexpr auto names =
    detail::enum_names<CalendarEntryChanged::What>({"added", "changed", "removed"});
  return names.of(what);
}

Instant event::time_of(const Event& event) {
  return std::visit([](const auto& x) { return x.at; }, event);
}

std::string event::text_of(const Event& event) {
  return EventRecord{EventRecord::Part::text, event}.text();
}

std::string event::to_string(const Event& event) {
  return detail::with_name(event.of, text_of(event));
}

Severity severity_of(const Event& event) {
  return EventRecord{EventRecord::Part::severity, event}.severity();
}

void detail::describe(const Event& event, EventRecord& record) {
  record.has_owner("sender", event.of.kind, event.of.number);
  if (event.worker != 0)
    record.says("worker ", event.worker, ": ");
  std::visit(DescribeSenderEvent{record}, event);
  record.has("worker", if_any(event.worker));
}

// What a compiler makes for each alternative is made here alone: that takes it long.

Event::Event(std::size_t index, void* x) { detail::hold_as(*this, index, x); }

Event::Event() = default;

Event::Event(const Event& other) : variant(), of(other.of), worker(other.worker) {
  detail::take<variant>(*this, other);
}

Event::Event(Event&& other) noexcept : of(std::move(other.of)), worker(other.worker) {
  detail::take<variant>(*this, std::move(other));
}

Event& Event::operator=(const Event& other) { return *this = Event{other}; }

Event& Event::operator=(Event&& other) noexcept {
  if (this == &other)
    return *this;
  of = std::move(other.of);
  worker = other.worker;
  detail::take<variant>(*this, std::move(other));
  return *this;
}

Event::~Event() = default;

} // namespace backoff_actor
