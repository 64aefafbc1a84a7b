#include "backoff_actor/store/sqlite_changes.hpp"

#include "backoff_actor/store/sqlite_rows.hpp"

#include <limits>
#include <stdexcept>

namespace backoff_actor::detail {

namespace {

constexpr auto largest_id = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

} // namespace

SqliteChanges::SqliteChanges(SqliteConnection& connection, std::uint64_t last_id)
  : insert_(connection.prepare("INSERT INTO deliveries VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")),
    key_of_(connection.prepare("SELECT idempotency_key FROM deliveries WHERE id = ?1")),
    keep_key_(connection.prepare("INSERT OR REPLACE INTO acknowledged_keys VALUES(?1, ?2)")),
    remove_(connection.prepare("DELETE FROM deliveries WHERE id = ?1")),
    count_(connection.prepare("UPDATE deliveries SET attempts = ?2 WHERE id = ?1")),
    bury_(connection.prepare("INSERT INTO dead_letters SELECT id, submitted_at, deadline, ?2, key, "
                             "idempotency_key, types, "
                             "payload, ?3, ?4, ?5 FROM deliveries WHERE id = ?1")),
    forget_keys_(connection.prepare("DELETE FROM acknowledged_keys WHERE at < ?1")),
    set_format_(connection.prepare("UPDATE meta SET message_format = ?1")),
    remove_dead_(connection.prepare("DELETE FROM dead_letters WHERE id = ?1")),
    resubmit_(connection.prepare("INSERT INTO deliveries SELECT ?2, submitted_at, NULL, 0, key, "
                                 "idempotency_key, types, payload "
                                 "FROM dead_letters WHERE id = ?1")),
    note_id_(connection.prepare("UPDATE meta SET last_id = ?1")), committed_id_(last_id),
    last_id_(last_id) {}

bool SqliteChanges::bind_id(SQLite::Statement& statement, int index, std::uint64_t id) {
  if (id > largest_id)
    return false;
  statement.bind(index, static_cast<std::int64_t>(id));
  return true;
}

void SqliteChanges::make(const change::Insert& change) {
  const auto id = change.delivery.id;
  if (id <= last_id_ || id > largest_id)
    throw std::logic_error("a delivery's number is " + std::to_string(id) + ", allowed "
                           + std::to_string(last_id_ + 1) + ".." + std::to_string(largest_id));
  bind_delivery(insert_, change.delivery);
  run(insert_);
  last_id_ = id;
}

void SqliteChanges::make(const change::Acknowledge& change) {
  if (!bind_id(key_of_, 1, change.delivery) || !bind_id(remove_, 1, change.delivery))
    return;
  {
    const Running running{key_of_};
    if (!key_of_.executeStep())
      return;
    // Most have no key, and cost no look at the table of keys.
    if (const auto key = bytes_at(key_of_, 0); !key.empty()) {
      bind_bytes(keep_key_, 1, key);
      keep_key_.bind(2, change.at.since_epoch);
      run(keep_key_);
    }
  }
  run(remove_);
}

void SqliteChanges::make(const change::CountAttempts& change) {
  if (!bind_id(count_, 1, change.delivery))
    return;
  count_.bind(2, change.attempts);
  run(count_);
}

void SqliteChanges::make(const change::Bury& change) {
  if (!bind_id(bury_, 1, change.delivery) || !bind_id(remove_, 1, change.delivery))
    return;
  bury_.bind(2, change.attempts);
  bury_.bind(3, std::string{to_string(change.reason)});
  bind_bytes(bury_, 4, change.cause);
  bury_.bind(5, change.at.since_epoch);
  run(bury_);
  run(remove_);
}

void SqliteChanges::make(const change::ForgetKeys& change) {
  forget_keys_.bind(1, change.before.since_epoch);
  run(forget_keys_);
}

void SqliteChanges::set_message_format(const std::string& format) {
  bind_bytes(set_format_, 1, format);
  run(set_format_);
}

std::size_t SqliteChanges::remove_dead_letters(std::span<const std::uint64_t> ids) {
  std::size_t count = 0;
  for (const auto id : ids) {
    if (bind_id(remove_dead_, 1, id) && run(remove_dead_) == 1)
      ++count;
  }
  return count;
}

std::size_t SqliteChanges::resubmit_dead_letters(std::span<const std::uint64_t> ids) {
  std::size_t count = 0;
  for (const auto id : ids) {
    if (!bind_id(resubmit_, 1, id) || !bind_id(resubmit_, 2, last_id_ + 1) || run(resubmit_) == 0)
      continue;
    ++last_id_;
    ++count;
    bind_id(remove_dead_, 1, id);
    run(remove_dead_);
  }
  return count;
}

void SqliteChanges::note_last_id() {
  if (last_id_ == committed_id_)
    return;
  bind_id(note_id_, 1, last_id_);
  run(note_id_);
}

} // namespace backoff_actor::detail
