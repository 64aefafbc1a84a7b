#include "backoff_actor/store/internal/sqlite_statements.hpp"

#include "backoff_actor/store/internal/sqlite_rows.hpp"
#include "backoff_actor/store/internal/sqlite_schema.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include <sqlite3.h>

namespace backoff_actor::detail {

namespace {

constexpr int keys_dropped_at_once = 1000;

constexpr std::size_t inserted_at_once = 16;

std::string insertion(std::size_t rows) {
  std::string result = "INSERT INTO deliveries(id, submitted_at, deadline, attempts, key, "
                       "idempotency_key, types, payload, hand_overs, context) VALUES";
  for (std::size_t i = 0; i < rows; ++i)
    result += i == 0 ? "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" : ", (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  return result;
}

constexpr auto largest_id = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

} // namespace

SqliteStatements::SqliteStatements(SqliteConnection& connection, const Meta& meta)
  : insert_(connection.prepare(insertion(1).c_str())),
    insert_many_(connection.prepare(insertion(inserted_at_once).c_str())),
    key_of_(connection.prepare("SELECT idempotency_key FROM deliveries WHERE id = ?1")),
    keep_key_(
      connection.prepare("INSERT INTO acknowledged_keys(idempotency_key, at) VALUES(?1, ?2)")),
    set_keys_back_(connection.prepare("UPDATE acknowledged_keys SET at = ?1 WHERE at > ?1")),
    remove_(connection.prepare("DELETE FROM deliveries WHERE id = ?1")),
    remove_range_(connection.prepare("DELETE FROM deliveries WHERE id BETWEEN ?1 AND ?2")),
    count_attempts_(connection.prepare("UPDATE deliveries SET attempts = ?2 WHERE id = ?1")),
    count_hand_overs_(connection.prepare("UPDATE deliveries SET hand_overs = ?2 WHERE id = ?1")),
    set_context_(connection.prepare("UPDATE deliveries SET context = ?2 WHERE id = ?1")),
    set_message_(connection.prepare("UPDATE deliveries SET types = ?2, payload = ?3, attempts = 0, "
                                    "hand_overs = 0 WHERE id = ?1")),
    bury_(connection.prepare("INSERT INTO dead_letters SELECT id, submitted_at, deadline, ?2, key, "
                             "idempotency_key, types, "
                             "payload, ?3, ?4, ?5, ?6, context FROM deliveries WHERE id = ?1")),
    drop_keys_(connection.prepare("DELETE FROM acknowledged_keys WHERE id IN (SELECT id FROM "
                                  "acknowledged_keys ORDER BY id LIMIT ?1) AND at < ?2")),
    set_format_(connection.prepare("UPDATE meta SET message_format = ?1")),
    remove_dead_(connection.prepare("DELETE FROM dead_letters WHERE id = ?1")),
    resubmit_(connection.prepare("INSERT INTO deliveries(id, submitted_at, attempts, key, "
                                 "idempotency_key, types, payload, context) SELECT ?2, "
                                 "submitted_at, 0, key, idempotency_key, types, payload, context "
                                 "FROM dead_letters WHERE id = ?1")),
    note_(connection.prepare(
      "UPDATE meta SET last_id = ?1, commits = ?2, is_open = ?3, keys_since = ?4")),
    connection_(connection), handle_(connection.database().getHandle()), committed_(meta),
    meta_(meta) {
  if (connection.translate([&] { return has_answers(connection.database()); }))
    answers_ = std::make_unique<Answers>(connection);
}

SqliteStatements::Answers::Answers(SqliteConnection& connection)
  : keep(connection.prepare("INSERT OR REPLACE INTO answers(idempotency_key, at, bytes, types, "
                            "answer) VALUES(?1, ?2, ?3, ?4, ?5)")),
    drop(connection.prepare("DELETE FROM answers WHERE id IN (SELECT id FROM answers ORDER BY id "
                            "LIMIT ?1) AND at < ?2")),
    set_back(connection.prepare("UPDATE answers SET at = ?1 WHERE at > ?1")) {}

bool SqliteStatements::bind_id(SQLite::Statement& statement, int index, std::uint64_t id) {
  if (id > largest_id)
    return false;
  statement.bind(index, static_cast<std::int64_t>(id));
  return true;
}

void SqliteStatements::note_time(std::span<const StoreChange> changes) {
  if (!meta_.keys.is_ahead_of(changes))
    return;
  const auto at = *KeyClock::newest(changes);
  meta_.keys.set_back(at);
  set_keys_back_.bind(1, at);
  run(set_keys_back_);
  if (answers_) {
    answers_->set_back.bind(1, at);
    run(answers_->set_back);
  }
}

void SqliteStatements::make(const change::Insert& change) {
  const auto id = change.delivery.id;
  if (id <= meta_.last_id || id > largest_id)
    throw std::logic_error("a delivery's number is " + std::to_string(id) + ", allowed "
                           + std::to_string(meta_.last_id + 1) + ".." + std::to_string(largest_id));
  inserted_.push_back(&change.delivery);
  if (inserted_.size() == inserted_at_once)
    insert_waiting();
  meta_.last_id = id;
  may_have_keys_ |= !change.delivery.idempotency_key.empty();
}

void SqliteStatements::insert_waiting() {
  if (inserted_.size() == inserted_at_once) {
    for (std::size_t i = 0; i < inserted_at_once; ++i)
      bind_delivery(insert_many_, *inserted_[i], static_cast<int>(i) * delivery_parameters);
    run(insert_many_);
  } else {
    for (const auto* const one : inserted_) {
      bind_delivery(insert_, *one);
      run(insert_);
    }
  }
  inserted_.clear();
}

void SqliteStatements::make(const change::Acknowledge& change) {
  if (!may_have_keys_) {
    if (change.delivery <= meta_.last_id) // otherwise there is no such delivery yet
      acknowledged_.push_back(change.delivery);
    return;
  }
  insert_waiting();
  if (!bind_id(key_of_, 1, change.delivery) || !bind_id(remove_, 1, change.delivery))
    return;
  {
    const Running running{key_of_};
    if (!key_of_.executeStep())
      return;
    // Most deliveries have no key, and do not touch the table of keys.
    if (const auto key = bytes_at(key_of_, 0); !key.empty() && !change.is_dropped) {
      bind_bytes(keep_key_, 1, key);
      keep_key_.bind(2, meta_.keys.next(change.at.since_epoch));
      run(keep_key_);
    }
  }
  run(remove_);
}

void SqliteStatements::remove_acknowledged() {
  std::sort(acknowledged_.begin(), acknowledged_.end());
  for (auto first = acknowledged_.begin(); first != acknowledged_.end();) {
    auto last = first;
    while (last + 1 != acknowledged_.end() && *(last + 1) <= *last + 1)
      ++last;
    bind_id(remove_range_, 1, *first);
    bind_id(remove_range_, 2, *last);
    run(remove_range_);
    first = last + 1;
  }
  acknowledged_.clear();
}

void SqliteStatements::make(const change::CountAttempts& change) {
  insert_waiting();
  if (!bind_id(count_attempts_, 1, change.delivery))
    return;
  count_attempts_.bind(2, change.attempts);
  run(count_attempts_);
}

void SqliteStatements::make(const change::CountHandOvers& change) {
  insert_waiting();
  if (!bind_id(count_hand_overs_, 1, change.delivery))
    return;
  count_hand_overs_.bind(2, change.hand_overs);
  run(count_hand_overs_);
}

void SqliteStatements::make(const change::SetContext& change) {
  insert_waiting();
  if (!bind_id(set_context_, 1, change.delivery))
    return;
  bind_bytes(set_context_, 2, change.context);
  run(set_context_);
}

void SqliteStatements::make(const change::SetMessage& change) {
  insert_waiting();
  if (!bind_id(set_message_, 1, change.delivery))
    return;
  bind_bytes(set_message_, 2, change.message.types);
  bind_bytes(set_message_, 3, change.message.bytes);
  run(set_message_);
}

void SqliteStatements::make(const change::Bury& change) {
  insert_waiting();
  remove_acknowledged(); // none of these can be buried
  if (!bind_id(bury_, 1, change.delivery) || !bind_id(remove_, 1, change.delivery))
    return;
  bury_.bind(2, change.attempts);
  bury_.bind(3, std::string{to_string(change.reason)});
  bind_bytes(bury_, 4, change.cause);
  bury_.bind(5, change.at.since_epoch);
  bind_bytes(bury_, 6, change.text);
  run(bury_);
  run(remove_);
}

// Its time is that of the key, which comes next.
void SqliteStatements::make(const change::KeepAnswer& change) {
  if (!answers_) {
    create_answers(connection_.database());
    has_new_answers_ = true;
    answers_ = std::make_unique<Answers>(connection_);
  }
  auto& keep = answers_->keep;
  bind_bytes(keep, 1, change.idempotency_key);
  keep.bind(2, std::max({meta_.keys.last, meta_.keys.since, change.at.since_epoch}));
  keep.bind(3, static_cast<std::int64_t>(change.answer.bytes));
  bind_bytes(keep, 4, change.answer.message.types);
  bind_bytes(keep, 5, change.answer.message.bytes);
  run(keep);
}

// Returns whether there may be more.
bool SqliteStatements::drop_answers() {
  if (!answers_)
    return false;
  answers_->drop.bind(1, keys_dropped_at_once);
  answers_->drop.bind(2, meta_.keys.since);
  return run(answers_->drop) == keys_dropped_at_once;
}

void SqliteStatements::make(const change::ForgetKeys& change) {
  meta_.keys.forget(change.before.since_epoch);
  has_keys_to_drop_ = true;
}

void SqliteStatements::set_message_format(const std::string& format) {
  bind_bytes(set_format_, 1, format);
  run(set_format_);
}

std::size_t SqliteStatements::remove_dead_letters(std::span<const std::uint64_t> ids) {
  std::size_t count = 0;
  for (const auto id : ids) {
    if (bind_id(remove_dead_, 1, id) && run(remove_dead_) == 1)
      ++count;
  }
  return count;
}

std::size_t SqliteStatements::resubmit_dead_letters(std::span<const std::uint64_t> ids) {
  std::size_t count = 0;
  for (const auto id : ids) {
    if (!bind_id(resubmit_, 1, id) || !bind_id(resubmit_, 2, meta_.last_id + 1)
        || run(resubmit_) == 0)
      continue;
    ++meta_.last_id;
    ++count;
    may_have_keys_ = true;
    bind_id(remove_dead_, 1, id);
    run(remove_dead_);
  }
  return count;
}

void SqliteStatements::begin() {
  inserted_.clear();
  acknowledged_.clear();
  changes_before_ = sqlite3_total_changes64(handle_);
  meta_.is_open = is_open_;
  is_touched_ = false;
}

void SqliteStatements::end() {
  insert_waiting();
  remove_acknowledged();
  if (has_keys_to_drop_) {
    drop_keys_.bind(1, keys_dropped_at_once);
    drop_keys_.bind(2, meta_.keys.since);
    const auto has_more = run(drop_keys_) == keys_dropped_at_once;
    has_keys_to_drop_ = drop_answers() || has_more;
  }
  if (!is_touched_ && meta_ == committed_ && sqlite3_total_changes64(handle_) == changes_before_)
    return;
  ++meta_.commits;
  note_.bind(1, static_cast<std::int64_t>(meta_.last_id));
  note_.bind(2, static_cast<std::int64_t>(meta_.commits));
  note_.bind(3, meta_.is_open ? 1 : 0);
  note_.bind(4, meta_.keys.since);
  run(note_);
}

} // namespace backoff_actor::detail
