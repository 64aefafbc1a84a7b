// Deliveries that are cancelled, or whose payload is replaced.
//
// A delivery that waits ends at once. One that a child has ends with the child's next answer about
// it, or with the child:
//
//     Cancel ── TellCancelled ── kill_grace ── TellToEnd ── kill_grace ── Abandon
//
// The first grace is the delivery's deadline from now on (`Backlog::hasten`, `first_late`), and
// `expire` (sender_dead_letters.cpp) ends the child when it is over. So an
// earlier deadline of its own, or `ack_timeout`, makes it shorter. What happens to such a child
// meanwhile is nobody's failure: neither a delivery nor the child is charged with it.

#include "backoff_actor/engine/sender/internal/sender_step_inline.hpp"

namespace backoff_actor {

void SenderEngine::Step::operator()(const input::Cancel& x) {
  if (!backlog_.holds(x.slot, x.delivery) || backlog_[x.slot].is_ghost)
    return;
  const auto was_cancelled = bool{backlog_[x.slot].is_cancelled};
  backlog_.set_cancelled(x.slot, x.wants_letter || backlog_[x.slot].wants_letter);
  if (backlog_[x.slot].place != Place::in_flight)
    return end_cancelled(x.slot);
  const auto& delivery = backlog_[x.slot];
  emit(effect::TellCancelled{x.slot, delivery.id, delivery.incarnation,
                             backlog_.last_hand_over(x.slot), delivery.wants_letter});
  if (was_cancelled)
    return;
  backlog_.hasten(x.slot, now_ + options_.kill_grace);
  observe_of(delivery, [&] {
    return event::CancelRequested{now_, delivery.id, delivery.incarnation};
  });
}

// If the delivery was cancelled, whatever its child says of it but that it is done ends it. Returns
// whether it was.
bool SenderEngine::Step::ends_instead(Slot slot) {
  if (!is_cancelled(slot))
    return false;
  end_cancelled(slot);
  return true;
}

// With a store, those behind it wait until that is stored: a process that dies must not bring it
// back after a younger one was begun.
void SenderEngine::Step::end_cancelled(Slot slot) {
  tell_cancelled(slot);
  if (!options_.persist)
    return remove(slot);
  if (backlog_[slot].place == Place::in_flight) {
    auto& lane = *holder_of(slot);
    drop_held(lane, slot);
    note_given_back(slot);
    backlog_.give_back(lane.in_flight, slot);
  }
  backlog_.leave_place(slot);
}

void SenderEngine::Step::operator()(const input::CancelStored& x) {
  if (backlog_.holds(x.slot, x.delivery) && backlog_.keeps_place(x.slot))
    backlog_.remove_place(x.slot);
}

void SenderEngine::Step::tell_cancelled(Slot slot) {
  const auto& delivery = backlog_[slot];
  if (delivery.wants_letter)
    return tell_dead_letter(slot, DeadLetterReason::cancelled, last_failure_of(slot, nullptr));
  if (backlog_.mark_stored(slot))
    note_accepted(delivery.id);
  ++work_.counters.cancelled;
  emit(effect::Cancelled{slot, delivery.id});
  observe_of(delivery, [&] { return event::Cancelled{now_, delivery.id, delivery.attempts}; });
}

bool SenderEngine::Step::holds_cancelled(const Lane& lane) const {
  for (auto slot = lane.in_flight.first; slot != DeliverySlots::none;
       slot = backlog_.after_in_list(slot))
    if (is_cancelled(slot))
      return true;
  return false;
}

// The child has not answered in time. What it holds stays with it until it has ended.
void SenderEngine::Step::end_child_of_cancelled(Lane& lane) {
  if (lane.child != Child::alive || is_ending())
    return; // it was told to end
  emit(effect::TellToEnd{lane.incarnation});
  lane.child = Child::leaving;
  lane.end_of_grace = now_ + options_.kill_grace;
  lane.is_overdue = false;
}

// -- replaced -----------------------------------------------------------------------------
//
// A delivery that waits gets another payload, and stays where it is. What a child said, or will
// say, of the old payload means nothing for the new one. With a store it is not handed over until
// the store has answered: a process that dies must not bring an old payload back after a newer one
// was done. The driver asks for nothing for one that has a note: its work has begun.

void SenderEngine::Step::operator()(const input::Replace& x) {
  if (!backlog_.holds(x.slot, x.delivery) || backlog_[x.slot].place == Place::in_flight
      || backlog_[x.slot].is_ghost || backlog_.has_note(x.slot))
    return;
  backlog_.begin_replacing(x.slot, x.weight, options_.persist);
  if (work_.evidence) {
    work_.evidence->of_service.forget(x.delivery);
    work_.evidence->of_fallback.forget(x.delivery);
  }
  emit(effect::Replace{x.slot, x.delivery});
  if (!options_.persist)
    begin_anew(x.slot);
}

void SenderEngine::Step::operator()(const input::Replaced& x) {
  if (!backlog_.holds(x.slot, x.delivery) || !backlog_[x.slot].is_unwritten
      || backlog_[x.slot].is_ghost)
    return;
  backlog_.end_replacing(x.slot, x.weight);
  if (x.is_new)
    begin_anew(x.slot);
}

// The new payload has not failed.
void SenderEngine::Step::begin_anew(Slot slot) {
  const auto& delivery = backlog_[slot];
  observe([&] { return event::Replaced{now_, delivery.id, delivery.attempts}; });
  backlog_.forget_failures(slot);
}

} // namespace backoff_actor
