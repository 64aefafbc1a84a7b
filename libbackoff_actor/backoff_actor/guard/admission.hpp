#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace backoff_actor {

/// The kind of a call to a guarded service.
enum class Call : std::uint8_t {
  first, ///< the first attempt at something
  retry, ///< another attempt at the same
  start, ///< the creation of a child that makes calls; it earns no retry, and uses no rate
};

/// Why a guard does not let a call through.
enum class HeldBackBy : std::uint8_t {
  open_breaker,     ///< the circuit breaker is open
  probe,            ///< the breaker is half open, and all its probes are in flight
  isolated_breaker, ///< somebody isolated the service; only `close` ends that
  retry_budget,     ///< there were too many retries recently
  rate,             ///< there were too many calls recently
};

namespace detail {

/// Returns the reason that has this name; nothing if none has. The names are in errors that go over
/// the network, see `held_back_by`.
BACKOFF_ACTOR_EXPORT std::optional<HeldBackBy> held_back_reason(std::string_view name);

} // namespace detail

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(HeldBackBy reason);

/// Permission to make one call. Its holder reports the outcome of the call to the guard once.
/// Default-constructed: no permission.
struct Permit {
  std::uint32_t generation = 0; ///< the breaker's when it was given; 0: no permit
  std::uint32_t probe = 0;      ///< the number of the probe in that state; 0: no probe

  /// Whether there is one.
  explicit operator bool() const { return generation != 0; }

  /// Whether two are the same.
  friend bool operator==(const Permit&, const Permit&) = default;
};

/// The call must not be made now.
struct HeldBack {
  HeldBackBy reason; ///< why

  /// When to ask again. `Instant::never()`: only after the guard was closed by hand. The guard
  /// spreads these times over the callers, so that they do not all come at once. It does not
  /// promise to admit the call then.
  Instant until;
};

/// Returns the time from `now` until the caller is to ask again; nothing if it is to wait until the
/// guard is closed by hand.
BACKOFF_ACTOR_EXPORT std::optional<Duration> come_back_in(const HeldBack& held_back, Instant now);

/// A guard's answer.
using Admission = std::variant<Permit, HeldBack>;

} // namespace backoff_actor
