#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/blocking_actor.hpp>
#include <caf/config.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/sec.hpp>

#include <cstddef>
#include <string>
#include <typeinfo>

namespace backoff_actor::compat {

namespace {

// Where the base of a type is in its objects.
template <class Base>
struct PlaceOf {
  const std::type_info* type = nullptr; // of which actor
  std::ptrdiff_t offset = 0;
  bool is_there = false;
};

// The same as dynamic_cast, which compares the names of the bases each time. A `ChildRef` asks for
// each message, and most often about an actor of the same type as before.
template <class Base>
Base* base_of(caf::abstract_actor& actor) {
  thread_local PlaceOf<Base> last;
  if (last.type != &typeid(actor)) {
    auto* const base = dynamic_cast<Base*>(&actor);
    last = {&typeid(actor),
            base == nullptr
              ? 0
              : reinterpret_cast<std::byte*>(base) - reinterpret_cast<std::byte*>(&actor),
            base != nullptr};
  }
  return last.is_there ? reinterpret_cast<Base*>(reinterpret_cast<std::byte*>(&actor) + last.offset)
                       : nullptr;
}

} // namespace

bool has_ended(const caf::actor_addr& whom) {
  const auto actor = caf::actor_cast<caf::strong_actor_ptr>(whom);
  return !actor || actor->get()->getf(caf::abstract_actor::is_terminated_flag);
}

bool has_ended(const caf::actor& whom) {
  return caf::actor_cast<caf::abstract_actor*>(whom)->getf(caf::abstract_actor::is_terminated_flag);
}

bool is_closed(const caf::strong_actor_ptr& whom) {
  auto& actor = *whom->get();
  if (actor.getf(caf::abstract_actor::is_terminated_flag))
    return true;
  if (auto* const scheduled = base_of<caf::scheduled_actor>(actor))
    return scheduled->mailbox().closed();
  auto* const blocking = base_of<caf::blocking_actor>(actor);
  return blocking != nullptr && blocking->mailbox().closed();
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
