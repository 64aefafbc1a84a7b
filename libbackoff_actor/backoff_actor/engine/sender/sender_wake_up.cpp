// A wake-up: everything that is due. There are no separate timers: one wake-up checks the clock for
// all of it. The next one is asked for at the end of every step (sender_hand_over.cpp).

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

namespace backoff_actor {

template <class Visit>
void SenderEngine::Step::for_each_due_lane(Visit visit) {
  if (!work_.pool)
    return for_each_lane(visit);
  for (const auto worker : work_.pool->looked_at)
    visit(work_.lanes[worker]);
}

void SenderEngine::Step::operator()(const input::Wake&) {
  work_.wake_at = Instant::never();
  for (auto late = backlog_.first_late(now_); late != DeliverySlots::none;
       late = backlog_.first_late(now_))
    expire(late);
  take_due_workers();
  for_each_due_lane([&](Lane& lane) { check_grace(lane); });
  if (work_.end_of_patience <= now_)
    is_finishing() ? end_finishing() : press_children();
  for_each_due_lane([&](Lane& lane) { check_for_hang(lane); });
  backlog_.end_pauses(now_);
  forgive_hold(gate_.end_holds(now_));
  for_each_due_lane([&](Lane& lane) {
    if (lane.delay_runs && lane.due <= now_)
      end_delay(lane);
  });
  end_late_drains();
}

void SenderEngine::Step::end_late_drains() {
  auto& drains = work_.drains;
  while (!drains.empty() && drains.earliest().deadline <= now_) {
    emit(effect::Drained{drains.take_earliest().ticket, self_.owed()});
    observe([&] { return event::Drained{now_, self_.owed()}; });
    work_.is_draining = !drains.empty();
  }
}

} // namespace backoff_actor
