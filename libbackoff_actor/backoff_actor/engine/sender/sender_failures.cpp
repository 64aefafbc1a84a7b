// Failures: the delay, the limits, the fallback.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

// -- lanes -----------------------------------------------------------------------------------

// Whether this lane gets the normal deliveries, not only probes.
bool SenderEngine::Step::serves(const Lane& lane) const {
  return is_primary(lane) ? work_.mode == Mode::normal || work_.mode == Mode::forwarding
                          : work_.mode == Mode::on_fallback;
}

// -- failures --------------------------------------------------------------------------------

// Returns the cause as a shared object. Reuses the last failure's object if both are the same,
// because a child often fails for the same reason again.
SenderEngine::Step::SharedCause SenderEngine::Step::shared(const Cause& cause) const {
  const auto& last = work_.last_failure;
  return last && last->code == cause.code && last->text == cause.text
           ? last
           : std::make_shared<const Cause>(cause);
}

// Begins a new epoch and the next delay, which lasts at least `at_least`.
void SenderEngine::Step::fail(Lane& lane, const SharedCause& cause, Failed what,
                              Duration at_least) {
  if (is_ending())
    return;
  lane.epoch = ++work_.last_epoch;
  lane.window = 1;
  if (!std::exchange(lane.is_failing, true))
    lane.first_failure = now_;
  if (is_primary(lane))
    work_.last_failure = cause;
  const auto& policy = options_.backoff.policy();
  const auto u = unit_random(options_.backoff.seed(), lane.stream, lane.backoff.progress.draws);
  lane.backoff = next(policy, lane.backoff, u);
  const auto span = std::max(lane.backoff.wait_time, at_least);
  delay(lane, span);
  const auto is_over = is_over_limit(lane, what);
  if (is_over && !options_.has_fallback)
    return give_up(false, DeliverySlots::none, cause);
  observe([&] { return event::RetryScheduled{now_, span, lane.due, backoff_of(lane)}; });
  if (is_over)
    fall_back(cause);
  else if (is_primary(lane) && work_.mode == Mode::returning)
    work_.mode = Mode::on_fallback;
}

// Starts a delay, or lengthens the running one. It never shortens it.
void SenderEngine::Step::delay(Lane& lane, Duration span) {
  if (is_ending())
    return;
  const auto due = now_ + span;
  lane.due = lane.delay_runs ? std::max(lane.due, due) : due;
  lane.delay_runs = true;
}

bool SenderEngine::Step::is_over_limit(Lane& lane, Failed what) {
  if (!is_primary(lane) || !serves(lane))
    return false;
  const auto is_often = what == Failed::child && options_.restart_limit
                        && work_.restarts.add(*options_.restart_limit, now_);
  const auto is_long =
    options_.max_elapsed && lane.due - lane.first_failure > *options_.max_elapsed;
  return is_often || is_long;
}

void SenderEngine::Step::end_failures(Lane& lane) {
  lane.is_failing = false;
  if (is_primary(lane))
    work_.last_failure = nullptr;
  const auto was_started = lane.backoff.is_started();
  lane.backoff = reset(options_.backoff.policy(), lane.backoff);
  if (was_started)
    observe([&] { return event::BackOffReset{now_, backoff_of(lane)}; });
}

BackOff SenderEngine::Step::backoff_of(const Lane& lane) const {
  const auto& initial = options_.backoff;
  return {initial.policy(), initial.seed(), lane.stream, lane.backoff};
}

// -- the fallback ------------------------------------------------------------------------------

void SenderEngine::Step::fall_back(const SharedCause& cause) {
  constexpr std::uint64_t stream_of_the_fallback = 0x66616c6c6261636bULL;
  work_.mode = Mode::on_fallback;
  work_.fallback =
    std::make_unique<Lane>(options_, detail::mix(self_.stream_ ^ stream_of_the_fallback));
  work_.fallback->epoch = ++work_.last_epoch;
  observe([&] { return event::FellBack{now_, *cause}; });
  start_child(*work_.fallback);
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
