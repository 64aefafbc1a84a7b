#include "backoff_actor/caf/compat/internal/virtual_system.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>

#include <algorithm>

namespace backoff_actor::compat {

void VirtualSystem::freeze(const caf::actor& actor) { frozen_.push_back(actor); }

void VirtualSystem::thaw(const caf::actor& actor) { std::erase(frozen_, actor); }

void VirtualSystem::thaw_all() { frozen_.clear(); }

bool VirtualSystem::is_frozen(caf::resumable* job) const {
  return std::any_of(frozen_.begin(), frozen_.end(), [job](const caf::actor& actor) {
    return dynamic_cast<caf::resumable*>(caf::actor_cast<caf::abstract_actor*>(actor)) == job;
  });
}

} // namespace backoff_actor::compat
