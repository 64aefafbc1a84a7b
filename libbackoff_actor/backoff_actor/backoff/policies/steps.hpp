#pragma once

#include "backoff_actor/backoff/policies/progress.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace backoff_actor {

/// A table of delays: `steps(20s, 5min, 30min)`. The last one stays.
///
/// A step is kept as a whole number of milliseconds in 32 bits. So a table needs no more room than
/// any other formula, and a policy with one can be copied as freely as all others.
struct Steps {
  /// How many steps a table can have.
  static constexpr std::size_t most = 8;

  /// The longest step.
  static constexpr Duration longest_step = std::chrono::milliseconds{UINT32_MAX};

  /// One step of one second.
  constexpr Steps() { milliseconds.fill(1000); }

  /// The steps in their order.
  ///
  /// @range  1 to 8 steps. Each is a whole number of milliseconds from 0 to 2^32 - 1, 49 days.
  /// @errors throws `InvalidArgument` naming every step that is out of range.
  BACKOFF_ACTOR_EXPORT explicit Steps(std::span<const Duration> steps);

  /// The same, one argument a step: `Steps{20s, 5min, 30min}`.
  template <std::convertible_to<Duration>... More>
  explicit Steps(Duration first, const More&... more)
    : Steps(std::span<const Duration>(std::array{first, static_cast<Duration>(more)...})) {}

  /// Returns the delay before retry n = 1, 2 ...
  constexpr Duration at(std::uint32_t n) const {
    return std::chrono::milliseconds{milliseconds[n < most ? n - 1 : most - 1]};
  }

  /// The steps; the last one fills the rest.
  std::array<std::uint32_t, most> milliseconds{};

  /// Whether two are equal.
  friend constexpr bool operator==(const Steps&, const Steps&) = default;
};

/// Returns all that is wrong with the steps of a table.
BACKOFF_ACTOR_EXPORT Problems check_steps(std::span<const Duration> steps);

/// Returns no problems: the constructor refuses what is wrong.
BACKOFF_ACTOR_EXPORT Problems check(const Steps& formula);

namespace detail {

constexpr double level_at(const Steps& x, std::uint32_t n) { return in_nanoseconds(x.at(n)); }

} // namespace detail

} // namespace backoff_actor
