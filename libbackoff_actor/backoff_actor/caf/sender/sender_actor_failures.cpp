// How a sender reports failures: to its clients, to the readers of dead letters, and by its exit
// reason.

#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/sender/internal/idempotency_keys.hpp"
#include "backoff_actor/caf/sender/internal/sender_actor.hpp"
#include "backoff_actor/delivery/delivery_slots.hpp"

#include <caf/sec.hpp>

#include <utility>
#include <variant>

namespace backoff_actor {

namespace {

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
  case DeadLetterReason::rejected: // the client gets the child's error
  case DeadLetterReason::stopped:
  case DeadLetterReason::hand_overs_exhausted: // found in a new process: no client waits
  case DeadLetterReason::set_aside:            // no client waits
    break;
  }
  return SenderError::stopped;
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
  if (!x.cause)
    return {};
  auto reason = x.slot == DeliverySlots::none ? just_come(news) : rejection(parcels_[x.slot], news);
  // After a normal stop of the child there is no error to escalate.
  if (x.escalates && reason) // an escalated normal stop would look like one of the sender's own
    return reason;
  return make_error(SenderError::gave_up, named(x.cause->text));
}

void BackOffSender::bury(const effect::DeadLetter& x, const News* news) {
  auto parcel = std::exchange(parcels_[x.slot], {});
  const auto cause = x.cause ? x.cause->text : std::string{};
  if (options().dead_letters || options().on_dead_letter)
    record({x.delivery, x.reason, x.attempts, cause, now() - x.submitted_at, parcel.payload,
            parcel.extra ? parcel.extra->key : std::string{}, parcel.source(),
            parcel.extra ? parcel.extra->idempotency_key : std::string{}});
  if (store_ && x.reason != DeadLetterReason::not_stored)
    store_->bury(x.delivery, x.reason, x.attempts, cause, now());
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

void BackOffSender::record(DeadLetter letter) const {
  if (options().on_dead_letter) {
    try {
      options().on_dead_letter(letter);
    } catch (...) {
      // A failed report of one dead letter must not cost the next one.
    }
  }
  // Without a sender, so that an answer to it does not come back as a submission.
  if (options().dead_letters)
    compat::enqueue(options().dead_letters, std::move(letter));
}

} // namespace backoff_actor
