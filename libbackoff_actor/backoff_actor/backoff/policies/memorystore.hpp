#pragma once

#include "backoff_actor/backoff/policies/progress.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

#include <algorithm>

namespace backoff_actor {

/// The algorithm that the documentation of a cloud service prescribes to its clients, exactly as
/// written there: `memorystore(max 64s)`.
///
/// Before retry n + 1, n = 0, 1 ...: `min(2^n s + r, max)`, with r uniform over 0 to 1000 ms and
/// drawn anew each time. The cap cuts off the sum, so there is no jitter at the cap: from n = 6 on,
/// with a maximum of 64 s, all clients wait exactly 64 s. `Exponential` with a jitter keeps its
/// jitter there. The documentation says to retry answers with a status of 5xx and 429
/// (`Memorystore::is_retried`), but not for ever (`limits_of`). The German translation has r at
/// *least* 1000 ms, which is a mistake: the Spanish one says at most.
///
/// @source "Exponential backoff" in the documentation of Memorystore for Valkey (Spanish) and for
///         Redis (German), Google Cloud.
struct Memorystore {
  /// The longest delay, usually 32 s or 64 s.
  ///
  /// @range 1 ns to `max_delay`
  Duration max = std::chrono::seconds{64};

  /// Whether the documentation wants an answer with this HTTP status retried: 429 and 500 to 599.
  static constexpr bool is_retried(int http_status) {
    return http_status == 429 || (http_status >= 500 && http_status <= 599);
  }

  /// Whether two are equal.
  friend constexpr bool operator==(const Memorystore&, const Memorystore&) = default;
};

/// Returns all that is wrong with the parameters.
BACKOFF_ACTOR_EXPORT Problems check(const Memorystore& formula);

namespace detail {

constexpr double first_level(const Memorystore&) { return 1e9; }

constexpr Step step(const Memorystore& x, const Progress& progress, double u) {
  // One more than 1000 ms in nanoseconds, since r may be 1000 ms.
  const auto r = Duration{static_cast<std::int64_t>(u * 1'000'000'001.0)};
  const auto power = std::min(progress.level, in_nanoseconds(max_delay));
  const auto delay = std::min(Duration{static_cast<std::int64_t>(power)} + r, x.max);
  return {{power * 2, one_more(progress.retries), progress.draws + 1}, delay};
}

} // namespace detail

} // namespace backoff_actor
