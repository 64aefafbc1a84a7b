#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace backoff_actor {

/// When to stop retrying. A policy says how long to wait, limits say whether to go on. By default
/// only `server_hint` is set.
struct BACKOFF_ACTOR_EXPORT Limits {
  /// How often to retry after the first attempt. `max_attempts` is one more.
  ///
  /// @range 0 to 1,000,000,000
  std::optional<std::uint32_t> max_retries{};

  /// How long all attempts and the delays between them may take together. If a retry could begin
  /// only after that, the series ends without waiting for it. An attempt that begins earlier may
  /// take only the time that is left. With `reset_after` set, this limit shortens no attempt.
  ///
  /// @range 1 us and above
  std::optional<Duration> max_elapsed{};

  /// How long one attempt may take. A plain function is told this time, and must keep to it by
  /// itself.
  ///
  /// @range 1 us and above
  std::optional<Duration> attempt_timeout{};

  /// The longest `Retry-After`, or similar wish of a server, that is accepted. Up to this length,
  /// the retry comes no earlier than the server asked. If the server asks for more, there is no
  /// retry.
  ///
  /// @range 0 and above
  Duration server_hint = std::chrono::minutes{5};

  /// If an attempt, such as a connection, lasts this long before it fails, it counts as healthy.
  /// Its failure then starts a new series: retries, delays and `max_elapsed` begin again. Only the
  /// duration is checked, so this must be longer than the slowest failure. An attempt that
  /// `attempt_timeout` cut off is never healthy. Unset: no attempt is.
  ///
  /// @range 1 us and above, and less than `attempt_timeout`
  std::optional<Duration> reset_after{};

  /// The maximum number of attempts, the first included. Nothing: no limit.
  std::optional<std::uint32_t> max_attempts() const;

  /// Whether two are equal.
  friend constexpr bool operator==(const Limits&, const Limits&) = default;
};

/// Returns all that is wrong with the limits.
BACKOFF_ACTOR_EXPORT Problems check(const Limits& limits);

/// Returns the limits that the source of a policy demands. `memorystore`: 10 retries. Its
/// documentation forbids endless retries but gives no number; ten reach the cap and stay there for
/// some minutes. `ethernet`: 15 retries, from its 16 attempts. Other policies: none.
BACKOFF_ACTOR_EXPORT Limits limits_of(const Policy& policy);

/// Renders the limits that are set:
/// `max_retries 10 (max_attempts 11), max_elapsed 30s, server_hint 5min`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Limits& limits);

} // namespace backoff_actor
