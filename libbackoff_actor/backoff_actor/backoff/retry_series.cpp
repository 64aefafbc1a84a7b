#include "backoff_actor/backoff/retry_series.hpp"

#include "backoff_actor/core/internal/enum_names.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

std::string_view to_string(GaveUp reason) {
  constexpr auto names =
    detail::enum_names<GaveUp>({"not_retryable", "attempts_exhausted", "out_of_time",
                                "retry_after_too_long", "cancelled", "held_back"});
  return names.of(reason);
}

RetrySeries::RetrySeries(const BackOff& backoff, const Limits& limits, Instant now,
                         ByReason by_reason)
  : backoff_(backoff), limits_(limits), began_(now), series_began_(now), attempt_began_(now),
    by_reason_(std::move(by_reason)) {
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
  if (assessment.retry_after && limits_.retry_after.gives_up(*assessment.retry_after))
    return GiveUp{GaveUp::retry_after_too_long};
  last_ = by_reason_.find(assessment.reason);
  const auto is_last = last_ != nullptr && last_->max_attempts
                         ? retries_ >= *last_->max_attempts - 1
                         : is_last_attempt();
  if (is_last)
    return GiveUp{GaveUp::attempts_exhausted};
  last_draw_ = backoff_.total_retries();
  backoff_ = backoff_.next();
  if (retries_ != UINT32_MAX)
    ++retries_;
  const auto own_wait = last_ != nullptr && last_->backoff
                          ? detail::state_after(*last_->backoff, backoff_.seed(), backoff_.stream(),
                                                last_draw_, retries_)
                              .wait_time
                          : backoff_.wait_time();
  const auto delay = limits_.retry_after.wait(own_wait, assessment.retry_after);
  const auto due = now + delay;
  if (is_out_of_time(due))
    return GiveUp{GaveUp::out_of_time};
  return Retry{delay, due};
}

BackOff RetrySeries::last_backoff() const {
  if (last_ == nullptr || !last_->backoff)
    return backoff_;
  return {
    *last_->backoff, backoff_.seed(), backoff_.stream(),
    detail::state_after(*last_->backoff, backoff_.seed(), backoff_.stream(), last_draw_, retries_)};
}

// An attempt that the timeout cut off is not healthy, however long it took.
bool RetrySeries::was_healthy(Instant now) const {
  const auto lasted = now - attempt_began_;
  return limits_.reset_after && lasted >= *limits_.reset_after
         && lasted < limits_.attempt_timeout.value_or(Duration::max());
}

} // namespace backoff_actor
