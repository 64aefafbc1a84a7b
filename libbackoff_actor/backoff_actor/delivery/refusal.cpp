#include "backoff_actor/delivery/refusal.hpp"

#include "backoff_actor/core/internal/enum_names.hpp"

namespace backoff_actor {

std::string_view to_string(Refusal refusal) {
  constexpr auto names = detail::enum_names<Refusal>(
    {"outbox_full", "draining", "stopped", "unusable", "not_stored", "not_owner"});
  return names.of(refusal);
}

} // namespace backoff_actor
