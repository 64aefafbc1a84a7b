// The limits of failures, `restart_limit` and `max_elapsed`: what exceeds them, and how the
// fallback takes over and leaves again. How often one delivery may fail is in
// sender_dead_letters.cpp.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include <algorithm>
#include <cstdint>

namespace backoff_actor {

// The limit of a pool is that of one worker, times the least number of workers at the start.
RestartLimit SenderEngine::Step::restart_limit() const {
  constexpr std::uint32_t most_restarts = 1'000'000;
  auto result = *options_.restart_limit;
  if (work_.pool)
    result.max_restarts = std::min(result.max_restarts * work_.pool->least_at_start, most_restarts);
  return result;
}

// Counts the failure, and returns whether it exceeds a limit. Then the fallback takes over; without
// a fallback the sender gives up. As long as one worker of a pool acknowledges, the limits of the
// others have no effect.
bool SenderEngine::Step::is_over_limit(const Lane& lane, Failed what, bool lane_goes_on) {
  if (work_.lanes.fallback() != nullptr || !lane.is_wanted || is_closing())
    return false;
  const auto is_often =
    what == Failed::child && options_.restart_limit && work_.restarts.add(restart_limit(), now_);
  const auto is_over = [&](const Lane& x) {
    const auto is_this = &x == &lane;
    const auto since =
      work_.pool ? std::max(x.first_failure, work_.pool->busy_since) : x.first_failure;
    return (is_often && (is_this || x.is_failing))
           || (x.is_failing && !(is_this && lane_goes_on) && options_.max_elapsed
               && x.due - since > *options_.max_elapsed);
  };
  return !work_.lanes.any([&](const Lane& x) { return x.is_wanted && !is_over(x); });
}

void SenderEngine::Step::fall_back(const SharedCause& cause) {
  constexpr std::uint64_t stream_of_the_fallback = 0x66616c6c6261636bULL;
  const auto stream = detail::mix(self_.stream_ ^ stream_of_the_fallback);
  auto& fallback =
    work_.lanes.add(options_, stream, options_.max_in_flight, EngineOptions::kind_of_fallback);
  fallback.is_fallback = true;
  fallback.epoch = ++work_.last_epoch;
  want_fallback(work_.lanes.first(), true);
  observe([&] { return event::FellBack{now_, *cause}; });
}

// The lane's child has acknowledged a delivery of the present epoch, or has failed. If it is the
// only child, it is wanted from now on, or its fallback is.
void SenderEngine::Step::want_fallback(Lane& lane, bool is_wanted) {
  auto* const fallback = work_.lanes.fallback();
  if (fallback == nullptr || lane.is_fallback)
    return;
  fallback->is_wanted = is_wanted;
  lane.is_wanted = !is_wanted;
}

// The fallback is not wanted any more, and holds nothing.
void SenderEngine::Step::come_back() {
  observe([&] { return event::CameBack{now_}; });
  if (const auto& fallback = *work_.lanes.fallback(); fallback.child != Child::none)
    emit(effect::StopChild{fallback.incarnation});
  work_.lanes.remove_last();
  work_.restarts.clear();
}

} // namespace backoff_actor
