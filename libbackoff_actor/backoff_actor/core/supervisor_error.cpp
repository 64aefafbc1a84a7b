#include "backoff_actor/core/supervisor_error.hpp"

namespace backoff_actor {

std::string to_string(SupervisorError error) {
  switch (error) {
  case SupervisorError::already_present:
    return "already_present: a child with this id exists, and it is down";
  case SupervisorError::already_started:
    return "already_started: a child with this id exists, and it is alive";
  case SupervisorError::running:
    return "running: the child is up";
  case SupervisorError::restarting:
    return "restarting: the supervisor is starting the child, or has scheduled its restart";
  case SupervisorError::ending:
    return "ending: the supervisor is ending the child";
  case SupervisorError::not_running:
    return "not_running: the child is down, and no restart has been scheduled";
  case SupervisorError::not_found:
    return "not_found: no child has this id";
  case SupervisorError::max_children:
    return "max_children: the supervisor has as many children as max_children allows";
  case SupervisorError::stopping:
    return "stopping: the supervisor is ending";
  case SupervisorError::start_failed:
    return "start_failed: a child could not be started";
  case SupervisorError::terminated:
    return "terminated: the child was ended before it was up";
  case SupervisorError::limit_reached:
    return "limit_reached: children needed more restarts than the restart limit allows";
  case SupervisorError::no_child:
    return "no_child: there is no child at this address now";
  }
  return "unknown supervisor error";
}

} // namespace backoff_actor
