#include "backoff_actor/core/sender_error.hpp"

namespace backoff_actor {

std::string to_string(SenderError error) {
  switch (error) {
  case SenderError::outbox_full:
    return "outbox_full: the sender holds all that it can, the message was not accepted";
  case SenderError::stopped:
    return "stopped: the sender was stopped before this delivery was acknowledged";
  }
  return "unknown sender error";
}

} // namespace backoff_actor
