#include "backoff_actor/caf/compat/internal/virtual_system.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>

#include <algorithm>

namespace backoff_actor::compat {

void VirtualSystem::freeze(const caf::actor& actor) {
  auto* const job = dynamic_cast<caf::resumable*>(caf::actor_cast<caf::abstract_actor*>(actor));
  frozen_.push_back({actor, job});
}

void VirtualSystem::thaw(const caf::actor& actor) {
  std::erase_if(frozen_, [&](const Frozen& x) { return x.actor == actor; });
}

void VirtualSystem::thaw_all() { frozen_.clear(); }

bool VirtualSystem::is_frozen(const caf::resumable* job) const {
  return std::ranges::find(frozen_, job, &Frozen::job) != frozen_.end();
}

} // namespace backoff_actor::compat
