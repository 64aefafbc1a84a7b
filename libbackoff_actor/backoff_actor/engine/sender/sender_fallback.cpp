// The fallback: when the sender changes over to it, and when it changes back.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace backoff_actor {

// Whether this lane gets the normal deliveries, not only probes.
bool SenderEngine::Step::serves(const Lane& lane) const {
  if (work_.pool)
    return work_.mode == Mode::normal && lane.is_wanted;
  return work_.mode == (is_primary(lane) ? Mode::normal : Mode::on_fallback);
}

// The limit of a pool is that of one worker, times the workers that there are at the least.
RestartLimit SenderEngine::Step::restart_limit() const {
  constexpr std::uint32_t most_restarts = 1'000'000;
  auto result = *options_.restart_limit;
  if (work_.pool)
    result.max_restarts = std::min(result.max_restarts * work_.pool->least_at_start, most_restarts);
  return result;
}

// Whether this failure exceeds a limit. Then the fallback takes over; without a fallback the sender
// gives up.
bool SenderEngine::Step::is_over_limit(Lane& lane, Failed what, bool lane_goes_on) {
  if (!is_primary(lane) || !serves(lane))
    return false;
  const auto is_often =
    what == Failed::child && options_.restart_limit && work_.restarts.add(restart_limit(), now_);
  const auto is_long =
    !lane_goes_on && options_.max_elapsed && lane.due - lane.first_failure > *options_.max_elapsed;
  return work_.pool ? is_pool_over_limit(is_often) : is_often || is_long;
}

void SenderEngine::Step::fall_back(const SharedCause& cause) {
  constexpr std::uint64_t stream_of_the_fallback = 0x66616c6c6261636bULL;
  work_.mode = Mode::on_fallback;
  work_.fallback = std::make_unique<Lane>(
    options_, detail::mix(self_.stream_ ^ stream_of_the_fallback), options_.max_in_flight);
  work_.fallback->epoch = ++work_.last_epoch;
  observe([&] { return event::FellBack{now_, *cause}; });
  start_child(*work_.fallback);
}

// The primary's child has failed again before the fallback was done.
void SenderEngine::Step::stay_on_fallback() {
  if (work_.mode == Mode::returning)
    work_.mode = Mode::on_fallback;
}

// The lane's child has acknowledged a delivery of the present epoch. If it is the primary's, it is
// well: the fallback gets nothing more, and finishes what it has.
void SenderEngine::Step::begin_return_from_fallback(const Lane& lane) {
  if (is_primary(lane) && work_.mode == Mode::on_fallback)
    work_.mode = Mode::returning;
}

// The sender waits until the fallback has finished what it has.
void SenderEngine::Step::come_back_if_fallback_is_done() {
  if (work_.fallback->in_flight.count == 0)
    come_back();
}

void SenderEngine::Step::come_back() {
  observe([&] { return event::CameBack{now_}; });
  if (work_.fallback->child != Child::none)
    emit(effect::StopChild{work_.fallback->incarnation});
  work_.fallback = nullptr;
  work_.mode = Mode::normal;
  work_.restarts.clear();
}

} // namespace backoff_actor
