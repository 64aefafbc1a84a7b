#include "cache.hpp"

#include "messages.hpp"
#include "misfortune.hpp"

namespace supervised_service {

caf::behavior Cache::make_behavior() {
  return {
    [this](const LookUp& x) -> std::int64_t {
      const auto known = cents_.find(x.item);
      return known == cents_.end() ? 0 : known->second;
    },
    [this](const Remember& x) { cents_[x.item] = x.cents; },
    crash_when_told,
    hang_when_told,
  };
}

} // namespace supervised_service
