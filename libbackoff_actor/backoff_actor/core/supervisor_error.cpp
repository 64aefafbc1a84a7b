#include "backoff_actor/core/supervisor_error.hpp"

#include "backoff_actor/core/internal/enum_names.hpp"

namespace backoff_actor {

std::string to_string(SupervisorError error) {
  constexpr auto names = detail::enum_names<SupervisorError, 1>({
    "already_present: a child with this id exists, and it is down",
    "already_started: a child with this id exists, and it is alive",
    "running: the child is up",
    "restarting: the supervisor is starting the child, or has scheduled its restart",
    "ending: the supervisor is ending the child",
    "not_running: the child is down, and no restart has been scheduled",
    "not_found: no child has this id",
    "max_children: the supervisor has as many children as max_children allows",
    "stopping: the supervisor is ending",
    "start_failed: a child could not be started",
    "terminated: the child was ended before it was up",
    "limit_reached: children needed more restarts than the restart limit allows",
    "no_child: there is no child at this address now",
  });
  static_assert(names.texts.size() == last_supervisor_error);
  return std::string{names.of(error, "unknown supervisor error")};
}

} // namespace backoff_actor
