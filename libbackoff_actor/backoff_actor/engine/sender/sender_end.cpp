// The end. If the sender is given time for it, the children first finish what is in flight. Then
// the engine asks them to end, and takes their last answers:
//
//     Finish ─▶ finishing ── nothing is in flight, or Finish::deadline ─┐
//                                                                       ▼
//     Stop ─────────────────────────────────────────────── AskToEnd ─▶ ending ── all are down ─┐
//                                                                       │                      ▼
//                     kill_grace, Finish::deadline at the latest ───────┘                stopped
//                                      │                                                       ▲
//                                      └─ TellToEnd ── kill_grace ── Abandon ──────────────────┘
//
// A supervisor ends the sender by other means than `Stop`. It may give the children its own time
// limit, and then kills the sender. The engine gives up owed deliveries at the very end.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

void SenderEngine::Step::operator()(const input::Finish& x) {
  work_.finish_by = std::min(work_.finish_by, x.deadline);
  if (is_ending())
    return limit_end(work_.finish_by);
  work_.ends_when_finished |= x.ends;
  work_.is_finish_told = false;
  if (work_.ends_when_finished)
    work_.end_of_patience = work_.finish_by;
  if (is_finishing())
    return;
  work_.mode = Mode::finishing;
  gate_.end_all_holds(now_);
  for_each_lane([&](Lane& lane) { halt(lane); });
  if (!is_finished())
    observe([&] { return event::Finishing{now_, backlog_.size_in_flight(), work_.finish_by}; });
}

// No delay runs any more, and a child that is not there yet is not wanted.
void SenderEngine::Step::halt(Lane& lane) {
  lane.delay_runs = false;
  lane.start_is_put_off = false;
  if (lane.child != Child::starting)
    return;
  emit(effect::StopChild{lane.incarnation});
  lane.child = Child::none;
}

// Called at the end of every step while the sender is closing.
void SenderEngine::Step::go_on_closing() {
  if (is_finishing() && is_finished()) {
    if (work_.ends_when_finished)
      end_finishing();
    else if (!std::exchange(work_.is_finish_told, true))
      emit(effect::Finished{});
  }
  if (is_ending())
    end_without_children();
}

void SenderEngine::Step::end_finishing() {
  begin_end(DeadLetterReason::stopped, work_.last_failure);
  limit_end();
}

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
  if (is_closing())
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
  for_each_lane([&](Lane& lane) {
    if (lane.child == Child::alive)
      emit(effect::AskToEnd{lane.incarnation});
    halt(lane);
  });
  limit_end(work_.finish_by);
  if (work_.finish_by <= now_)
    press_children();
}

// The children's time to end is over at `at`, unless it is over before.
void SenderEngine::Step::limit_end(Instant at) {
  if (!work_.children_are_pressed)
    work_.end_of_patience = std::min(work_.end_of_patience, at);
}

// The children have not ended in time. After the second time the engine waits no longer.
void SenderEngine::Step::press_children() {
  const auto is_second = std::exchange(work_.children_are_pressed, true);
  for_each_lane([&](Lane& lane) {
    if (lane.child == Child::none)
      return;
    observe_of(lane, [&] { return event::ChildOverdue{now_, lane.incarnation, is_second}; });
    if (!is_second)
      return emit(effect::TellToEnd{lane.incarnation});
    emit(effect::Abandon{lane.incarnation});
    lane.child = Child::none;
  });
  work_.end_of_patience = is_second ? Instant::never() : now_ + options_.kill_grace;
}

void SenderEngine::Step::end_without_children() {
  if (!work_.lanes.any([](const Lane& lane) { return lane.child != Child::none; }))
    end(work_.end_reason, work_.end_cause);
}

void SenderEngine::Step::end(DeadLetterReason reason, const SharedCause& cause) {
  for_each_lane([&](Lane& lane) {
    if (lane.child == Child::none)
      return;
    if (work_.children_are_pressed) // it had its time, and is still there
      emit(effect::Abandon{lane.incarnation});
    else
      emit(effect::StopChild{lane.incarnation});
  });
  self_.stopped_ = true;
  gate_.retire(now_);
  const auto let_go = [&](Slot slot) {
    const auto& delivery = backlog_[slot];
    if (delivery.is_cancelled)
      tell_cancelled(slot);
    else if (!options_.persist || (delivery.is_unstored && !delivery.has_source))
      tell_dead_letter(slot, reason, last_failure_of(slot, cause));
    // A delivery without attempts left would make the next sender give up, too.
    else if (reason == DeadLetterReason::gave_up && is_exhausted(slot)) // or the next ends too
      tell_dead_letter(slot, DeadLetterReason::attempts_exhausted, last_failure_of(slot, cause));
    else
      suspend(slot);
  };
  for (auto slot = backlog_.front(); slot != DeliverySlots::none; slot = backlog_.after(slot))
    let_go(slot);
  for (const auto slot : backlog_.all_put_off())
    let_go(slot);
  answer_drains(0);
  observe([&] { return event::SenderStopped{now_}; });
}

// -- paused and drained ---------------------------------------------------------------

void SenderEngine::Step::operator()(const input::Pause&) {
  if (work_.is_paused)
    return;
  work_.is_paused = true;
  observe([&] { return event::Paused{now_}; });
}

void SenderEngine::Step::operator()(const input::Resume&) {
  if (!work_.is_paused && !work_.is_draining)
    return;
  work_.is_paused = false;
  work_.is_draining = false;
  answer_drains(self_.owed());
  observe([&] { return event::Resumed{now_}; });
}

void SenderEngine::Step::operator()(const input::Drain& x) {
  if (!work_.is_draining)
    observe([&] { return event::DrainBegan{now_}; });
  work_.is_draining = true;
  work_.drains.add(x);
}

void SenderEngine::Step::answer_drains(std::size_t left) {
  if (work_.drains.empty())
    return;
  while (!work_.drains.empty())
    emit(effect::Drained{work_.drains.take_earliest().ticket, left});
  observe([&] { return event::Drained{now_, left}; });
}

} // namespace backoff_actor
