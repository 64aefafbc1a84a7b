#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/supervisor_events.hpp"
#include "backoff_actor/supervision/child_options.hpp"
#include "backoff_actor/supervision/directive.hpp"
#include "backoff_actor/supervision/lifecycle.hpp"
#include "backoff_actor/supervision/restart_limit.hpp"
#include "backoff_actor/supervision/strategy.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace backoff_actor {

/// The options of a supervisor's engine. Nothing here is checked; `check(SupervisorOptions)` does
/// that for supervisors.
struct SupervisorEngineOptions {
  /// The name of the supervisor, for its events.
  ActorName name{};

  /// Which children the engine restarts when one needs a restart.
  Strategy strategy = Strategy::one_for_one;

  /// Whether children have no order. Then the engine ends them together, and forgets a child that
  /// is down for good. Only with `Strategy::one_for_one`.
  bool is_dynamic = false;

  /// The most children that there may be, including those that wait.
  std::size_t max_children = std::numeric_limits<std::uint32_t>::max();

  /// How many restarts the supervisor tolerates within a time. The restart of a group counts as
  /// one. Unset: without limit.
  std::optional<RestartLimit> restart_limit{};

  /// Whether the supervisor ends when significant children have done their work.
  AutoShutdown auto_shutdown = AutoShutdown::never;

  /// What the engine does about a child that is not up in time. The decider is asked for this once.
  Directive on_start_timeout = Directive::restart;

  /// How long a killed child may take to end.
  ///
  /// @range 0 and above
  Duration kill_grace = std::chrono::seconds{5};

  /// What the engine does if a killed child has not ended after `kill_grace`.
  AfterGrace after_grace = AfterGrace::abandon;

  /// The seed of the random draws of all children. Each child has a stream of its own.
  std::uint64_t seed = 0;

  /// The hook that `step` calls with every event; empty: none.
  SupervisorEventHook on_event{};
};

/// A child as the driver describes it to an engine.
struct ChildEntry {
  std::string id;                              ///< unique; empty: a dynamic engine makes a number
  std::shared_ptr<const ChildOptions> options; ///< shared by children with the same options
};

} // namespace backoff_actor
