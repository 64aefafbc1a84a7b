// Which delivery is charged with the failure of a child, and what becomes of it.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <algorithm>

namespace backoff_actor {

// Returns the delivery to charge: the oldest unanswered one, or the oldest if all were answered. If
// the child works on many and held several, returns none: these deliveries become suspects.
DeliverySlots::Slot SenderEngine::Step::culprit_in(Lane& lane) {
  if (options_.works_on == WorksOn::many && lane.in_flight.count > 1)
    return suspect_all(lane);
  const auto slot = oldest_unanswered(lane);
  return slot != DeliverySlots::none ? slot : lane.in_flight.first;
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
