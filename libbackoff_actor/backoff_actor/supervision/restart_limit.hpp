#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace backoff_actor {

/// How many failures are tolerated within a time.
struct RestartLimit {
  /// The limit tolerates this many failures within the window. One more exceeds it.
  ///
  /// @range 0 to 1,000,000
  std::uint32_t max_restarts = 0;

  /// The sliding window.
  ///
  /// @range 1 us and above
  Duration within{0};

  /// Whether two limits are the same.
  friend bool operator==(const RestartLimit&, const RestartLimit&) = default;
};

/// Returns all that is wrong with a limit.
BACKOFF_ACTOR_EXPORT Problems check(const RestartLimit& limit);

/// The failures within a sliding window. What follows when they exceed the limit, its user decides:
/// the engine of a supervisor or of a sender.
///
/// @shape  `add(limit, now) -> bool`, always with the same limit
/// @range  `now` must not go back
/// @source the restart intensity of Erlang/OTP's supervisors, without its fixed grid of seconds
class BACKOFF_ACTOR_EXPORT RestartWindow {
public:
  /// Counts a failure at `now`, and returns whether it exceeds the limit. A failure that is exactly
  /// as old as the window no longer counts.
  bool add(const RestartLimit& limit, Instant now);

  /// Forgets all failures.
  void clear();

  /// Whether two have counted the same.
  friend bool operator==(const RestartWindow&, const RestartWindow&) = default;

private:
  std::vector<Instant> failures_; // a ring of the last failures, at most `max_restarts` + 1
  std::size_t oldest_ = 0;
};

} // namespace backoff_actor
