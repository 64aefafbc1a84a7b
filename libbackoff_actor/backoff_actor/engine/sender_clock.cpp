// What is due. Nothing has a timer of its own: there is one wake-up, and a look at the clock.

#include "backoff_actor/engine/sender_step.hpp"

#include <algorithm>

namespace backoff_actor {

void SenderEngine::Step::operator()(const input::Wake&) {
  self_.wake_at_ = Instant::never();
  while (!work_.deadlines.empty() && work_.deadlines.top_key().first <= now_)
    expire(work_.deadlines.top());
  for_each_lane([&](Lane& lane) {
    if (lane.child == Child::leaving && !lane.is_overdue && lane.end_of_grace <= now_)
      end_grace(lane);
  });
  for_each_lane([&](Lane& lane) {
    if (!self_.stopped_ && ack_due(lane) <= now_)
      hang(lane);
  });
  if (self_.stopped_)
    return;
  work_.turns.end_pauses(now_);
  if (work_.held_back_until <= now_)
    end_hold();
  if (work_.retries_held_until <= now_)
    work_.retries_are_held = false;
  for_each_lane([&](Lane& lane) {
    if (lane.delay_runs && lane.due <= now_)
      end_delay(lane);
  });
  for (const auto& drain : work_.drains)
    if (drain.deadline <= now_) {
      emit(effect::Drained{drain.ticket, self_.owed()});
      observe([&] { return event::Drained{now_, self_.owed()}; });
    }
  if (std::erase_if(work_.drains, [&](const auto& drain) { return drain.deadline <= now_; }) > 0)
    work_.is_draining = !work_.drains.empty();
}

// When the child is out of time for what it holds.
Instant SenderEngine::Step::ack_due(const Lane& lane) const {
  if (!options_.ack_timeout || lane.child != Child::alive || lane.in_flight.count == 0)
    return Instant::never();
  const auto start = work_.outbox[lane.in_flight.first].clock_start;
  return (options_.works_on == WorksOn::one ? std::max(start, lane.last_progress) : start)
         + *options_.ack_timeout;
}

void SenderEngine::Step::end_delay(Lane& lane) {
  lane.delay_runs = false;
  lane.due = std::min(lane.due, now_);
  observe([&] { return event::DelayEnded{now_}; });
  if (lane.child == Child::none)
    revive(lane);
}

Instant SenderEngine::Step::next_due() {
  auto result = work_.turns.next_pause_end();
  if (work_.is_held_back)
    result = std::min(result, work_.held_back_until);
  if (work_.retries_are_held)
    result = std::min(result, work_.retries_held_until);
  if (!work_.deadlines.empty())
    result = std::min(result, work_.deadlines.top_key().first);
  for (const auto& drain : work_.drains)
    result = std::min(result, drain.deadline);
  for_each_lane([&](const Lane& lane) {
    if (lane.delay_runs)
      result = std::min(result, lane.due);
    if (lane.child == Child::leaving && !lane.is_overdue)
      result = std::min(result, lane.end_of_grace);
    result = std::min(result, ack_due(lane));
  });
  return result;
}

// One wake-up is out at a time. It may come before anything is due, if what it was for has been put
// off or is gone, and is then asked for anew.
void SenderEngine::Step::ask_for_wake_up() {
  const auto due = next_due();
  if (self_.wake_at_ <= due)
    return;
  self_.wake_at_ = due;
  emit(effect::WakeAt{due});
}

} // namespace backoff_actor
