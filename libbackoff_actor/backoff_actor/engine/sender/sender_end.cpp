// The end. The engine asks the children to end, and takes their last answers:
//
//     Stop ── AskToEnd ──▶ ending ── all are down ──────────────────▶ stopped
//                            │                                           ▲
//                            └─ kill_grace ── TellToEnd ── kill_grace ── Abandon
//
// A supervisor ends the sender by other means than `Stop`. It may give the children its own time
// limit, and then kills the sender. The engine gives up owed deliveries at the very end.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <algorithm>

namespace backoff_actor {

void SenderEngine::Step::operator()(const input::Stop& x) {
  begin_end(DeadLetterReason::stopped, work_.last_failure);
  if (x.is_timed)
    limit_end();
}

void SenderEngine::Step::operator()(const input::Kill&) {
  if (is_ending())
    end(work_.end_reason, work_.end_cause);
  else
    end(DeadLetterReason::stopped, work_.last_failure);
}

// If the sender escalates, its exit reason is the error held in `slot`, or the error that just came
// if `none`.
void SenderEngine::Step::give_up(bool escalates, Slot slot, const SharedCause& cause) {
  if (is_ending())
    return;
  observe([&] { return event::GaveUp{now_, *cause}; });
  emit(effect::Quit{escalates, slot, cause});
  begin_end(DeadLetterReason::gave_up, cause);
  limit_end();
}

void SenderEngine::Step::begin_end(DeadLetterReason reason, const SharedCause& cause) {
  if (is_ending())
    return;
  work_.mode = Mode::ending;
  work_.end_reason = reason;
  work_.end_cause = cause;
  gate_.end_all_holds(now_);
  work_.start_is_put_off = false;
  for_each_lane([&](Lane& lane) {
    lane.delay_runs = false;
    if (lane.child == Child::alive)
      emit(effect::AskToEnd{lane.incarnation});
    if (lane.child != Child::starting)
      return;
    emit(effect::StopChild{lane.incarnation});
    lane.child = Child::none;
  });
}

// Gives the children at most `kill_grace` from now on.
void SenderEngine::Step::limit_end() {
  if (!work_.children_are_pressed)
    work_.end_of_patience = std::min(work_.end_of_patience, now_ + options_.kill_grace);
}

// The children have not ended in time. After the second time the engine waits no longer.
void SenderEngine::Step::press_children() {
  const auto is_second = std::exchange(work_.children_are_pressed, true);
  for_each_lane([&](Lane& lane) {
    if (lane.child == Child::none)
      return;
    observe([&] { return event::ChildOverdue{now_, lane.incarnation, is_second}; });
    if (!is_second)
      return emit(effect::TellToEnd{lane.incarnation});
    emit(effect::Abandon{lane.incarnation});
    lane.child = Child::none;
  });
  work_.end_of_patience = is_second ? Instant::never() : now_ + options_.kill_grace;
}

// Called at the end of every step while the sender is ending.
void SenderEngine::Step::end_without_children() {
  auto has_child = false;
  for_each_lane([&](const Lane& lane) { has_child |= lane.child != Child::none; });
  if (!has_child)
    end(work_.end_reason, work_.end_cause);
}

void SenderEngine::Step::end(DeadLetterReason reason, const SharedCause& cause) {
  for_each_lane([&](Lane& lane) {
    if (lane.child != Child::none)
      emit(effect::StopChild{lane.incarnation});
  });
  self_.stopped_ = true;
  gate_.retire(now_);
  for (auto slot = backlog_.front(); slot != DeliverySlots::none; slot = backlog_.after(slot)) {
    if (!options_.persist || !backlog_[slot].stored)
      tell_dead_letter(slot, reason, last_failure_of(slot, cause));
    // A delivery without attempts left would make the next sender give up, too.
    else if (reason == DeadLetterReason::gave_up && is_exhausted(slot)) // or the next ends too
      tell_dead_letter(slot, DeadLetterReason::attempts_exhausted, last_failure_of(slot, cause));
    else
      suspend(slot);
  }
  answer_drains(0);
  observe([&] { return event::SenderStopped{now_}; });
}

} // namespace backoff_actor
