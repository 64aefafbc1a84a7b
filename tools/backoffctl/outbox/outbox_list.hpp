#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace backoffctl {

/// What of an outbox is to be listed.
struct OutboxSelection {
  bool owed = true;
  bool dead = true;
  std::uint64_t limit = UINT64_MAX; ///< of each; the first ones
  bool payload = false;             ///< with the messages
};

/// Renders a message for people: `"text"` if all its bytes, or those behind a length at its
/// beginning, are printable UTF-8, else `0x00ff`. A longer one is cut off, and ends with `...`.
std::string message_text(std::span<const std::byte> bytes);

/// Renders what is selected: tables for people, with what was left out, and one JSON object a line.
///
/// @errors throws `StoreError`.
std::string outbox_tables(backoff_actor::DeliveryStore& store, const OutboxSelection& selection);
std::string outbox_json_lines(backoff_actor::DeliveryStore& store,
                              const OutboxSelection& selection);

} // namespace backoffctl
