// Commands of an operator.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

namespace backoff_actor {

void SenderEngine::Step::operator()(const input::RetryNow&) {
  backlog_.end_all_pauses();
  forgive_hold(gate_.end_holds_by_hand(now_));
  for_each_lane([&](Lane& lane) {
    if (lane.delay_runs)
      end_delay(lane);
  });
  if (work_.pool)
    for (auto& kind : work_.pool->kinds)
      kind.end_hold();
}

void SenderEngine::Step::operator()(const input::Reset&) {
  for_each_lane([&](Lane& lane) { reset_backoff(lane); });
  work_.restarts.clear();
}

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
