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
  /// Who is made again when a child has to be.
  Strategy strategy = Strategy::one_for_one;

  /// Whether children have no order: they are ended together, and one that is down for good is
  /// forgotten. Only with `Strategy::one_for_one`.
  bool is_dynamic = false;

  /// How many children there are at the most, those that wait included.
  std::size_t max_children = std::numeric_limits<std::uint32_t>::max();

  /// How many restarts within which time the supervisor bears; that of a group is one. Unset: any.
  std::optional<RestartLimit> restart_limit{};

  /// Whether the supervisor ends when significant children have done their work.
  AutoShutdown auto_shutdown = AutoShutdown::never;

  /// What becomes of a child that is not up in time, which the decider is asked once.
  Directive on_start_timeout = Directive::restart;

  /// How long a child that was killed has for ending.
  ///
  /// @range 0 and above
  Duration kill_grace = std::chrono::seconds{5};

  /// What becomes of a child that has not ended then.
  AfterGrace after_grace = AfterGrace::abandon;

  /// Of the draws of all children; each has a stream of its own.
  std::uint64_t seed = 0;

  /// Told of all that happens, in `step`; empty: nobody is.
  SupervisorEventHook on_event{};
};

/// A child as an engine is told of it.
struct ChildEntry {
  std::string id;                              ///< unique; with a dynamic engine empty: a number
  std::shared_ptr<const ChildOptions> options; ///< shared by those that have the same
};

} // namespace backoff_actor
