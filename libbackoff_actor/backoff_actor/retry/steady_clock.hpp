#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <concepts>
#include <stop_token>
#include <utility>

namespace backoff_actor {

/// The clock of `retry`: it tells the time and waits.
///
/// @shape  `now() -> Instant` never goes back. `sleep_until(due) -> bool` returns at `due` or
///         later; at once if `due` has passed. It returns true if the next attempt may be made,
///         and false if the call was cancelled. A cancellation during the wait ends the wait.
template <class C>
concept RetryClock = requires(C& clock, Instant due) {
  { clock.now() } -> std::same_as<Instant>;
  { clock.sleep_until(due) } -> std::same_as<bool>;
};

/// Real time: `std::chrono::steady_clock`, and a `std::stop_token` that ends the wait.
///
///     std::stop_source stop;
///     const auto result =
///       retry(policy, limits, predicate, function, SteadyClock{stop.get_token()});
///     // elsewhere: stop.request_stop();
///
/// @thread safe from any thread; several threads may sleep at the same time.
class BACKOFF_ACTOR_EXPORT SteadyClock {
public:
  /// A clock that is never cancelled.
  SteadyClock() = default;

  /// A clock that is cancelled through the token's source.
  explicit SteadyClock(std::stop_token cancelled) : cancelled_(std::move(cancelled)) {}

  /// Returns the time of `std::chrono::steady_clock`, with its origin.
  Instant now() const;

  /// Sleeps until `due`. Returns true at `due`, and false at once when the clock is cancelled.
  bool sleep_until(Instant due) const;

private:
  std::stop_token cancelled_;
};

} // namespace backoff_actor
