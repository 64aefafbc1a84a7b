// Owed deliveries: accepted, taken back, acknowledged, given up.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

// -- taken in -----------------------------------------------------------------------

void SenderEngine::Step::operator()(const input::Submit& x) {
  if (work_.mode >= Mode::forwarding)
    return is_ending() ? refuse(Refusal::draining) : pass_on(x);
  if (x.is_unusable || work_.is_draining || !make_room(x))
    return refuse(x.is_unusable       ? Refusal::unusable
                  : work_.is_draining ? Refusal::draining
                                      : Refusal::outbox_full);
  auto& serving = work_.serving_lane();
  if (backlog_.empty() && serving.child == Child::alive && !serving.delay_runs)
    serving.is_failing = false; // what fails now fails for the first time in a row
  if (take_in(x) && serving.child == Child::none && !serving.delay_runs)
    start_child(serving); // the last one stopped normally, with nothing owed
}

// A join brings no new work, so no delivery is dropped for it: it finds room, or is refused.
void SenderEngine::Step::operator()(const input::Join& x) {
  if (!backlog_.holds(x.slot, x.delivery) || backlog_[x.slot].is_ghost)
    return;
  if (is_ending() || backlog_.owed().deliveries >= options_.capacity)
    return refuse(is_ending() ? Refusal::draining : Refusal::outbox_full);
  backlog_.join(x.slot, x.until_stored);
  emit(effect::Join{x.slot, x.until_stored});
}

void SenderEngine::Step::refuse(Refusal reason) {
  ++work_.counters.refused;
  emit(effect::Refuse{reason});
  observe([&] { return event::NotAccepted{now_, reason}; });
}

// Whether the submission is accepted, even if it is then dropped at once.
bool SenderEngine::Step::make_room(const input::Submit& x) {
  if (!backlog_.has_slot())
    return false;
  if (!is_full(backlog_.owed(), x.weight) || options_.overflow == Overflow::drop_newest)
    return true;
  if (options_.overflow == Overflow::drop_oldest && x.deadline <= now_)
    return true; // it is gone at once
  if (options_.overflow == Overflow::refuse || is_full(backlog_.in_flight(), x.weight))
    return false;
  while (is_full(backlog_.owed(), x.weight)) {
    const auto slot = backlog_.oldest_waiting();
    bury(slot, DeadLetterReason::dropped, last_failure_of(slot, work_.last_failure));
  }
  return true;
}

// -- taken back -----------------------------------------------------------------------

// Takes back the deliveries that the lane's child holds, except those with a held error.
void SenderEngine::Step::take_back(Lane& lane) {
  for (auto slot = lane.in_flight.first; slot != DeliverySlots::none;) {
    const auto next = backlog_.after_in_list(slot);
    if (!backlog_[slot].held)
      give_back(lane, slot);
    slot = next;
  }
}

// The child no longer has the delivery.
void SenderEngine::Step::give_back(Lane& lane, Slot slot) {
  if (backlog_[slot].is_ghost)
    return vanish(lane, slot);
  note_given_back(slot);
  backlog_.give_back(lane.in_flight, slot);
}

// The child no longer has the delivery, which was owed until now at least.
void SenderEngine::Step::note_given_back(Slot slot) {
  gate_.report(slot, CallOutcome::forgotten, now_);
  if (options_.max_hand_overs)
    emit(effect::GiveBack{slot, backlog_[slot].id});
}

// -- acknowledged, given up -------------------------------------------------------------

void SenderEngine::Step::operator()(const input::Acknowledged& x) {
  const auto slot = backlog_.find(x.hand_over);
  if (slot == DeliverySlots::none || backlog_[slot].is_ghost) {
    note_unknown(x.said);
    if (slot != DeliverySlots::none && backlog_.is_latest(slot, x.hand_over)) {
      gate_.report(slot, CallOutcome::succeeded, now_);
      vanish(*lane_of(backlog_[slot].incarnation), slot);
    }
    return;
  }
  const auto delivery = backlog_[slot];
  const auto is_latest = backlog_.is_latest(slot, x.hand_over);
  emit(effect::Acknowledge{slot, delivery.id});
  if (delivery.place != Place::in_flight) {
    remove(slot);
  } else if (is_latest) {
    lane_of(delivery.incarnation)->last_progress = now_;
    gate_.report(slot, CallOutcome::succeeded, now_);
    remove(slot);
  } else {
    backlog_.leave_ghost(slot); // its present child does not know that an earlier one has done it
  }
  ++work_.counters.acknowledged;
  observe([&] {
    return event::Acknowledged{now_, delivery.id, delivery.incarnation, delivery.attempts,
                               now_ - delivery.submitted_at};
  });
  if (!is_latest)
    return;
  for_each_lane([&](Lane& lane) {
    if (lane.epoch != delivery.epoch)
      return;
    if (lane.window < lane.full_window)
      ++lane.window;
    reset_backoff(lane);
    if (is_primary(lane) && work_.mode == Mode::on_fallback)
      work_.mode = Mode::returning;
  });
}

// The delivery ends, wherever it is.
void SenderEngine::Step::remove(Slot slot) {
  if (backlog_[slot].place != Place::in_flight)
    return backlog_.remove(slot);
  auto& lane = *lane_of(backlog_[slot].incarnation);
  drop_held(lane, slot);
  note_given_back(slot);
  backlog_.remove_in_flight(lane.in_flight, slot);
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
  emit(
    effect::DeadLetter{slot, reason, delivery.attempts, delivery.id, delivery.submitted_at, cause});
  const auto was_stored = !backlog_.mark_stored(slot);
  if (reason == DeadLetterReason::not_stored) {
    ++work_.counters.refused;
    return observe([&] { return event::NotAccepted{now_, Refusal::not_stored}; });
  }
  if (!was_stored)
    note_accepted(delivery.id); // it is stored as a dead letter
  ++work_.counters.dead_lettered;
  observe([&] {
    return event::DeadLettered{now_, delivery.id, reason, delivery.attempts,
                               cause ? *cause : Cause{}};
  });
}

void SenderEngine::Step::bury(Slot slot, DeadLetterReason reason, const SharedCause& cause) {
  tell_dead_letter(slot, reason, cause);
  remove(slot);
}

// The delivery's deadline has passed. If a child holds it, a ghost stays in flight.
void SenderEngine::Step::expire(Slot slot) {
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
