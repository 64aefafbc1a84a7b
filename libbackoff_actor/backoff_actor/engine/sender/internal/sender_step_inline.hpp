#pragma once

// Inside of the engine; not for its users. The members of a step that every message needs: inline,
// so that it is spared the calls.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <algorithm>

namespace backoff_actor {

// The lane whose present child was the last to be given the delivery; null if that child is gone.
inline SenderEngine::Lane* SenderEngine::Step::holder_of(Slot slot) {
  const auto& delivery = backlog_[slot];
  auto* const lane = work_.lanes.find(delivery.worker);
  if (lane == nullptr)
    return nullptr; // it was the fallback
  mark_changed(*lane);
  return lane->incarnation == delivery.incarnation ? lane : nullptr;
}

// The child no longer has the delivery, which is no ghost.
[[gnu::always_inline]] inline void SenderEngine::Step::note_given_back(Slot slot) {
  gate_.report(slot, CallOutcome::forgotten, now_);
  if (options_.max_hand_overs)
    emit(effect::GiveBack{slot, backlog_[slot].id});
}

// The delivery, which the lane's child has, ends.
[[gnu::always_inline]] inline void SenderEngine::Step::remove_from(Lane& lane, Slot slot) {
  drop_held(lane, slot);
  note_given_back(slot);
  backlog_.remove_in_flight(lane.in_flight, slot);
}

// When the ack timeout of the child's deliveries runs out.
inline Instant SenderEngine::Step::ack_due(const Lane& lane) const {
  if (!options_.ack_timeout || lane.child != Child::alive || lane.in_flight.count == 0
      || is_ending())
    return Instant::never();
  const auto start = backlog_[lane.in_flight.first].clock_start;
  return (options_.works_on == WorksOn::one ? std::max(start, lane.last_progress) : start)
         + *options_.ack_timeout;
}

// When the lane has something due.
inline Instant SenderEngine::Step::due_of(const Lane& lane) const {
  auto result = ack_due(lane);
  if (lane.delay_runs)
    result = std::min(result, lane.due);
  if (lane.child == Child::leaving && !lane.is_overdue)
    result = std::min(result, lane.end_of_grace);
  return result;
}

// -- taken in ---------------------------------------------------------------------------

// There must be a slot.
[[gnu::always_inline]] inline DeliverySlots::Slot
SenderEngine::Step::put_in(const Backlog::NewDelivery& x) {
  const auto slot = backlog_.push(x);
  emit(effect::Accept{slot, x.id});
  return slot;
}

[[gnu::always_inline]] inline void SenderEngine::Step::note_accepted(std::uint64_t delivery) {
  ++work_.counters.accepted;
  observe([&] { return event::Accepted{now_, delivery}; });
}

// Turns a submission into a delivery. There must be a slot.
[[gnu::always_inline]] inline DeliverySlots::Slot SenderEngine::Step::push(const input::Submit& x) {
  const auto id = ++work_.last_delivery;
  const auto slot = put_in({id, now_, x.key, x.weight, 0, !options_.persist});
  if (options_.persist) {
    emit(effect::Persist{slot, id});
  } else {
    note_accepted(id);
  }
  return slot;
}

// Called after room was made. Returns whether the delivery is still owed afterwards.
[[gnu::always_inline]] inline bool SenderEngine::Step::take_in(const input::Submit& x) {
  const auto has_no_room = is_full(backlog_.owed(), x.weight);
  const auto slot = push(x);
  const auto is_late = x.deadline <= now_;
  if (is_late || has_no_room) {
    bury(slot, is_late ? DeadLetterReason::expired : DeadLetterReason::dropped, work_.last_failure);
    return false;
  }
  if (x.deadline != Instant::never())
    backlog_.set_deadline(slot, x.deadline);
  if (x.has_source)
    backlog_.note_source(slot);
  if (x.own)
    note_own(slot, *x.own);
  if (x.key == 0 && options_.ordering == Ordering::per_key)
    hint(event::Hint::About::no_key, work_.last_delivery);
  return true;
}

} // namespace backoff_actor
