// Which delivery is charged with the failure of a child, and what becomes of it.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <algorithm>

namespace backoff_actor {

// Returns the delivery to charge with a crash or a hang of the lane's child:
//   1. `named`, the delivery whose held error stems from the crash, if there is one;
//   2. none, if the child works on many and holds several: these deliveries become suspects;
//   3. `unanswered`, the oldest that the child had not answered;
//   4. the oldest that the child holds, if it had answered all.
// After a crash, the engine has settled the held errors before it asks.
DeliverySlots::Slot SenderEngine::Step::culprit_in(Lane& lane, Slot named, Slot unanswered) {
  if (named != DeliverySlots::none)
    return named;
  if (options_.works_on == WorksOn::many && lane.in_flight.count > 1)
    return suspect_all(lane);
  return unanswered != DeliverySlots::none ? unanswered : lane.in_flight.first;
}

// Returns the first held error that carries the reason of the crash: it stems from the crash.
std::vector<SenderEngine::Lane::Held>::const_iterator
SenderEngine::Step::error_of_crash(const std::vector<Lane::Held>& held, const Cause& reason) {
  return std::find_if(held.begin(), held.end(), [&](const Lane::Held& answer) {
    return !answer.is_bounce && answer.cause.code == reason.code;
  });
}

DeliverySlots::Slot SenderEngine::Step::oldest_unanswered(const Lane& lane) const {
  auto slot = lane.in_flight.first;
  while (slot != DeliverySlots::none && backlog_[slot].held)
    slot = backlog_.after_in_list(slot);
  return slot;
}

// Marks all unanswered deliveries of the child as suspects, or all if it has answered all.
DeliverySlots::Slot SenderEngine::Step::suspect_all(Lane& lane) {
  const auto all_are_held = lane.held.size() == lane.in_flight.count;
  for (auto slot = lane.in_flight.first; slot != DeliverySlots::none;
       slot = backlog_.after_in_list(slot))
    if (all_are_held || !backlog_[slot].held)
      backlog_.set_suspect(slot, true);
  return DeliverySlots::none;
}

// Charges the culprit, if it is still owed. The child's other deliveries go back to the backlog,
// and so does the culprit unless it ends. The culprit of a child that works on many becomes a
// suspect. A delivery that a child held when an earlier process ended is a suspect already, and
// stays one.
void SenderEngine::Step::blame(Lane& lane, Slot slot, const SharedCause& cause, Verdict verdict) {
  // This is one failure of the service, however many calls were in flight.
  if (const auto failed = slot != DeliverySlots::none ? slot : lane.in_flight.first;
      failed != DeliverySlots::none)
    gate_.report(failed, CallOutcome::failed, now_);
  if (slot != DeliverySlots::none && backlog_[slot].is_ghost)
    slot = DeliverySlots::none;
  else if (slot != DeliverySlots::none)
    drop_held(lane, slot);
  take_back(lane);
  if (slot != DeliverySlots::none && options_.works_on == WorksOn::many)
    backlog_.set_suspect(slot, true); // otherwise it stays one, if its process has ended before
  if (verdict == Verdict::give_up || verdict == Verdict::escalate) {
    if (slot != DeliverySlots::none) {
      backlog_.charge(slot);
      note_failure(slot, cause);
    }
    return give_up(verdict == Verdict::escalate, DeliverySlots::none, cause);
  }
  if (slot == DeliverySlots::none)
    return;
  if (verdict == Verdict::reject)
    return reject(slot, cause);
  if (charge_or_bury(slot, cause) && options_.ordering != Ordering::strict)
    deferred_.push_back({slot, &lane, Duration::zero()});
}

// Whether an error of the child itself, not a bounce, is held for the delivery.
bool SenderEngine::Step::has_meant_to_answer(const Lane& lane, Slot slot) const {
  return std::any_of(lane.held.begin(), lane.held.end(), [&](const Lane::Held& answer) {
    return answer.slot == slot && !answer.is_bounce;
  });
}

} // namespace backoff_actor
