#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace backoffctl {

/// Renders a point in time as ISO 8601 in UTC, `2023-11-14T22:13:20.000000001Z`, with so many
/// digits of the second.
///
/// @range 0..9 digits; what they cannot show is cut off
std::string iso_time(backoff_actor::WallTime time, int digits);

/// Renders bytes as base64, padded.
///
/// @source RFC 4648, section 4
std::string base64(std::span<const std::byte> bytes);

/// Renders a delivery that is owed, or a dead letter, as JSON in one line, with the message or
/// without. Bytes of texts that are no UTF-8 become U+FFFD.
std::string json_line(const backoff_actor::StoredDelivery& owed, bool with_payload);
std::string json_line(const backoff_actor::StoredDeadLetter& dead, bool with_payload);

/// What is in an outbox, in numbers.
struct OutboxCounts {
  std::uint64_t owed = 0;
  std::uint64_t dead_letters = 0;
  std::uint64_t acknowledged_keys = 0;
  std::uint64_t last_id = 0;
  std::string message_format{};
};

/// Counts it all.
///
/// @errors throws `StoreError`.
OutboxCounts count_outbox(backoff_actor::DeliveryStore& store);

/// Renders the counts for people, and for programs.
std::string counts_text(const OutboxCounts& counts);
std::string counts_json(const OutboxCounts& counts);

} // namespace backoffctl
