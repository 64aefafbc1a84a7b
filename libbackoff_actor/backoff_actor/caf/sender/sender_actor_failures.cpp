// How a sender reports failures: to its clients, to the readers of dead letters, and by its exit
// reason. And what it shows to those who observe it.

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/internal/message_words.hpp"
#include "backoff_actor/caf/operated/internal/operator_desk.hpp"
#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/outbox/internal/write_queue.hpp"
#include "backoff_actor/caf/sender/internal/idempotency_keys.hpp"
#include "backoff_actor/caf/sender/internal/sender_actor.hpp"
#include "backoff_actor/core/internal/thrown.hpp"
#include "backoff_actor/delivery/internal/cancel_mark.hpp"
#include "backoff_actor/delivery/internal/delivery_slots.hpp"
#include "backoff_actor/process/internal/error_stream.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <caf/actor_cast.hpp>
#include <caf/sec.hpp>

#include <exception>
#include <utility>
#include <variant>

namespace backoff_actor {

namespace {

// The most bytes of a message in words that a store keeps beside a dead letter.
constexpr std::size_t most_of_stored_text = 4096;

SenderError error_of(DeadLetterReason reason) {
  switch (reason) {
  case DeadLetterReason::attempts_exhausted:
    return SenderError::attempts_exhausted;
  case DeadLetterReason::expired:
    return SenderError::expired;
  case DeadLetterReason::dropped:
    return SenderError::dropped;
  case DeadLetterReason::retry_after_too_long:
    return SenderError::retry_after_too_long;
  case DeadLetterReason::gave_up:
    return SenderError::gave_up;
  case DeadLetterReason::not_stored:
    return SenderError::not_stored;
  case DeadLetterReason::cancelled:
    return SenderError::cancelled;
  case DeadLetterReason::rejected: // the client gets the child's error
  case DeadLetterReason::stopped:
  case DeadLetterReason::hand_overs_exhausted: // found in a new process: no client waits
  case DeadLetterReason::set_aside:            // no client waits
  case DeadLetterReason::unreadable:           // it came from another program
    break;
  }
  return SenderError::stopped;
}

// Returns a message as text, whatever its types do.
std::string words_of(const caf::message& message) {
  try {
    auto text = to_string(message);
    if (text.starts_with("message(")) // so CAF 1.x begins
      text.erase(0, text.find('('));
    return text;
  } catch (...) {
    return "that cannot be shown: " + detail::thrown_text(std::current_exception());
  }
}

} // namespace

// Returns the remark of an error: who says it, and the last cause.
std::string BackOffSender::named(const std::string& cause) const {
  const auto name = to_string(own_name());
  return cause.empty() ? name : name + ", last: " + cause;
}

// Returns the error of the present input. Only the acknowledgement timeout comes without an error.
caf::error BackOffSender::just_come(const News* news) {
  if (!news)
    return {};
  return std::holds_alternative<input::Wake>(news->input) ? make_error(SenderError::ack_timeout)
                                                          : news->error;
}

// Returns the error with which a child rejected a delivery for good.
caf::error BackOffSender::rejection(const Parcel& parcel, const News* news) {
  // The present input shows whether the held error was the child's own answer. It was, if the child
  // is alive, or if it ended and the error came from the child. It was not, if the child hangs, if
  // CAF made the error because the child was gone, or if the child sent a `Reject` later.
  if (news && parcel.extra && parcel.extra->held
      && (std::holds_alternative<input::ChildAlive>(news->input)
          || (std::holds_alternative<input::ChildDown>(news->input)
              && !parcel.extra->held_is_bounce)))
    return parcel.extra->held;
  auto error = just_come(news);
  return error ? error : caf::make_error(caf::sec::request_receiver_down); // normal stop
}

caf::error BackOffSender::exit_reason(const effect::Quit& x, const News* news) const {
  auto reason = x.slot == DeliverySlots::none ? just_come(news) : rejection(parcels_[x.slot], news);
  // After a normal stop of the child there is no error to escalate.
  if (x.escalates && reason) // an escalated normal stop would look like one of the sender's own
    return reason;
  return make_error(SenderError::gave_up, named(x.cause->text));
}

void BackOffSender::bury(const effect::DeadLetter& x, const News* news) {
  auto parcel = std::exchange(parcels_[x.slot], {});
  if (x.reason == DeadLetterReason::not_stored)
    refuse_replacements_of(x.delivery);
  if (parcel.extra && (parcel.extra->row != 0 || parcel.extra->is_run) && keeps_row(x, parcel))
    return for_each_client(parcel, [&](compat::OpenRequest& client) {
      refuse(client, make_error(SenderError::not_stored));
    });
  const auto cause = x.cause ? x.cause->text : std::string{};
  const auto is_stored = store_ && x.reason != DeadLetterReason::not_stored;
  if (options().on_dead_letter || (!is_stored && keeps_letters()))
    record({x.delivery, x.reason, x.attempts, cause, now() - x.submitted_at, parcel.payload,
            parcel.extra ? parcel.extra->key : std::string{},
            caf::actor_cast<caf::actor_addr>(parcel.source()),
            parcel.extra ? parcel.extra->idempotency_key : std::string{},
            std::string{retries_in(parcel.extra ? parcel.extra->context : std::string{})},
            x.worker},
           is_stored);
  if (is_stored && parcel.extra && detail::cancel_mark_in(parcel.extra->context)) {
    detail::unmark_cancelled(parcel.extra->context); // it may be resubmitted
    store_->set_context(x.delivery, parcel.extra->context);
  }
  if (is_stored)
    store_->bury(x.delivery, x.reason, x.attempts, cause,
                 detail::message_words(parcel.payload, most_of_stored_text), now());
  if (is_stored && x.reason == DeadLetterReason::cancelled)
    await_end(x.delivery, x.slot);
  if (parcel.extra)
    note_end(parcel, false);
  for_each_client(parcel, [&](compat::OpenRequest& client) {
    if (!client.is_request())
      client = {}; // gets nothing
    else if (x.reason == DeadLetterReason::rejected)
      refuse(client, rejection(parcel, news));
    else if (x.reason == DeadLetterReason::not_stored)
      refuse(client, make_error(SenderError::not_stored, cause));
    else // without a cause there is no text, so that many can be given up at once
      refuse(client, make_error(error_of(x.reason), cause.empty() ? cause : named(cause)));
  });
}

// Whether an operator may want to see dead letters.
bool BackOffSender::keeps_letters() const {
  return seat() && options().observed_by->state()->keeps_letters();
}

void BackOffSender::record(const DeadLetter& letter, bool is_stored) {
  if (options().on_dead_letter) {
    try {
      options().on_dead_letter(letter);
    } catch (...) {
      tell_unread(letter, is_stored, detail::thrown_text(std::current_exception()));
    }
  }
  if (!is_stored && keeps_letters())
    keep(letter);
}

WallTime BackOffSender::wall_now() const {
  return store_ ? store_->wall_now() : wall_time(DurableOptions{});
}

// Keeps a letter for operators. With an outbox these see what is in there.
void BackOffSender::keep(const DeadLetter& letter) {
  const auto kept_by = desk();
  kept_by->keep(letter, wall_now());
  if (!seat()->shows_letters())
    seat()->show_letters({kept_by->letter_count(), false});
}

// Tells of a letter for which `on_dead_letter` threw an exception.
void BackOffSender::tell_unread(const DeadLetter& letter, bool is_stored,
                                const std::string& exception) {
  event::DeadLetterHookFailed news{now(), letter.id, exception, {}, {}};
  auto line = "backoff_actor: " + to_string(own_name()) + ": on_dead_letter threw for delivery "
              + std::to_string(letter.id) + ", " + std::string{to_string(letter.reason)} + ": "
              + exception;
  if (is_stored) {
    line += "; the outbox keeps the letter";
  } else {
    news.message = words_of(letter.message);
    news.letter = letter;
    line += "; nobody else gets the message " + news.message;
  }
  detail::tell_error_stream(line);
  if (options().on_event)
    tell(std::move(news));
}

// Tells of what no step of the engine has done.
void BackOffSender::tell(Event event) {
  event.of = own_name();
  try {
    options().on_event(event);
  } catch (...) {
    tell_failed_hook(detail::thrown_text(std::current_exception()));
  }
}

// Tells of the first exception of the hook for events.
void BackOffSender::tell_failed_hook(const std::string& exception) {
  if (!std::exchange(has_told_failed_hook_, true))
    detail::tell_error_stream(detail::failed_hook_line(to_string(own_name()), exception));
}

// -- who observes it, and operators -----------------------------------------------------

void BackOffSender::show_this() {
  // Reads only what stays as it is until the seat is gone.
  const auto make_desk = [](void* actor) -> std::shared_ptr<detail::Operable> {
    const auto& self = *static_cast<const BackOffSender*>(actor);
    return std::make_shared<detail::OperatorDesk>(self.address(), self.options().outbox);
  };
  ties().seat = std::make_unique<detail::SenderSeat>(settings_->kind, id(),
                                                     detail::OperableMaker{make_desk, this});
  if (options().outbox)
    ties().seat->show_letters({options().outbox.queue_->letter_count(), true});
}

std::shared_ptr<detail::OperatorDesk> BackOffSender::desk() const {
  return seat() ? std::static_pointer_cast<detail::OperatorDesk>(seat()->operable()) : nullptr;
}

void BackOffSender::publish() {
  steps_ = 0;
  auto* const seat = this->seat();
  if (!seat)
    return;
  auto glance = engine_.glance();
  if (const auto* const known = calendar_if_any())
    known->show(glance, recent_now());
  seat->publish(glance, recent_now());
  if (options().pool.is_pool())
    seat->publish(engine_.pool_glance());
}

void BackOffSender::on_operator_news() {
  const auto desk = this->desk(); // an answer may end this sender
  if (!desk)
    return;
  auto status = engine_.status(now());
  status.name = own_name();
  desk->answer(*this, to_string(status));
}

// Why something failed, if the input says so.
void BackOffSender::note_cause(const Input& input) {
  const auto* const text = std::visit(
    [](const auto& x) -> const std::string* {
      if constexpr (requires { x.cause.text; })
        return x.cause.text.empty() ? nullptr : &x.cause.text;
      else
        return nullptr;
    },
    input);
  if (auto* const seat = this->seat(); seat && text)
    seat->note_cause(*text, recent_now());
}

} // namespace backoff_actor
