// Messages that are delivered at most once.
//
//     a message comes ── the child is there, no delay, not paused ──▶ forwarded, forgotten
//          │
//          ├─ the child rests after a normal stop ──▶ it waits for the next, which is started
//          └─ otherwise, as WhenDown says ──▶ it waits in the outbox, is diverted, or is refused
//
// The engine forwards waiting messages in order, as soon as it can. It forgets each forwarded
// message. So when a child fails, nothing is owed again and nothing is charged. There are no
// acknowledgements, so only time can tell that a child is well.

#include "backoff_actor/engine/sender/internal/sender_step_inline.hpp"

namespace backoff_actor {

void SenderEngine::Step::pass_on(const input::Submit& x) {
  const auto& lane = work_.primary;
  reset_if_well();
  if (x.is_unusable || work_.is_draining)
    return refuse(x.is_unusable ? Refusal::unusable : Refusal::draining);
  const auto is_in_time = x.deadline > now_;
  if (x.is_final_stop && is_in_time)
    return pass_on_last(x);
  if (may_forward(lane) && is_in_time)
    return forward(DeliverySlots::none);
  const auto is_awaited = lane.child == Child::none && !lane.delay_runs && !work_.is_paused;
  if (options_.when_down == WhenDown::buffer || is_awaited || !is_in_time) {
    if (make_room(x))
      take_in(x);
    else
      refuse(Refusal::outbox_full);
  } else if (options_.when_down == WhenDown::divert) {
    ++work_.counters.diverted;
    emit(effect::Divert{});
    observe([&] { return event::Diverted{now_}; });
  } else {
    refuse(Refusal::no_child);
  }
}

// If a child is there, it gets all waiting messages and then this last one, even during a delay or
// a pause. Without a child, the last message and all waiting ones become dead letters.
void SenderEngine::Step::pass_on_last(const input::Submit& x) {
  if (work_.primary.child == Child::alive) {
    for (auto slot = next_in_time(); slot != DeliverySlots::none; slot = next_in_time())
      forward(slot);
    work_.ends_with_child = true;
    return forward(DeliverySlots::none, true);
  }
  if (backlog_.has_slot())
    push(x);
  else
    refuse(Refusal::outbox_full);
  end_normally();
}

bool SenderEngine::Step::may_forward(const Lane& lane) const {
  return lane.child == Child::alive && !lane.delay_runs && !work_.is_paused;
}

// Forwards the message in `slot`, or the message that just came if `none`.
void SenderEngine::Step::forward(Slot slot, bool is_final_stop) {
  auto& lane = work_.primary;
  const auto id = slot == DeliverySlots::none ? ++work_.last_delivery : backlog_[slot].id;
  lane.was_handed_something = true;
  ++work_.counters.forwarded;
  emit(effect::Forward{slot, id, lane.incarnation, is_final_stop});
  observe([&] {
    return event::Forwarded{now_, id, lane.incarnation, slot != DeliverySlots::none};
  });
  if (slot != DeliverySlots::none)
    remove(slot);
}

void SenderEngine::Step::forward_waiting() {
  auto& lane = work_.primary;
  if (work_.is_paused)
    return;
  if (lane.child == Child::none && !lane.delay_runs && next_in_time() != DeliverySlots::none)
    start_child(lane); // the last one stopped normally
  while (may_forward(lane)) {
    const auto slot = next_in_time();
    if (slot == DeliverySlots::none)
      return;
    forward(slot);
  }
}

// Resets the backoff if the child has been well for long enough. No timer runs for this; the engine
// checks it when it matters.
void SenderEngine::Step::reset_if_well() {
  if (work_.primary.is_well(now_, options_.healthy_after))
    reset_backoff(work_.primary);
}

// Whether the sender ends with this child.
bool SenderEngine::Step::is_done_with(const input::ChildDown& x) const {
  return work_.ends_with_child
         || (!x.cause.is_error() && options_.after_normal_stop == AfterNormalStop::end);
}

void SenderEngine::Step::end_normally() {
  emit(effect::Quit{false, DeliverySlots::none, nullptr});
  end(DeadLetterReason::stopped, work_.last_failure);
}

} // namespace backoff_actor
