#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/supervision/directive.hpp"
#include "backoff_actor/supervision/restart_limit.hpp"
#include "backoff_actor/supervision/restart_type.hpp"
#include "backoff_actor/supervision/shutdown.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace backoff_actor {

/// When a child counts as started.
enum class Readiness : std::uint8_t {
  when_made,     ///< when its factory has made it
  when_it_is_up, ///< when it has answered the request `AwaitUp`, as supervisors do
};

/// How a supervisor treats a child.
struct ChildOptions {
  /// Whether the supervisor restarts it after it has ended by itself.
  RestartType restart = RestartType::permanent;

  /// How the supervisor ends it.
  Shutdown shutdown = Shutdown::within(std::chrono::seconds{5});

  /// How long to wait before its first, second, third ... restart in a row.
  Policy backoff{Exponential{.first = std::chrono::milliseconds{100},
                             .factor = 2,
                             .cap = std::chrono::seconds{30}},
                 equal_jitter};

  /// How long it must have been up before its next failure counts as the first in a row again.
  /// Unset: the longest delay of the backoff. If you set a shorter time, a child that always fails
  /// just after that time may be restarted more often than a child that fails at once.
  /// `Duration::max()`: never.
  ///
  /// @range 1 us and above
  std::optional<Duration> healthy_after{};

  /// How many failures within a time the supervisor tolerates before it gives the child up; unset:
  /// no limit.
  std::optional<RestartLimit> restart_limit{};

  /// What happens when it is given up.
  GivenUp when_given_up = GivenUp::stop;

  /// Whether the supervisor may end when this child has done its work, see `AutoShutdown`.
  ///
  /// @range not with `RestartType::permanent`
  bool is_significant = false;

  /// When it counts as started. The supervisor starts the next child in order only then.
  Readiness readiness = Readiness::when_made;

  /// How long it may take until it is up. A child that takes longer has failed to start. Unset: no
  /// limit. Only with `Readiness::when_it_is_up`.
  ///
  /// @range 1 us and above
  std::optional<Duration> start_timeout{};

  /// The value of `healthy_after`, or its default if it is unset.
  Duration time_to_be_healthy() const { return healthy_after.value_or(backoff.longest()); }

  /// Whether two treat a child alike.
  friend bool operator==(const ChildOptions&, const ChildOptions&) = default;
};

/// Returns all that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const ChildOptions& options);

} // namespace backoff_actor
