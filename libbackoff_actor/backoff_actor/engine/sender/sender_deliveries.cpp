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
  if (work_.outbox.empty() && serving.child == Child::alive && !serving.delay_runs)
    serving.is_failing = false; // what fails now fails for the first time in a row
  if (take_in(x) && serving.child == Child::none && !serving.delay_runs)
    start_child(serving); // the last one stopped normally, with nothing owed
}

// A join brings no new work, so no delivery is dropped for it: it finds room, or is refused.
void SenderEngine::Step::operator()(const input::Join& x) {
  if (!work_.outbox.holds(x.slot, x.delivery) || work_.outbox[x.slot].is_ghost)
    return;
  if (is_ending() || work_.outbox.size() + work_.joined >= options_.capacity)
    return refuse(is_ending() ? Refusal::draining : Refusal::outbox_full);
  auto& extra = extra_of(x.slot);
  ++extra.joined;
  extra.joined_until_stored += x.until_stored ? 1 : 0;
  ++work_.joined;
  emit(effect::Join{x.slot, x.until_stored});
}

void SenderEngine::Step::refuse(Refusal reason) {
  ++work_.counters.refused;
  emit(effect::Refuse{reason});
  observe([&] { return event::NotAccepted{now_, reason}; });
}

// Whether the submission is accepted, even if it is then dropped at once.
bool SenderEngine::Step::make_room(const input::Submit& x) {
  auto& outbox = work_.outbox;
  if (!outbox.has_room())
    return false;
  const auto bytes = options_.capacity_bytes;
  const auto is_full = [&](std::size_t owed, std::uint64_t owed_bytes) {
    return owed + work_.joined >= options_.capacity || (bytes && owed_bytes + x.weight > *bytes);
  };
  if (!is_full(outbox.size(), work_.owed_bytes) || options_.overflow == Overflow::drop_newest)
    return true;
  if (options_.overflow == Overflow::drop_oldest && x.deadline <= now_)
    return true; // it is gone at once
  if (options_.overflow == Overflow::refuse || is_full(work_.in_flight_owed, work_.in_flight_bytes))
    return false;
  while (is_full(outbox.size(), work_.owed_bytes)) {
    const auto slot = oldest_droppable();
    bury(slot, DeadLetterReason::dropped, last_failure_of(slot, work_.last_failure));
  }
  return true;
}

// Returns the oldest delivery that no child holds. There must be one. Remembers its place, so that
// later calls do not pass over deliveries in flight again.
Outbox::Slot SenderEngine::Step::oldest_droppable() {
  auto& slot = work_.oldest_not_in_flight;
  if (slot == Outbox::none)
    slot = work_.outbox.front();
  while (work_.outbox[slot].place == Place::in_flight)
    slot = work_.outbox.next(slot);
  return slot;
}

// -- taken back -----------------------------------------------------------------------

// Takes back the deliveries that the lane's child holds, except those with a held error.
void SenderEngine::Step::take_back(Lane& lane) {
  auto& outbox = work_.outbox;
  for (auto slot = lane.in_flight.first; slot != Outbox::none;) {
    const auto next = outbox.next_in_list(slot);
    if (!outbox[slot].held)
      give_back(lane, slot);
    slot = next;
  }
}

// The child no longer has the delivery.
void SenderEngine::Step::give_back(Lane& lane, Slot slot) {
  if (work_.outbox[slot].is_ghost)
    return vanish(lane, slot);
  leave_flight(lane, slot);
  work_.turns.give_back(slot);
}

void SenderEngine::Step::leave_flight(Lane& lane, Slot slot) {
  auto& outbox = work_.outbox;
  report(slot, Outcome::forgotten);
  if (options_.max_hand_overs)
    emit(effect::GiveBack{slot, outbox[slot].id});
  outbox.unlink(lane.in_flight, slot);
  --work_.in_flight_owed;
  work_.in_flight_bytes -= outbox[slot].weight;
  auto& oldest = work_.oldest_not_in_flight;
  if (oldest != Outbox::none && outbox[slot].id < outbox[oldest].id)
    oldest = slot;
}

// -- acknowledged, given up -------------------------------------------------------------

