#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/guard_status.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace backoff_actor {

/// Counts a fixed number of the last calls.
///
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT LastCalls {
public:
  /// Counts the last `size` calls.
  ///
  /// @range 1 and above
  explicit LastCalls(std::uint32_t size) : size_(size) {}

  /// Counts one more call, and forgets the oldest if there are too many.
  void add(bool has_failed);

  /// The counts of the calls that are not forgotten.
  CallCounts counts() const { return {failed_.size(), failures_}; }

private:
  std::vector<bool> failed_; // a ring, once it is full
  std::size_t oldest_ = 0;
  std::uint64_t failures_ = 0;
  std::uint32_t size_;
};

/// Counts the calls in a sliding window of time. The window moves in tenths of its width: the
/// counts cover the last nine to ten tenths.
///
/// @range  `now` must not go back.
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT RecentCalls {
public:
  /// Counts the calls of the last `within`.
  ///
  /// @range 10ns and above
  explicit RecentCalls(Duration within) : width_(within / slices) {}

  /// Counts one more call.
  void add(bool has_failed, Instant now);

  /// The counts of the calls that are not forgotten.
  CallCounts counts(Instant now) const;

private:
  static constexpr std::int64_t slices = 10;

  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min() / 2;

  std::int64_t number_at(Instant now) const;

  std::array<CallCounts, slices> slices_{}; // slice n is at index n modulo `slices`
  std::int64_t newest_ = never;             // the number of the slice that was last added to
  Duration width_;
};

} // namespace backoff_actor
