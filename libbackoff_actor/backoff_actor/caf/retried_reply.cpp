#include "backoff_actor/caf/retried_reply.hpp"

#include "backoff_actor/caf/messages.hpp"

namespace backoff_actor {

std::string render(const caf::actor_system& system, const RetriedReply& reply) {
  std::string text{reply.gave_up ? to_string(*reply.gave_up) : "answered"};
  text += " after " + to_string(reply.elapsed) + ", " + std::to_string(reply.attempts)
          + (reply.attempts == 1 ? " attempt" : " attempts");
  if (reply.gave_up)
    text += ": " + render(system, reply.error);
  return text;
}

} // namespace backoff_actor
