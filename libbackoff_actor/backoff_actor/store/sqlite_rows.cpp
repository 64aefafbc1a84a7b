#include "backoff_actor/store/internal/sqlite_rows.hpp"

#include "backoff_actor/store/internal/sqlite_errors.hpp"

#include <limits>

#include <SQLiteCpp/Column.h>
#include <sqlite3.h>

namespace backoff_actor::detail {

namespace {

DeadLetterReason reason_at(SQLite::Statement& row, int index, const std::string& file) {
  const auto reason = dead_letter_reason(read_text(row, index));
  if (!reason)
    throw damaged(file, "a dead letter has an unknown reason");
  return *reason;
}

// Reads a number of 32 bits.
std::uint32_t count_at(SQLite::Statement& row, int index, const std::string& file) {
  const auto number = read_number(row, index, file);
  if (number > std::numeric_limits<std::uint32_t>::max())
    throw damaged(file, "a delivery has a number outside the allowed range");
  return static_cast<std::uint32_t>(number);
}

// Reads `delivery_columns`.
StoredDelivery read_delivery(SQLite::Statement& row, const std::string& file) {
  StoredDelivery result;
  result.id = read_number(row, 0, file);
  if (result.id == 0)
    throw damaged(file, "a delivery has a number outside the allowed range");
  result.submitted_at = {row.getColumn(1).getInt64()};
  if (!row.getColumn(2).isNull())
    result.deadline = WallTime{row.getColumn(2).getInt64()};
  result.attempts = count_at(row, 3, file);
  result.key = read_text(row, 4);
  result.idempotency_key = read_text(row, 5);
  result.message.types = read_text(row, 6);
  const auto bytes = bytes_at(row, 7);
  result.message.bytes.assign(bytes.begin(), bytes.end());
  return result;
}

} // namespace

std::span<const std::byte> bytes_at(SQLite::Statement& row, int index) {
  const auto column = row.getColumn(index);
  const auto* const data = static_cast<const std::byte*>(column.getBlob());
  return {data, data == nullptr ? 0 : static_cast<std::size_t>(column.getBytes())};
}

void bind_bytes(SQLite::Statement& statement, int index, std::span<const std::byte> bytes) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw SQLite::Exception("string or blob too big", SQLITE_TOOBIG);
  // An empty value is not NULL, but SQLite takes a null pointer for NULL.
  const void* const data = bytes.empty() ? "" : static_cast<const void*>(bytes.data());
  statement.bindNoCopy(index, data, static_cast<int>(bytes.size()));
}

void bind_bytes(SQLite::Statement& statement, int index, std::string_view text) {
  bind_bytes(statement, index, std::as_bytes(std::span{text}));
}

void bind_delivery(SQLite::Statement& statement, const StoredDelivery& delivery, int before) {
  statement.bind(before + 1, static_cast<std::int64_t>(delivery.id));
  statement.bind(before + 2, delivery.submitted_at.since_epoch);
  if (delivery.deadline)
    statement.bind(before + 3, delivery.deadline->since_epoch);
  else
    statement.bind(before + 3);
  statement.bind(before + 4, delivery.attempts);
  bind_bytes(statement, before + 5, delivery.key);
  bind_bytes(statement, before + 6, delivery.idempotency_key);
  bind_bytes(statement, before + 7, delivery.message.types);
  bind_bytes(statement, before + 8, delivery.message.bytes);
  statement.bind(before + 9, delivery.hand_overs);
  bind_bytes(statement, before + 10, delivery.context);
}

StoredDelivery read_owed(SQLite::Statement& row, const std::string& file) {
  auto result = read_delivery(row, file);
  result.hand_overs = count_at(row, 8, file);
  result.context = read_text(row, 9);
  return result;
}

StoredDeadLetter read_dead_letter(SQLite::Statement& row, const std::string& file) {
  StoredDeadLetter result;
  result.delivery = read_delivery(row, file);
  result.reason = reason_at(row, 8, file);
  result.cause = read_text(row, 9);
  result.at = {row.getColumn(10).getInt64()};
  result.text = read_text(row, 11);
  result.delivery.context = read_text(row, 12);
  return result;
}

FoundMessage read_found(SQLite::Statement& row, const std::string& file) {
  const auto kind = row.getColumn(0).getInt();
  const WallTime at{row.getColumn(2).getInt64()};
  StoredDeadLetter result;
  result.delivery.id = read_number(row, 1, file);
  result.delivery.submitted_at = result.at = at;
  result.delivery.attempts = count_at(row, 3, file);
  result.delivery.context = read_text(row, 4);
  if (kind == 1)
    return found_owed(result.delivery);
  if (kind == 2)
    return {MessageState::done, 0, at};
  result.reason = reason_at(row, 5, file);
  result.cause = read_text(row, 6);
  return found_dead(result);
}

std::optional<KeptAnswer> read_answer(SQLite::Database& database,
                                      const std::string& idempotency_key, const std::string& file) {
  SQLite::Statement row{database,
                        "SELECT bytes, types, answer FROM answers WHERE idempotency_key = ?1 AND "
                        "at >= (SELECT keys_since FROM meta)"};
  bind_bytes(row, 1, idempotency_key);
  if (!row.executeStep())
    return std::nullopt;
  KeptAnswer result;
  result.bytes = read_number(row, 0, file);
  result.message.types = read_text(row, 1);
  const auto bytes = bytes_at(row, 2);
  result.message.bytes.assign(bytes.begin(), bytes.end());
  return result;
}

AcknowledgedKey read_key(SQLite::Statement& row) {
  return {read_text(row, 0), {row.getColumn(1).getInt64()}};
}

Meta read_meta(SQLite::Database& database, const std::string& file) {
  SQLite::Statement row{
    database, "SELECT last_id, commits, keys_since, is_open, (SELECT at FROM acknowledged_keys "
              "ORDER BY id DESC LIMIT 1) FROM meta"};
  if (!row.executeStep())
    throw damaged(file, "its table meta is empty");
  Meta result;
  result.last_id = read_number(row, 0, file);
  result.commits = read_number(row, 1, file);
  result.keys.since = row.getColumn(2).getInt64();
  result.is_open = row.getColumn(3).getInt() != 0;
  result.keys.last = row.getColumn(4).isNull() ? result.keys.since : row.getColumn(4).getInt64();
  return result;
}

std::string read_text(SQLite::Statement& row, int index) {
  const auto bytes = bytes_at(row, index);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t read_number(SQLite::Statement& row, int index, const std::string& file) {
  const auto number = row.getColumn(index).getInt64();
  if (number < 0)
    throw damaged(file, "a number is below 0");
  return static_cast<std::uint64_t>(number);
}

} // namespace backoff_actor::detail
