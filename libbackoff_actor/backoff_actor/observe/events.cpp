#include "backoff_actor/observe/events.hpp"

#include "backoff_actor/core/internal/enum_names.hpp"
#include "backoff_actor/core/internal/one_line.hpp"

#include <utility>

namespace backoff_actor {

namespace {

std::string delivery(std::uint64_t id) { return "delivery " + std::to_string(id); }

std::string child(std::uint32_t incarnation) { return "child " + std::to_string(incarnation); }

std::string because(const Cause& cause) { return cause.text.empty() ? "" : ": " + cause.text; }

std::string failures(std::uint32_t count) {
  return std::to_string(count) + (count == 1 ? " failure" : " failures");
}

std::string attempts(std::uint32_t count) {
  return std::to_string(count) + (count == 1 ? " failed attempt" : " failed attempts");
}

struct DescribeSenderEvent {
  std::string operator()(const event::Accepted& x) const {
    return delivery(x.delivery) + " accepted";
  }

  std::string operator()(const event::NotAccepted& x) const {
    return "message not accepted, " + std::string{to_string(x.refusal)};
  }

  std::string operator()(const event::ChildStarted& x) const {
    return child(x.incarnation) + " started";
  }

  std::string operator()(const event::StartFailed& x) const {
    return child(x.incarnation) + " failed to start" + because(x.cause);
  }

  std::string operator()(const event::ChildDown& x) const {
    if (!x.cause.is_error())
      return child(x.incarnation)
             + (x.is_failure ? " down: stopped normally while the sender still needed it"
                             : " stopped normally");
    return child(x.incarnation) + " down" + because(x.cause);
  }

  std::string operator()(const event::AckTimedOut& x) const {
    return delivery(x.delivery) + " not acknowledged in time by " + child(x.incarnation)
           + "; the sender ends that child";
  }

  std::string operator()(const event::ChildOverdue& x) const {
    return child(x.incarnation) + " has not ended in time; the sender "
           + (x.is_abandoned ? "abandons it" : "keeps waiting for it");
  }

  std::string operator()(const event::AbandonedChildEnded& x) const {
    return "abandoned " + child(x.incarnation) + " ended after all";
  }

  std::string operator()(const event::Refused& x) const {
    return delivery(x.delivery) + " refused"
           + (x.retry_after ? ", to be retried after " + to_string(*x.retry_after) : "")
           + because(x.cause);
  }

  std::string operator()(const event::Scheduled& x) const {
    return delivery(x.delivery) + " is due in " + to_string(x.not_before - x.at);
  }

  std::string operator()(const event::RetryScheduled& x) const {
    // A free retry has no number: with it the series begins anew.
    const auto number = x.backoff.retries() == 0 ? "" : std::to_string(x.backoff.retries()) + " ";
    return (x.delivery == 0 ? "" : delivery(x.delivery) + ": ") + "retry " + number + "in "
           + to_string(x.due - x.at);
  }

  std::string operator()(const event::DelayEnded&) const { return "delay ended"; }

  std::string operator()(const event::HandedOver& x) const {
    return delivery(x.delivery) + (x.again ? " handed over again to " : " handed over to ")
           + child(x.incarnation);
  }

  std::string operator()(const event::GuardHeldBack& x) const {
    return "held back by " + std::string{to_string(x.reason)}
           + (x.until == Instant::never() ? ", until it is closed by hand"
                                          : ", to ask again in " + to_string(x.until - x.at));
  }

  std::string operator()(const event::Acknowledged& x) const {
    return delivery(x.delivery) + " acknowledged after " + to_string(x.latency) + ", "
           + attempts(x.attempts) + (x.is_late ? ", by a child that no longer had it" : "");
  }

  std::string operator()(const event::UnknownAcknowledgement& x) const {
    return "acknowledgement " + std::to_string(x.hand_over) + " matches no delivery that is owed";
  }

  std::string operator()(const event::BackOffReset&) const { return "backoff reset"; }

  std::string operator()(const event::NothingSucceeds& x) const {
    return "nothing has succeeded " + std::string{x.is_fallback ? "with the fallback " : ""}
           + "for " + to_string(x.at - x.since) + ", " + failures(x.failures)
           + (x.delivery == 0 ? ": the service is down, no attempt is charged"
                              : ", last of " + delivery(x.delivery) + ": the service may be down");
  }

  std::string operator()(const event::SucceedsAgain& x) const {
    return "the " + std::string{x.is_fallback ? "fallback's " : ""} + "service answers again after "
           + to_string(x.at - x.since) + ", " + failures(x.failures);
  }

  std::string operator()(const event::Hint& x) const {
    switch (x.about) {
    case event::Hint::About::no_key:
      return delivery(x.delivery) + " has no key: per_key keeps no order for it";
    case event::Hint::About::short_ack_timeout:
      return delivery(x.delivery)
             + " was done after its ack_timeout: set a longer one, or let the worker say Working";
    case event::Hint::About::endless_retries:
      break;
    }
    return "10 failures in a row, " + delivery(x.delivery) + " is first, "
           + std::to_string(x.waiting) + (x.waiting == 1 ? " other waits" : " others wait")
           + ": max_attempts or time_to_live would end it";
  }

