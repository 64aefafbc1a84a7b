#include "backoff_actor/core/supervisor_error.hpp"

namespace backoff_actor {

std::string to_string(SupervisorError error) {
  switch (error) {
  case SupervisorError::already_present:
    return "already_present: there is a child of that id, which is down";
  case SupervisorError::already_started:
    return "already_started: there is a child of that id, and it lives";
  case SupervisorError::running:
    return "running: the child is up";
  case SupervisorError::restarting:
    return "restarting: the child is being started, or its restart has been scheduled";
  case SupervisorError::ending:
    return "ending: the child is being ended";
  case SupervisorError::not_running:
    return "not_running: the child is down, and no restart has been scheduled";
  case SupervisorError::not_found:
    return "not_found: there is no child of that id";
  case SupervisorError::max_children:
    return "max_children: there are as many children as there may be";
  case SupervisorError::stopping:
    return "stopping: the supervisor is ending";
  case SupervisorError::start_failed:
    return "start_failed: a child could not be started";
  case SupervisorError::terminated:
    return "terminated: the child was ended before it had started";
  case SupervisorError::limit_reached:
    return "limit_reached: children had to be restarted more often than is borne";
  case SupervisorError::no_child:
    return "no_child: there is no child at this address now";
  }
  return "unknown supervisor error";
}

} // namespace backoff_actor
