#include "backoff_actor/core/supervisor_error.hpp"

#include "backoff_actor/core/enum_names.hpp"

namespace backoff_actor {

std::string to_string(SupervisorError error) {
  constexpr auto names = detail::enum_names<SupervisorError, 1>({
    "already_present: there is a child of that id, which is down",
    "already_started: there is a child of that id, and it lives",
    "running: the child is up",
    "restarting: the child is being started, or its restart has been scheduled",
    "ending: the child is being ended",
    "not_running: the child is down, and no restart has been scheduled",
    "not_found: there is no child of that id",
    "max_children: there are as many children as there may be",
    "stopping: the supervisor is ending",
    "start_failed: a child could not be started",
    "terminated: the child was ended before it had started",
    "limit_reached: children had to be restarted more often than is borne",
    "no_child: there is no child at this address now",
  });
  static_assert(names.texts.size() == last_supervisor_error);
  return std::string{names.of(error, "unknown supervisor error")};
}

} // namespace backoff_actor
