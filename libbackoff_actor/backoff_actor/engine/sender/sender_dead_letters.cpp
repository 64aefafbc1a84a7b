// How deliveries end: as dead letters, when a child failed on them too often, at their deadlines,
// and as ghosts.

#include "backoff_actor/engine/sender/internal/sender_step_inline.hpp"

#include <memory>
#include <string>
#include <utility>

namespace backoff_actor {

// The delivery ends, wherever it is.
void SenderEngine::Step::remove(Slot slot) {
  if (backlog_[slot].place != Place::in_flight)
    return backlog_.remove(slot);
  remove_from(*holder_of(slot), slot);
}

// The last failure of the delivery itself, if it has failed; else `otherwise`.
SenderEngine::Step::SharedCause
SenderEngine::Step::last_failure_of(Slot slot, const SharedCause& otherwise) const {
  auto own = backlog_.last_failure_of(slot);
  return own ? own : otherwise;
}

void SenderEngine::Step::tell_dead_letter(Slot slot, DeadLetterReason reason,
                                          const SharedCause& cause) {
  const auto& delivery = backlog_[slot];
  emit(effect::DeadLetter{slot, reason, delivery.attempts, delivery.id, delivery.submitted_at,
                          cause, worker_of_delivery(delivery)});
  const auto was_stored = !backlog_.mark_stored(slot);
  if (reason == DeadLetterReason::not_stored) {
    ++work_.counters.refused;
    return observe([&] { return event::NotAccepted{now_, Refusal::not_stored}; });
  }
  if (!was_stored)
    note_accepted(delivery.id); // it is stored as a dead letter
  ++work_.counters.dead_lettered;
  observe_of(delivery, [&] {
    return event::DeadLettered{now_, delivery.id, reason, delivery.attempts,
                               cause ? *cause : Cause{}};
  });
}

void SenderEngine::Step::bury(Slot slot, DeadLetterReason reason, const SharedCause& cause) {
  tell_dead_letter(slot, reason, cause);
  remove(slot);
}

void SenderEngine::Step::reject(Slot slot, const SharedCause& cause) {
  charge(slot);
  bury(slot, DeadLetterReason::rejected, cause);
}

// -- failed too often ---------------------------------------------------------------------

// How often the owed delivery may be charged; nothing: any number of times.
std::optional<std::uint32_t> SenderEngine::Step::limit_of(Slot slot) const {
  const auto* const own = work_.has_own_limits ? backlog_.own_retries_of(slot) : nullptr;
  if (own != nullptr && own->max_attempts)
    return own->max_attempts;
  const auto* const of_class = retries_for(slot);
  return of_class != nullptr && of_class->max_attempts ? of_class->max_attempts
                                                       : options_.max_attempts;
}

// How failures of the class of the delivery's last failure are retried; null: as all others.
const ReasonRetries* SenderEngine::Step::retries_for(Slot slot) const {
  return options_.by_reason.empty() ? nullptr : options_.by_reason.find(backlog_.reason_of(slot));
}

bool SenderEngine::Step::is_exhausted(Slot slot) const {
  const auto limit = limit_of(slot);
  return limit && backlog_[slot].attempts >= *limit;
}

// It may have been charged with its last attempt while the child had it again.
void SenderEngine::Step::charge(Slot slot) {
  if (!is_exhausted(slot))
    backlog_.charge(slot);
}

// The child refused the delivery, or crashed or hung over it. Charges the delivery if it is at
// fault; `FailureEvidence` finds that out. Buries it if it has no attempt left: that is a poison
// message. Buries it, too, if it fails for too long without a charge. Returns whether it is still
// owed.
bool SenderEngine::Step::charge_or_bury(Slot slot, const SharedCause& cause, Blame blame,
                                        FailureReason reason) {
  backlog_.set_failed(slot);
  const auto is_charged = blame == Blame::message;
  if (is_charged)
    charge(slot); // before the limit changes with the class
  note_reason(slot, reason);
  if (is_exhausted(slot)) {
    bury(slot, DeadLetterReason::attempts_exhausted, cause);
    return false;
  }
  if (is_charged) {
    note_failure(slot, cause);
    backlog_.uncharged_since(slot) = Instant::never();
    return true;
  }
  backlog_.set_last_failure(slot, cause);
  const auto uncharged = fails_for_too_long(slot);
  if (!uncharged)
    return true;
  bury(slot, DeadLetterReason::expired,
       std::make_shared<const Cause>(
         Cause{cause->code, cause->text + (cause->text.empty() ? "" : "; ") + "not charged for "
                              + to_string(*uncharged) + ", as the service may have been down"}));
  return false;
}

// The delivery was charged for `cause`, and stays owed.
void SenderEngine::Step::note_failure(Slot slot, const SharedCause& cause) {
  backlog_.set_last_failure(slot, cause);
  count_attempts(slot);
}

// The store keeps how many attempts the owed delivery was charged with.
void SenderEngine::Step::count_attempts(Slot slot) {
  const auto& delivery = backlog_[slot];
  if (options_.persist)
    emit(effect::CountAttempts{slot, delivery.id, delivery.attempts});
}

// Earlier processes ended `hand_overs` times, at least once, while a child held the delivery.
// Buries it if `max_hand_overs` allows no more. Otherwise it becomes a suspect, so that no other
// delivery pays for it.
void SenderEngine::Step::suspect_or_bury(Slot slot, std::uint32_t hand_overs) {
  backlog_.set_suspect(slot, true);
  if (hand_overs < *options_.max_hand_overs)
    return;
  bury(slot, DeadLetterReason::hand_overs_exhausted,
       std::make_shared<const Cause>(Cause{0, "the process ended " + std::to_string(hand_overs)
                                                + (hand_overs == 1 ? " time" : " times")
                                                + " while a child had it"}));
}

// -- deadlines and ghosts -----------------------------------------------------------------

// The delivery's deadline has passed. If a child holds it, a ghost stays in flight.
void SenderEngine::Step::expire(Slot slot) {
  if (backlog_[slot].is_cancelled) { // its grace is over
    backlog_.forget_deadline(slot);
    return end_child_of_cancelled(*holder_of(slot));
  }
  const auto cause = last_failure_of(slot, work_.last_failure);
  if (backlog_[slot].place != Place::in_flight)
    return bury(slot, DeadLetterReason::expired, cause);
  tell_dead_letter(slot, DeadLetterReason::expired, cause);
  backlog_.leave_ghost(slot);
}

// The child is done with a ghost.
void SenderEngine::Step::vanish(Lane& lane, Slot ghost) {
  lane.last_progress = now_;
  gate_.report(ghost, CallOutcome::forgotten, now_);
  drop_held(lane, ghost);
  backlog_.remove_ghost(lane.in_flight, ghost);
}

} // namespace backoff_actor
