#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <concepts>
#include <stop_token>
#include <utility>

namespace backoff_actor {

/// What `retry` asks for the time, and to wait.
///
/// @shape  `now() -> Instant`, which never goes back. `sleep_until(due) -> bool` returns at `due` or
///         later, at once if it is over: true if an attempt is to be made, false if nobody wants its
///         result any more, also when that turns out during the wait, which it ends.
template <class C>
concept RetryClock = requires(C& clock, Instant due) {
  { clock.now() } -> std::same_as<Instant>;
  { clock.sleep_until(due) } -> std::same_as<bool>;
};

/// Real time: `std::chrono::steady_clock`, and a `std::stop_token` that ends the wait.
///
///     std::stop_source stop;
///     const auto result = retry(policy, limits, predicate, function, SteadyClock{stop.get_token()});
///     // elsewhere: stop.request_stop();
///
/// @thread safe from any thread; each may have its own sleep.
class BACKOFF_ACTOR_EXPORT SteadyClock {
public:
  /// Is never cancelled.
  SteadyClock() = default;

  /// Is cancelled by the token's source.
  explicit SteadyClock(std::stop_token cancelled) : cancelled_(std::move(cancelled)) {}

  /// The time of `std::chrono::steady_clock`, with its origin.
  Instant now() const;

  /// Sleeps until `due`. Returns false, and at once, as soon as it is cancelled; true otherwise.
  bool sleep_until(Instant due) const;

private:
  std::stop_token cancelled_;
};

} // namespace backoff_actor
