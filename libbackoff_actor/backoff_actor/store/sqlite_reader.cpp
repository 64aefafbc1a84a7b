#include "backoff_actor/store/internal/sqlite_reader.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <utility>

namespace backoff_actor::detail {

namespace {

// What is read at once.
constexpr int rows_at_once = 1000;
constexpr std::size_t bytes_at_once = 4U << 20; // and one more row

// Returns the owner's record beside the store; none: there is no readable one.
std::optional<OwnerRecord> record_beside(const std::string& file) {
  std::string text(record_size, '\0');
  std::ifstream in{file + ".lock", std::ios::binary};
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return read_record(text);
}

} // namespace

std::optional<StoreLoss> missing_of(const Meta& meta, const std::optional<OwnerRecord>& last_owner,
                                    bool has_log) {
  if (last_owner && meta.commits < last_owner->commits) {
    StoreLoss result{.commits = last_owner->commits - meta.commits};
    if (meta.last_id < last_owner->last_id) {
      result.first_delivery = meta.last_id + 1;
      result.last_delivery = last_owner->last_id;
    }
    return result;
  }
  // While a store is open, its log has content.
  if (!last_owner && meta.is_open && !has_log)
    return StoreLoss{.commits = 1};
  return std::nullopt;
}

namespace {

std::string what_is_lost(const StoreLoss& loss) {
  auto result = "at least " + std::to_string(loss.commits)
                + (loss.commits == 1 ? " commit is lost" : " commits are lost");
  if (loss.first_delivery > 0)
    result += ", including those of deliveries " + std::to_string(loss.first_delivery) + " to "
              + std::to_string(loss.last_delivery);
  return result;
}

} // namespace

StoreError log_is_missing(const std::string& file, const StoreLoss& loss) {
  return {StoreFailure::damaged,
          file + ": is damaged: its log, " + file + "-wal, is missing or cut off, and "
            + what_is_lost(loss)
            + "; put the log back beside it, or accept the loss: backoffctl outbox accept-loss "
            + file};
}

StoreError file_is_missing(const std::string& file, const StoreLoss& loss) {
  return {StoreFailure::damaged,
          file + ": is missing or empty, and " + what_is_lost(loss) + ", by " + file
            + ".lock; put the file back, or accept the loss: backoffctl outbox accept-loss "
            + file};
}

// -- SqliteReader -----------------------------------------------------------------------

SqliteReader::SqliteReader(const std::string& file, const SqliteOptions& options,
                           std::unique_ptr<StoreLock> lock)
  : file_(file), lock_(std::move(lock)),
    connection_(file, options, lock_ ? SqliteConnection::Use::own : SqliteConnection::Use::read) {}

void SqliteReader::leave_reserve(const SqliteOptions& options) {
  if (options.log_reserve > 0)
    after_closing_.call = [log = SqliteLog{file_}, bytes = options.log_reserve,
                           mode = options.mode] { log.reserve(bytes, mode); };
}

std::string SqliteReader::context_of_version() const {
  return connection_.version() < 3 ? "x''" : "context";
}

template <class ReadRow, class DeliveryOf, class Visit>
void SqliteReader::read_parts(const std::string& table, const std::string& query,
                              const ReadRow& read_row, const DeliveryOf& delivery_of,
                              const Visit& visit) {
  std::uint64_t last = 0; // what comes meanwhile is not visited
  read("SELECT coalesce(max(id), 0) FROM " + table,
       [&](SQLite::Statement& row) { last = read_number(row, 0, file_); });
  using Row = decltype(read_row(std::declval<SQLite::Statement&>()));
  for (std::uint64_t from = 0; from <= last;) {
    std::vector<Row> part;
    connection_.translate([&] {
      SQLite::Statement row{connection_.database(), query + " WHERE id BETWEEN "
                                                      + std::to_string(from) + " AND "
                                                      + std::to_string(last) + " ORDER BY id LIMIT "
                                                      + std::to_string(rows_at_once)};
      for (std::size_t bytes = 0; bytes < bytes_at_once && row.executeStep();) {
        part.push_back(read_row(row));
        bytes += delivery_of(part.back()).message.bytes.size();
      }
    });
    if (part.empty())
      return;
    from = delivery_of(part.back()).id + 1;
    for (auto& one : part)
      visit(std::move(one));
  }
}

void SqliteReader::for_each_owed(const std::function<void(StoredDelivery)>& visit) {
  read_parts(
    "deliveries",
    "SELECT " + std::string{delivery_columns} + ", "
      + (connection_.version() == 1 ? "0" : "hand_overs") + ", " + context_of_version()
      + " FROM deliveries",
    [&](SQLite::Statement& row) { return read_owed(row, file_); },
    [](const StoredDelivery& x) -> const StoredDelivery& { return x; }, visit);
}

void SqliteReader::for_each_dead_letter(const std::function<void(StoredDeadLetter)>& visit) {
  read_parts(
    "dead_letters", dead_letter_query(),
    [&](SQLite::Statement& row) { return read_dead_letter(row, file_); },
    [](const StoredDeadLetter& x) -> const StoredDelivery& { return x.delivery; }, visit);
}

void SqliteReader::for_each_newest_dead_letter(std::uint64_t below, std::size_t at_most,
                                               const std::function<void(StoredDeadLetter)>& visit) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max(); // of SQLite
  read(dead_letter_query() + " WHERE id < " + std::to_string(std::min(below, most))
         + " ORDER BY id DESC LIMIT " + std::to_string(std::min<std::uint64_t>(at_most, most)),
       [&](SQLite::Statement& row) { visit(read_dead_letter(row, file_)); });
}

