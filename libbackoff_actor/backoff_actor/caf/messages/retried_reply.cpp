#include "backoff_actor/caf/messages/retried_reply.hpp"

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/retry/retry_result.hpp"

namespace backoff_actor {

std::string render(const caf::actor_system& system, const RetriedReply& reply) {
  std::string text{reply.gave_up ? to_string(*reply.gave_up) : "answered"};
  if (reply.held_back_by)
    text = detail::text_of(*reply.held_back_by, reply.come_back_in);
  text += " after " + to_string(reply.elapsed) + ", " + std::to_string(reply.attempts)
          + (reply.attempts == 1 ? " attempt" : " attempts");
  if (reply.gave_up && !(reply.held_back_by && reply.attempts == 0)) // otherwise already said above
    text += ": " + render(system, reply.error);
  return text;
}

} // namespace backoff_actor
