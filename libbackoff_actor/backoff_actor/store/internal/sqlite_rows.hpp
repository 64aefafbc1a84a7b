#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace backoff_actor::detail {

// Both tables of deliveries have these columns.
constexpr std::string_view delivery_columns =
  "id, submitted_at, deadline, attempts, key, idempotency_key, types, payload";

// Binds any bytes, without a copy: they must stay valid until the statement has run.
//
// @errors throws `SQLite::Exception`; with SQLITE_TOOBIG if SQLite could not even take the size.
void bind_bytes(SQLite::Statement& statement, int index, std::span<const std::byte> bytes);
// Binds the bytes of the text.
void bind_bytes(SQLite::Statement& statement, int index, std::string_view text);

// Binds `delivery_columns`, `hand_overs` and `context` after so many parameters of other rows.
constexpr int delivery_parameters = 10;
void bind_delivery(SQLite::Statement& statement, const StoredDelivery& delivery, int before = 0);

// Reads the current row of a statement. Its first columns are `delivery_columns`. Then an owed
// delivery has hand_overs; a dead letter has reason, cause, at.
//
// @errors throws `StoreError` with `damaged` if a store cannot have written a value.
StoredDelivery read_owed(SQLite::Statement& row, const std::string& file);
StoredDeadLetter read_dead_letter(SQLite::Statement& row, const std::string& file);

// Reads what a store says of a message: which kind of row it is, and then id, time, attempts,
// context, reason and cause.
FoundMessage read_found(SQLite::Statement& row, const std::string& file);

// Reads the answer of a key; none: none is kept.
std::optional<KeptAnswer> read_answer(SQLite::Database& database,
                                      const std::string& idempotency_key, const std::string& file);

// Reads a key and the time of its acknowledgement.
AcknowledgedKey read_key(SQLite::Statement& row);

// The meta data of a store; see `sqlite_schema.cpp`.
struct Meta {
  std::uint64_t last_id = 0; // the highest number of a delivery
  std::uint64_t commits = 0; // transactions that have changed the store
  KeyClock keys{};
  bool is_open = true;

  friend bool operator==(const Meta&, const Meta&) = default;
};

// Reads the meta data of a store of this version.
//
// @errors throws `StoreError` with `damaged`, `SQLite::Exception`.
Meta read_meta(SQLite::Database& database, const std::string& file);

// Returns the bytes of a column, in SQLite's memory: valid until the statement goes on.
std::span<const std::byte> bytes_at(SQLite::Statement& row, int index);

// Reads one column as a text, or as a number.
std::string read_text(SQLite::Statement& row, int index);
std::uint64_t read_number(SQLite::Statement& row, int index, const std::string& file);

} // namespace backoff_actor::detail
