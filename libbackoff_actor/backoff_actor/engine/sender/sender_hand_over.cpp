// The end of every step: the engine does whatever has become possible, and asks for the next
// wake-up. All that an ordinary step needs is in this file, or inline in the headers that it
// includes.

#include "backoff_actor/engine/sender/internal/sender_step_inline.hpp"

#include <algorithm>

namespace backoff_actor {

// -- handed over ----------------------------------------------------------------------

// Returns the delivery whose turn it is, after it has expired those whose deadline has passed.
DeliverySlots::Slot SenderEngine::Step::next_in_time() {
  for (;;) {
    const auto slot = backlog_.next();
    if (slot == DeliverySlots::none || !backlog_.is_late(slot, now_))
      return slot;
    expire(slot);
  }
}

// The same, but while the guard is not closed, one that was never tried goes before one that has
// failed. So a message that always fails does not use up all probes.
DeliverySlots::Slot SenderEngine::Step::next_to_try() {
  const auto slot = next_in_time();
  if (slot == DeliverySlots::none || !backlog_[slot].has_failed || !finds_fault()
      || options_.ordering == Ordering::strict || gate_.is_closed())
    return slot;
  const auto fresh = next_fresh_in_time();
  return fresh != DeliverySlots::none ? fresh : slot;
}

DeliverySlots::Slot SenderEngine::Step::next_fresh_in_time() {
  for (;;) {
    const auto slot = backlog_.next_fresh();
    if (slot == DeliverySlots::none || !backlog_.is_late(slot, now_))
      return slot;
    expire(slot);
  }
}

[[gnu::always_inline]] inline bool SenderEngine::Step::has_room(const Lane& lane) const {
  return lane.child == Child::alive && !lane.delay_runs && lane.in_flight.count < lane.window
         && !is_held_back(lane);
}

// A suspect must be the only delivery with its child.
[[gnu::always_inline]] inline bool SenderEngine::Step::may_take(const Lane& lane, Slot slot) const {
  if (!has_room(lane))
    return false;
  return lane.in_flight.count == 0
         || !(backlog_[slot].is_suspect || backlog_[lane.in_flight.first].is_suspect);
}

[[gnu::always_inline]] inline void SenderEngine::Step::hand_over(Lane& lane, Slot slot) {
  const auto again = backlog_[slot].incarnation != 0;
  const auto id = backlog_[slot].id;
  const auto name = backlog_.hand_over(lane.in_flight, slot, lane.incarnation, lane.epoch, now_);
  backlog_.set_worker(slot, lane.index);
  if (is_guarded(lane))
    gate_.keep_permit(slot);
  lane.was_handed_something = true;
  ++work_.counters.hand_overs;
  work_.counters.resends += again ? 1 : 0;
  emit(effect::HandOver{slot, id, lane.incarnation, name});
  observe_of(lane, [&] { return event::HandedOver{now_, id, lane.incarnation, again}; });
}

// The short way: there is one lane, and no guard.
[[gnu::always_inline]] inline void SenderEngine::Step::hand_over_to(Lane& lane) {
  while (has_room(lane)) {
    auto slot = backlog_.next();
    if (slot != DeliverySlots::none && backlog_.is_late(slot, now_))
      slot = next_in_time();
    if (slot == DeliverySlots::none || !may_take(lane, slot))
      return;
    hand_over(lane, slot);
  }
}

[[gnu::always_inline]] inline void SenderEngine::Step::hand_over_waiting() {
  if (is_closing())
    return;
  const auto* fallback = work_.lanes.fallback();
  if (fallback != nullptr && !fallback->is_wanted) {
    if (fallback->in_flight.count != 0)
      return;
    come_back();
    fallback = nullptr;
  }
  if (work_.is_paused || work_.is_store_behind || now_ >= work_.sure_until)
    return;
  if (options_.guard || work_.pool || fallback != nullptr)
    hand_over_by_choice();
  else
    hand_over_to(work_.lanes.first());
}

// -- by choice ----------------------------------------------------------------------------

// There is a choice of lanes, or a guard that has a say.
void SenderEngine::Step::hand_over_by_choice() {
  if (auto& first = work_.lanes.first(); work_.lanes.fallback() != nullptr
                                         && first.child == Child::none && !first.delay_runs
                                         && next_in_time() != DeliverySlots::none)
    start_child(first); // the next delivery shows if the child is well
  start_what_was_put_off();
  while (has_free_lane()) {
    const auto slot = next_to_try();
    if (slot == DeliverySlots::none || is_alone_in_process(slot))
      return;
    if (hand_over_to_one(slot))
      continue;
    // A first attempt may go ahead of a retry that waits for the guard's budget.
    const auto fresh = is_held_retry(slot) ? next_fresh_in_time() : DeliverySlots::none;
    if (fresh == DeliverySlots::none || !hand_over_to_one(fresh, /*is_ahead=*/true))
      return;
  }
}

// Whether one of the lanes may be given something. In a pool, `lane_for` finds out which has room.
bool SenderEngine::Step::has_free_lane() const {
  if (!work_.pool)
    return work_.lanes.any([this](const Lane& lane) { return has_room(lane); });
  return !gate_.is_held_back();
}

// The lane that is to be given the delivery; null: none may take it now. In a pool, one that is to
// be alone waits for a worker that holds none, and those behind it wait, too: otherwise it might
// wait for ever.
SenderEngine::Lane* SenderEngine::Step::lane_for(Slot slot, bool is_ahead) {
  const auto is_held = is_held_retry(slot);
  if (work_.pool)
    return is_held || gate_.is_held_back() ? nullptr : free_worker(backlog_[slot].is_suspect);
  for (auto& lane : work_.lanes)
    if (may_take(lane, slot) && (lane.is_fallback ? !is_ahead : !is_held))
      return &lane;
  return nullptr;
}

// Returns whether a lane took the delivery.
bool SenderEngine::Step::hand_over_to_one(Slot slot, bool is_ahead) {
  auto* lane = lane_for(slot, is_ahead);
  while (lane != nullptr && !is_admitted(*lane, slot))
    lane = lane_for(slot, is_ahead); // the guard holds back more than before
  if (lane == nullptr)
    return false;
  hand_over(*lane, slot);
  if (work_.pool)
    place(*lane);
  return true;
}

// Whether a delivery is out, or next, that may end the whole process: no other may be out with it.
bool SenderEngine::Step::is_alone_in_process(Slot next) {
  if (!work_.pool || !options_.max_hand_overs)
    return false;
  auto& is_alone = work_.pool->is_alone;
  if (backlog_.size_in_flight() == 0 && backlog_.ghosts() == 0)
    is_alone = false;
  if (is_alone || (backlog_[next].is_suspect && backlog_.size_in_flight() + backlog_.ghosts() != 0))
    return true;
  is_alone = backlog_[next].is_suspect;
  return false;
}

// -- taken back --------------------------------------------------------------------------

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
  if (ends_instead(slot))
    return;
  note_given_back(slot);
  backlog_.give_back(lane.in_flight, slot);
}

