#include "backoff_actor/guard/internal/call_window.hpp"

#include <algorithm>

namespace backoff_actor {

// -- the last calls -----------------------------------------------------------------

void LastCalls::add(bool has_failed) {
  failures_ += has_failed ? 1U : 0U;
  if (failed_.size() < size_) {
    failed_.push_back(has_failed);
    return;
  }
  failures_ -= failed_[oldest_] ? 1U : 0U;
  failed_[oldest_] = has_failed;
  oldest_ = (oldest_ + 1) % size_;
}

// -- the calls of a time --------------------------------------------------------------

namespace {

template <class Slices>
auto& slice(Slices& slices, std::int64_t number) {
  const auto size = static_cast<std::int64_t>(slices.size());
  return slices[static_cast<std::size_t>(((number % size) + size) % size)];
}

} // namespace

// Rounded down, also before the origin of time: each slice is as wide as any other.
std::int64_t RecentCalls::number_at(Instant now) const {
  const auto number = now.since_origin / width_;
  return number * width_ > now.since_origin ? number - 1 : number;
}

void RecentCalls::add(bool has_failed, Instant now) {
  const auto number = number_at(now);
  for (auto i = std::max(newest_ + 1, number - slices + 1); i <= number; ++i)
    slice(slices_, i) = {};
  newest_ = std::max(newest_, number);
  auto& counts = slice(slices_, newest_);
  ++counts.calls;
  counts.failures += has_failed ? 1U : 0U;
}

CallCounts RecentCalls::counts(Instant now) const {
  CallCounts result;
  const auto number = std::max(newest_, number_at(now));
  for (auto i = number - slices + 1; i <= newest_; ++i) {
    const auto& counts = slice(slices_, i);
    result.calls += counts.calls;
    result.failures += counts.failures;
  }
  return result;
}

} // namespace backoff_actor
