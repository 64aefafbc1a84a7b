#include "backoff_actor/caf/compat/compat.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/config.hpp>
#include <caf/sec.hpp>

#include <string>

namespace backoff_actor::compat {

bool has_ended(const caf::actor_addr& whom) {
  const auto actor = caf::actor_cast<caf::strong_actor_ptr>(whom);
  return !actor || actor->get()->getf(caf::abstract_actor::is_terminated_flag);
}

bool has_ended(const caf::actor& whom) {
  return caf::actor_cast<caf::abstract_actor*>(whom)->getf(caf::abstract_actor::is_terminated_flag);
}

bool tells_of_own_end(const caf::strong_actor_ptr& from, const caf::actor_addr& whom) {
  return has_ended(whom) && from == caf::actor_cast<caf::strong_actor_ptr>(whom);
}

caf::error reason_of_end(const caf::actor& whom) {
  caf::error result;
  whom->attach_functor(
    [&](const caf::error& reason) { result = reason; }); // CAF calls this at once
  return result;
}

std::string caf_version() {
  return std::to_string(CAF_MAJOR_VERSION) + "." + std::to_string(CAF_MINOR_VERSION) + "."
         + std::to_string(CAF_PATCH_VERSION);
}

caf::error system_message_refused() {
  return error_with(
    caf::sec::unexpected_message,
    caf::make_message(std::string{"the message is a bare error, exit_msg, down_msg or timeout_msg, "
                                  "which CAF handles as an order to the actor itself"}));
}

} // namespace backoff_actor::compat
