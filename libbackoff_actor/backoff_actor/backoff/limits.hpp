#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace backoff_actor {

/// Whether to go on: values beside a policy, which says how long to wait. None is set by default but
/// the one on a server's wishes.
struct BACKOFF_ACTOR_EXPORT Limits {
  /// How often to try again after the first attempt. `max_attempts` is one more.
  ///
  /// @range 0 to 2^32 - 2
  std::optional<std::uint32_t> max_retries{};

  /// How long all attempts and the delays between them may take together. A retry that could begin
  /// only then is not waited for; one that begins before has what is left. With `reset_after` no
  /// attempt is cut off by it.
  ///
  /// @range above 0
  std::optional<Duration> max_elapsed{};

  /// How long one attempt may take. A plain function is told, and has to keep to it by itself.
  ///
  /// @range above 0
  std::optional<Duration> attempt_timeout{};

  /// The longest wish of a server, as in `Retry-After`, that is heeded. Up to it the retry comes no
  /// earlier than was asked; beyond it there is none.
  ///
  /// @range 0 and above
  Duration server_hint = std::chrono::minutes{5};

  /// An attempt that failed, but went well for this long before, such as a connection: the series
  /// begins anew with it, retries, delays and `max_elapsed`. Only how long it took is looked at, so
  /// this must be longer than the slowest failure; one that `attempt_timeout` cut off has not gone
  /// well. Unset: never.
  ///
  /// @range above 0, and less than `attempt_timeout`
  std::optional<Duration> reset_after{};

  /// How many attempts there are at the most, the first included; nothing: without limit.
  std::optional<std::uint32_t> max_attempts() const;

  /// Whether two are alike in everything.
  friend constexpr bool operator==(const Limits&, const Limits&) = default;
};

/// Returns all that is wrong with the limits.
BACKOFF_ACTOR_EXPORT Problems check(const Limits& limits);

/// The limits that the source of a policy demands. `memorystore`: 10 retries, since its
/// documentation forbids to retry for ever but leaves the number open; ten reach the cap and stay
/// there for some minutes. `ethernet`: 15 retries, from its 16 attempts. None for the others.
BACKOFF_ACTOR_EXPORT Limits limits_of(const Policy& policy);

/// Renders those that are set: `max_retries 10 (max_attempts 11), max_elapsed 30s, server_hint
/// 5min`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Limits& limits);

} // namespace backoff_actor
