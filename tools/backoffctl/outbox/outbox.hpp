#pragma once

// Durable outboxes, of two kinds: a file of SQLite, and one on a server of PostgreSQL. Each kind
// may be missing in a build. Then its functions throw, and say what to install, and its commands do
// the same.

#include "backoffctl/common/command.hpp"

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace backoff_actor {
struct PostgresOutbox;
} // namespace backoff_actor

namespace backoffctl {

struct MessageFound;

// -- the kinds ------------------------------------------------------------------------------

/// Whether a text is the address of an outbox on a server, `postgres://...`. Anything else is the
/// name of a file.
inline bool is_on_server(const std::string& outbox) {
  return outbox.starts_with("postgres://") || outbox.starts_with("postgresql://");
}

/// Opens a file that is there.
///
/// @errors throws `StoreError`.
std::shared_ptr<backoff_actor::DeliveryStore> open_outbox_file(const std::string& file);
std::shared_ptr<backoff_actor::DeliveryStore> open_outbox_file_to_read(const std::string& file);

/// Declares the commands for files alone.
void add_outbox_file_commands(CLI::App& outbox, Commands& commands);

/// Notes what is wrong with the address of an outbox on a server. Does not repeat the address.
void check_outbox_on_server(const std::string& url, Problems& problems);

/// Opens an outbox that is there, after a check of its address.
///
/// @errors throws `StoreError`.
std::shared_ptr<backoff_actor::DeliveryStore> open_outbox_on_server(const std::string& url);
std::shared_ptr<backoff_actor::DeliveryStore> open_outbox_on_server_to_read(const std::string& url);

/// Notes under this name what is wrong with the address of a database, with an outbox or without.
/// Does not repeat the address.
void check_database_on_server(const std::string& field, const std::string& url, Problems& problems);

/// Finds all messages with this key or this idempotency key, after a check of the address.
///
/// @errors throws `StoreError`.
std::vector<MessageFound> find_on_server(const std::string& url, const std::string& key);

/// Declares the commands for servers alone.
void add_outbox_server_commands(CLI::App& outbox, Commands& commands);

// -- what is in it --------------------------------------------------------------------------

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

/// Renders a point in time as ISO 8601 in UTC, `2023-11-14T22:13:20.000000001Z`, with so many
/// digits of the second.
///
/// @range 0..9 digits; what they cannot show is cut off
std::string iso_time(backoff_actor::WallTime time, int digits);

/// How many digits of a second are printed.
/// @{
inline constexpr auto digits_for_people = 3;
inline constexpr auto digits_for_programs = 9;
/// @}

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

/// What an outbox knows of a message.
struct MessageFound {
  std::string outbox{};          ///< its name, or that of the file
  std::string state{};           ///< waiting, owed, done or dead
  std::uint64_t id = 0;          ///< of its row in `incoming`, or of the delivery; 0: done
  std::string key{};             ///< empty: none
  std::string idempotency_key{}; ///< empty: none
  std::string types{};           ///< of its parts; empty: it is done
  backoff_actor::WallTime at{};  ///< when it was inserted, submitted, given up, or acknowledged
  std::uint64_t attempts = 0;    ///< failed ones
  std::string cause{};           ///< why it is dead; empty: it is not

  /// The last note of its child, empty if there is none. Nothing: a server shows no notes.
  std::optional<std::string> note{};
  std::optional<backoff_actor::KeptAnswer> answer{}; ///< of what is done, in a file
};

/// Renders messages: a table for people, and one JSON object a line for programs.
std::string messages_table(const std::vector<MessageFound>& messages);
std::string messages_json_lines(const std::vector<MessageFound>& messages);

/// Renders who owns which outbox of a server: a table for people, and one JSON object a line for
/// programs.
std::string owners_table(const std::vector<backoff_actor::PostgresOutbox>& outboxes);
std::string owners_json_lines(const std::vector<backoff_actor::PostgresOutbox>& outboxes);

/// Renders JSON in one line. Bytes of texts that are no UTF-8 become U+FFFD.
template <class Json>
std::string json_text(const Json& json) {
  return backoff_actor::detail::plain_json(
           json.dump(-1, ' ', false, Json::error_handler_t::replace))
         + "\n";
}

} // namespace backoffctl