void SenderEngine::Step::operator()(const input::Acknowledged& x) {
  auto& outbox = work_.outbox;
  const auto slot = outbox.find(x.hand_over);
  if (slot == Outbox::none || outbox[slot].is_ghost) {
    note_unknown(x.said);
    if (slot != Outbox::none && outbox.is_latest(slot, x.hand_over)) {
      report(slot, Outcome::succeeded);
      vanish(*lane_of(outbox[slot].incarnation), slot);
    }
    return;
  }
  const auto delivery = outbox[slot];
  const auto is_latest = outbox.is_latest(slot, x.hand_over);
  emit(effect::Acknowledge{slot, delivery.id});
  if (delivery.place != Place::in_flight) {
    remove(slot);
  } else if (is_latest) {
    lane_of(delivery.incarnation)->last_progress = now_;
    report(slot, Outcome::succeeded);
    remove(slot);
  } else {
    leave_ghost(slot); // its present child does not know that an earlier one has done it
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
  auto& outbox = work_.outbox;
  const auto& delivery = outbox[slot];
  make_not_droppable(slot);
  work_.turns.remove(slot);
  work_.deadlines.erase(slot);
  if (!work_.extras.empty())
    forget_extra(delivery.id);
  work_.owed_bytes -= delivery.weight;
  if (delivery.place == Place::in_flight) {
    auto& lane = *lane_of(delivery.incarnation);
    drop_held(lane, slot);
    leave_flight(lane, slot);
    make_not_droppable(slot);
  }
  outbox.erase(slot);
}

void SenderEngine::Step::make_not_droppable(Slot slot) {
  if (work_.oldest_not_in_flight == slot)
    work_.oldest_not_in_flight = work_.outbox.next(slot);
}

SenderEngine::Extra& SenderEngine::Step::extra_of(Slot slot) {
  const auto id = work_.outbox[slot].id;
  return work_.extras.try_emplace(id, Extra{options_.backoff.policy().start()}).first->second;
}

void SenderEngine::Step::forget_extra(std::uint64_t delivery) {
  const auto extra = work_.extras.find(delivery);
  if (extra == work_.extras.end())
    return;
  work_.joined -= extra->second.joined;
  work_.extras.erase(extra);
}

// The last failure of the delivery itself, if it has failed; else `otherwise`.
SenderEngine::Step::SharedCause
SenderEngine::Step::last_failure_of(Slot slot, const SharedCause& otherwise) const {
  const auto own = work_.extras.find(work_.outbox[slot].id);
  return own != work_.extras.end() && own->second.last_failure ? own->second.last_failure
                                                               : otherwise;
}

void SenderEngine::Step::tell_dead_letter(Slot slot, DeadLetterReason reason,
                                          const SharedCause& cause) {
  auto& delivery = work_.outbox[slot];
  emit(
    effect::DeadLetter{slot, reason, delivery.attempts, delivery.id, delivery.submitted_at, cause});
  const auto was_stored = std::exchange(delivery.stored, true);
  work_.unstored -= was_stored ? 0U : 1U;
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
  auto& outbox = work_.outbox;
  const auto& delivery = outbox[slot];
  const auto cause = last_failure_of(slot, work_.last_failure);
  if (delivery.place != Place::in_flight)
    return bury(slot, DeadLetterReason::expired, cause);
  tell_dead_letter(slot, DeadLetterReason::expired, cause);
  leave_ghost(slot);
}

// The delivery ends, and a ghost of it stays in flight with the child.
void SenderEngine::Step::leave_ghost(Slot slot) {
  auto& outbox = work_.outbox;
  const auto& delivery = outbox[slot];
  make_not_droppable(slot);
  work_.deadlines.erase(slot);
  if (!work_.extras.empty())
    forget_extra(delivery.id);
  work_.owed_bytes -= delivery.weight;
  work_.in_flight_bytes -= delivery.weight;
  --work_.in_flight_owed;
  outbox.make_ghost(slot);
}

// The child is done with a ghost.
void SenderEngine::Step::vanish(Lane& lane, Slot ghost) {
  lane.last_progress = now_;
  report(ghost, Outcome::forgotten);
  drop_held(lane, ghost);
  work_.turns.remove(ghost); // its key goes on only now
  work_.outbox.unlink(lane.in_flight, ghost);
  work_.outbox.erase(ghost);
}

} // namespace backoff_actor
