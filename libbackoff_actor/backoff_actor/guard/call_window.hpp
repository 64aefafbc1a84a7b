#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace backoff_actor {

/// How many calls there were in a window, and how many of them failed.
struct CallCounts {
  std::uint64_t calls = 0;    ///< that have ended
  std::uint64_t failures = 0; ///< of these

  /// Whether two count the same.
  friend bool operator==(const CallCounts&, const CallCounts&) = default;
};

/// The last calls, a number of them.
///
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT LastCalls {
public:
  /// Of the last `size` calls.
  ///
  /// @range 1 and above
  explicit LastCalls(std::uint32_t size) : size_(size) {}

  /// Counts one more, and forgets the oldest if there are too many.
  void add(bool has_failed);

  /// Of those that are not forgotten.
  CallCounts counts() const { return {failed_.size(), failures_}; }

  /// Forgets all.
  void clear();

private:
  std::vector<bool> failed_; // a ring, once it is full
  std::size_t oldest_ = 0;
  std::uint64_t failures_ = 0;
  std::uint32_t size_;
};

/// The calls of a sliding window of time, which moves in tenths of itself: what it counts is of the
/// last nine to ten of them.
///
/// @range  `now` must not go back.
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT RecentCalls {
public:
  /// Of the last `within`.
  ///
  /// @range 10ns and above
  explicit RecentCalls(Duration within) : width_(within / slices) {}

  /// Counts one more.
  void add(bool has_failed, Instant now);

  /// Of those that are not forgotten.
  CallCounts counts(Instant now) const;

  /// Forgets all.
  void clear();

private:
  static constexpr std::int64_t slices = 10;

  std::int64_t number_at(Instant now) const { return now.since_origin / width_; }

  std::array<CallCounts, slices> slices_{}; // the one with number n at n modulo `slices`
  std::int64_t newest_ = 0;                 // the number of the slice that was last added to
  Duration width_;
};

} // namespace backoff_actor
