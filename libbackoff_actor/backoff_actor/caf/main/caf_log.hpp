#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/guard/guard_events.hpp"
#include "backoff_actor/observe/events.hpp"
#include "backoff_actor/observe/supervisor_events.hpp"

#include <caf/actor_system.hpp>

namespace backoff_actor {

/// A function for `on_event` that writes to CAF's own log, with the severity of the event, under
/// the component `backoff_actor` (CAF 0.17: `backoff`). CAF's configuration says which lines are
/// kept, and where. Without it CAF keeps none.
///
///     options.on_event = CafLog{system};
///
/// @range  the system must live as long as whoever reports. That holds for senders, supervisors and
///         their guards, and not for `NetworkOptions::on_event`.
/// @thread any
class BACKOFF_ACTOR_EXPORT CafLog {
public:
  /// Writes to the log of this system.
  explicit CafLog(caf::actor_system& system) : system_(&system) {}

  /// Takes an event of a sender, a supervisor or a guard.
  /// @{
  void operator()(const Event& event) const;
  void operator()(const SupervisorEvent& event) const;
  void operator()(const GuardEvent& event) const;
  /// @}

private:
  caf::actor_system* system_;
};

} // namespace backoff_actor