  std::string operator()(const event::DeadLettered& x) const {
    return delivery(x.delivery) + " dead-lettered, " + std::string{to_string(x.reason)} + ", "
           + attempts(x.attempts) + because(x.cause);
  }

  std::string operator()(const event::FellBack& x) const {
    return "the fallback takes over" + because(x.cause);
  }

  std::string operator()(const event::CameBack&) const {
    return "the worker takes over from the fallback";
  }

  std::string operator()(const event::GaveUp& x) const { return "gave up" + because(x.cause); }

  std::string operator()(const event::Paused&) const { return "paused"; }

  std::string operator()(const event::Resumed&) const { return "resumed"; }

  std::string operator()(const event::DrainBegan&) const { return "draining"; }

  std::string operator()(const event::Drained& x) const {
    return x.left == 0 ? "drained" : "drain ended, " + std::to_string(x.left) + " left";
  }

  std::string operator()(const event::Restored& x) const {
    return delivery(x.delivery) + " restored, " + attempts(x.attempts);
  }

  std::string operator()(const event::Suspended& x) const {
    return delivery(x.delivery) + " suspended, " + attempts(x.attempts);
  }

  std::string operator()(const event::StoreFellBehind& x) const {
    return "held back: the store fails" + because(x.cause);
  }

  std::string operator()(const event::StoreCaughtUp&) const {
    return "the store works again and has stored all that waited";
  }

  std::string operator()(const event::StoreNotice& x) const { return "store notice: " + x.text; }

  std::string operator()(const event::Finishing& x) const {
    return "finishing what is in flight (" + std::to_string(x.in_flight) + ")"
           + (x.until == Instant::never() ? "" : " within " + to_string(x.until - x.at));
  }

  std::string operator()(const event::SenderStopped&) const { return "sender stopped"; }

  std::string operator()(const event::DeadLetterHookFailed& x) const {
    return "on_dead_letter threw for " + delivery(x.delivery) + ": " + x.exception
           + (x.letter.has_value() ? "; nobody else gets the message " + x.message : "");
  }

  std::string operator()(const event::DeadLettersLeft& x) const {
    return std::to_string(x.count)
           + (x.count == 1 ? " dead letter is left in " : " dead letters are left in ") + x.outbox
           + (x.count == 1 ? ", of " : ", the oldest of ") + to_string(x.oldest);
  }
};

} // namespace

std::string_view event::to_string(Hint::About about) {
  constexpr auto names =
    detail::enum_names<Hint::About>({"no_key", "short_ack_timeout", "endless_retries"});
  return names.of(about);
}

Instant event::time_of(const Event& event) {
  return std::visit([](const auto& x) { return x.at; }, event);
}

std::string event::text_of(const Event& event) {
  auto text = detail::one_line(std::visit(DescribeSenderEvent{}, event));
  return event.worker == 0 ? text : "worker " + std::to_string(event.worker) + ": " + text;
}

std::string event::to_string(const Event& event) {
  return detail::with_name(event.of, text_of(event));
}

// What a compiler makes for each alternative is made here alone: that takes it long.

template <detail::AlternativeOf<Event::variant> T>
Event::Event(T x) : variant(std::in_place_type<T>) {
  *std::get_if<T>(this) = std::move(x);
}

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

template Event::Event(event::Accepted);
template Event::Event(event::NotAccepted);
template Event::Event(event::ChildStarted);
template Event::Event(event::StartFailed);
template Event::Event(event::ChildDown);
template Event::Event(event::AckTimedOut);
template Event::Event(event::ChildOverdue);
template Event::Event(event::AbandonedChildEnded);
template Event::Event(event::Refused);
template Event::Event(event::Scheduled);
template Event::Event(event::RetryScheduled);
template Event::Event(event::DelayEnded);
template Event::Event(event::HandedOver);
template Event::Event(event::GuardHeldBack);
template Event::Event(event::Acknowledged);
template Event::Event(event::UnknownAcknowledgement);
template Event::Event(event::BackOffReset);
template Event::Event(event::DeadLettered);
template Event::Event(event::FellBack);
template Event::Event(event::CameBack);
template Event::Event(event::GaveUp);
template Event::Event(event::Paused);
template Event::Event(event::Resumed);
template Event::Event(event::DrainBegan);
template Event::Event(event::Drained);
template Event::Event(event::SenderStopped);
template Event::Event(event::Restored);
template Event::Event(event::Suspended);
template Event::Event(event::StoreFellBehind);
template Event::Event(event::StoreCaughtUp);
template Event::Event(event::StoreNotice);
template Event::Event(event::Finishing);
template Event::Event(event::DeadLetterHookFailed);
template Event::Event(event::DeadLettersLeft);
template Event::Event(event::NothingSucceeds);
template Event::Event(event::SucceedsAgain);
template Event::Event(event::Hint);

} // namespace backoff_actor
