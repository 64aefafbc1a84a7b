#include "backoff_actor/backoff/retry_series.hpp"

#include "backoff_actor/core/enum_names.hpp"

#include <algorithm>

namespace backoff_actor {

std::string_view to_string(GaveUp reason) {
  constexpr auto names = detail::enum_names<GaveUp>(
    {"not_retryable", "retries_exhausted", "out_of_time", "server_hint", "cancelled", "held_back"});
  return names.of(reason);
}

RetrySeries::RetrySeries(const BackOff& backoff, const Limits& limits, Instant now)
  : backoff_(backoff), limits_(limits), began_(now), series_began_(now), attempt_began_(now) {
  check(limits).raise_if_any();
}

std::optional<Duration> RetrySeries::begin_attempt(Instant now) {
  attempt_began_ = now;
  if (attempts_ != UINT32_MAX)
    ++attempts_;
  auto result = limits_.attempt_timeout;
  if (limits_.max_elapsed && !limits_.reset_after) {
    const auto left = *limits_.max_elapsed - (now - series_began_);
    result = std::max(std::min(result.value_or(left), left), Duration{0});
  }
  return result;
}

RetrySeries::Next RetrySeries::failed(Instant now, const Assessment& assessment) {
  if (assessment.kind != Assessment::Kind::retryable)
    return GiveUp{GaveUp::not_retryable};
  if (was_healthy(now)) {
    series_began_ = now;
    retries_ = 0;
    backoff_ = backoff_.reset();
  }
  const auto hint = assessment.hint.value_or(Duration::zero());
  if (hint > limits_.server_hint)
    return GiveUp{GaveUp::server_hint};
  if (is_last_attempt())
    return GiveUp{GaveUp::retries_exhausted};
  backoff_ = backoff_.next();
  const auto delay = std::max(backoff_.wait_time(), hint);
  const auto due = now + delay;
  if (is_out_of_time(due))
    return GiveUp{GaveUp::out_of_time};
  if (retries_ != UINT32_MAX)
    ++retries_;
  return Retry{delay, due};
}

// An attempt that the timeout cut off is not healthy, however long it took.
bool RetrySeries::was_healthy(Instant now) const {
  const auto lasted = now - attempt_began_;
  return limits_.reset_after && lasted >= *limits_.reset_after
         && lasted < limits_.attempt_timeout.value_or(Duration::max());
}

} // namespace backoff_actor
