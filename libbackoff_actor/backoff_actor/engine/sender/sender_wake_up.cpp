// Everything that is due. There are no separate timers: one wake-up checks the clock for all.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

namespace backoff_actor {

void SenderEngine::Step::operator()(const input::Wake&) {
  work_.wake_at = Instant::never();
  for (auto late = backlog_.first_late(now_); late != DeliverySlots::none;
       late = backlog_.first_late(now_))
    expire(late);
  for_each_lane([&](Lane& lane) { check_grace(lane); });
  if (work_.end_of_patience <= now_)
    is_finishing() ? end_finishing() : press_children();
  for_each_lane([&](Lane& lane) { check_for_hang(lane); });
  backlog_.end_pauses(now_);
  forgive_hold(gate_.end_holds(now_));
  for_each_lane([&](Lane& lane) {
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
