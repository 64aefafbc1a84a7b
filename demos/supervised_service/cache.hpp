#pragma once

#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>

#include <cstdint>
#include <string>
#include <unordered_map>

namespace supervised_service {

/// Knows the prices that workers have found, and forgets all when it ends: whoever comes after it
/// begins with nothing, and nothing that is broken.
class Cache : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override;

private:
  std::unordered_map<std::string, std::int64_t> cents_; // by item
};

} // namespace supervised_service
