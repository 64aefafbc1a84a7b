#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"

#include <cstdint>
#include <string>

namespace backoffctl {

/// What of an outbox is to be listed.
struct OutboxSelection {
  bool owed = true;
  bool dead = true;
  std::uint64_t limit = UINT64_MAX; ///< of each; the first ones
};

/// Renders what is selected: tables for people, with what was left out, and one JSON object a line.
///
/// @errors throws `StoreError`.
std::string outbox_tables(backoff_actor::DeliveryStore& store, const OutboxSelection& selection);
std::string outbox_json_lines(backoff_actor::DeliveryStore& store,
                              const OutboxSelection& selection);

} // namespace backoffctl