std::string SqliteReader::dead_letter_query() const {
  return "SELECT " + std::string{delivery_columns} + ", reason, cause, at, "
         + (connection_.version() < 3 ? "x''" : "text") + ", " + context_of_version()
         + " FROM dead_letters";
}

void SqliteReader::for_each_acknowledged_key(const std::function<void(AcknowledgedKey)>& visit) {
  read(std::string{"SELECT idempotency_key, at "} + keys_of_version()
         + (connection_.version() == 1 ? " ORDER BY at, idempotency_key" : " ORDER BY id"),
       [&](SQLite::Statement& row) { visit(read_key(row)); });
}

std::string SqliteReader::keys_of_version() const {
  return connection_.version() == 1
           ? "FROM acknowledged_keys"
           : "FROM acknowledged_keys WHERE at >= (SELECT keys_since FROM meta)";
}

// The rows are of one statement, and so of one moment. The answer stays as long as the key.
FoundMessage SqliteReader::find_message(const std::string& idempotency_key,
                                        std::uint64_t delivery) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max(); // of SQLite
  FoundMessage result;
  if (idempotency_key.empty() && delivery > most)
    return result;
  const auto it = idempotency_key.empty() ? std::to_string(delivery) + " = id"
                                          : std::string{"idempotency_key = ?1"};
  connection_.translate([&] {
    SQLite::Statement row{
      connection_.database(),
      std::string{"SELECT * FROM (SELECT 1 AS place, id, submitted_at, attempts, "}
        + context_of_version() + ", '', x'' FROM deliveries WHERE " + it
        + " UNION ALL SELECT 2, 0, at, 0, x'', '', x'' FROM (SELECT idempotency_key, at "
        + keys_of_version() + ") WHERE idempotency_key = ?1"
        + " UNION ALL SELECT 3, id, at, attempts, " + context_of_version()
        + ", reason, cause FROM dead_letters WHERE " + it + ") ORDER BY place, id DESC LIMIT 1"};
    bind_bytes(row, 1, idempotency_key);
    if (row.executeStep())
      result = read_found(row, file_);
    if (result.state == MessageState::done && has_answers(connection_.database()))
      result.answer = read_answer(connection_.database(), idempotency_key, file_);
  });
  return result;
}

DeadLetterTally SqliteReader::count_dead_letters() {
  DeadLetterTally result;
  read("SELECT count(*), coalesce(min(at), 0) FROM dead_letters", [&](SQLite::Statement& row) {
    result = {read_number(row, 0, file_), {row.getColumn(1).getInt64()}};
  });
  return result;
}

std::uint64_t SqliteReader::last_id() {
  std::uint64_t result = 0;
  read("SELECT last_id FROM meta",
       [&](SQLite::Statement& row) { result = read_number(row, 0, file_); });
  return result;
}

std::string SqliteReader::message_format() {
  std::string result;
  read("SELECT message_format FROM meta",
       [&](SQLite::Statement& row) { result = read_text(row, 0); });
  return result;
}

void SqliteReader::read(const std::string& query,
                        const std::function<void(SQLite::Statement&)>& visit) {
  connection_.translate([&] {
    SQLite::Statement row{connection_.database(), query};
    while (row.executeStep())
      visit(row);
  });
}

// -- SqliteView -------------------------------------------------------------------------

SqliteView::SqliteView(const std::string& file, const SqliteOptions& options)
  : SqliteView(file, options, record_beside(file)) {}

SqliteView::SqliteView(const std::string& file, const SqliteOptions& options,
                       const std::optional<OwnerRecord>& owner)
  : SqliteReader(file, options, nullptr) {
  const auto version = connection().version();
  if (version == 0)
    throw StoreError(StoreFailure::cannot_open,
                     file + ": is empty; a sender must use it before there is something to read");
  if (version == 1)
    return;
  const auto meta =
    connection().translate([&] { return read_meta(connection().database(), file); });
  const auto has_log = SqliteLog{file}.has_content();
  if (const auto loss = missing_of(meta, owner, has_log); loss && !was_another_boot(owner))
    throw log_is_missing(file, *loss);
}

void SqliteView::commit(std::span<const StoreChange> changes) {
  if (!changes.empty())
    refuse();
}

void SqliteView::refuse() const {
  throw StoreError(StoreFailure::read_only,
                   file()
                     + ": is open for reading only; open it with open_sqlite_store to change it");
}

} // namespace backoff_actor::detail