// -- the next wake-up -------------------------------------------------------------------

[[gnu::always_inline]] inline Instant SenderEngine::Step::next_due() const {
  auto result = std::min({backlog_.next_due(), work_.end_of_patience, gate_.next_due()});
  if (!work_.drains.empty())
    result = std::min(result, work_.drains.earliest().deadline);
  if (work_.pool)
    return std::min(result, work_.pool->next_due());
  result = std::min(result, due_of(work_.lanes.first()));
  const auto* const fallback = work_.lanes.fallback();
  return fallback != nullptr ? std::min(result, due_of(*fallback)) : result;
}

// Only one wake-up is pending at a time. It may come too early, if its cause was postponed or is
// gone. Then the engine asks for a new one.
[[gnu::always_inline]] inline void SenderEngine::Step::ask_for_wake_up(Instant due) {
  if (work_.wake_at <= due)
    return;
  work_.wake_at = due;
  emit(effect::WakeAt{due});
}

// -- all of it --------------------------------------------------------------------------

[[gnu::always_inline]] inline void SenderEngine::Step::do_what_is_possible() {
  if (work_.pool) {
    tend_pool();
  } else { // a loop over the lanes would cost each message more
    give_child(work_.lanes.first());
    if (auto* const fallback = work_.lanes.fallback())
      give_child(*fallback);
  }
  if (!deferred_.empty())
    pause_deferred();
  hand_over_waiting();
  if (work_.pool)
    scale_pool();
  if (gate_.has_permit_in_hand() && !(gate_.has_permit_to_start() && is_child_starting()))
    gate_.return_unused(now_);
  if (work_.is_draining && self_.owed() == 0)
    answer_drains(0);
  ask_for_wake_up(next_due());
}

// When nothing is owed, nobody could be charged any more.
void SenderEngine::Step::forget_evidence() {
  if ((work_.evidence || work_.has_own_limits) && backlog_.empty()) {
    work_.evidence = nullptr;
    work_.has_own_limits = false;
  }
}

void SenderEngine::Step::finish() {
  forget_evidence();
  if (!self_.stopped_ && is_closing())
    go_on_closing();
  if (self_.stopped_)
    return;
  do_what_is_possible();
  forget_evidence(); // the last may have expired
}

} // namespace backoff_actor
