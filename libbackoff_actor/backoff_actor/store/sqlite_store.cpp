#include "backoff_actor/store/sqlite_store.hpp"

#include "backoff_actor/core/check_span.hpp"
#include "backoff_actor/store/sqlite_changes.hpp"
#include "backoff_actor/store/sqlite_connection.hpp"
#include "backoff_actor/store/sqlite_rows.hpp"
#include "backoff_actor/store/store_lock.hpp"

#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <sqlite3.h>

namespace backoff_actor {

namespace {

using detail::Running;
using detail::SqliteConnection;

// What reading has in common, whoever owns the store.
class SqliteReader : public DeliveryStore {
public:
  SqliteReader(const std::string& file, const SqliteOptions& options, SqliteConnection::Use use)
    : file_(file), connection_(file, options, use) {}

  std::string name() const override { return file_; }

  void for_each_owed(const std::function<void(StoredDelivery)>& visit) override {
    read("SELECT " + std::string{detail::delivery_columns} + " FROM deliveries ORDER BY id",
         [&](SQLite::Statement& row) { visit(detail::read_delivery(row, file_)); });
  }

  void for_each_dead_letter(const std::function<void(StoredDeadLetter)>& visit) override {
    read("SELECT " + std::string{detail::delivery_columns}
           + ", reason, cause, at FROM dead_letters ORDER BY id",
         [&](SQLite::Statement& row) { visit(detail::read_dead_letter(row, file_)); });
  }

  void for_each_acknowledged_key(const std::function<void(AcknowledgedKey)>& visit) override {
    read("SELECT idempotency_key, at FROM acknowledged_keys ORDER BY at, idempotency_key",
         [&](SQLite::Statement& row) { visit(detail::read_key(row)); });
  }

  std::uint64_t last_id() override {
    std::uint64_t result = 0;
    read("SELECT last_id FROM meta",
         [&](SQLite::Statement& row) { result = detail::read_number(row, 0, file_); });
    return result;
  }

  std::string message_format() override {
    std::string result;
    read("SELECT message_format FROM meta",
         [&](SQLite::Statement& row) { result = detail::read_text(row, 0); });
    return result;
  }

protected:
  const std::string& file() const { return file_; }
  SqliteConnection& connection() { return connection_; }

private:
  template <class F>
  void read(const std::string& query, F&& visit) {
    connection_.translate([&] {
      SQLite::Statement row{connection_.database(), query};
      while (row.executeStep())
        visit(row);
    });
  }

  std::string file_;
  SqliteConnection connection_;
};

// A store to look at.
class SqliteView : public SqliteReader {
public:
  SqliteView(const std::string& file, const SqliteOptions& options)
    : SqliteReader(file, options, SqliteConnection::Use::read) {}

  void commit(std::span<const StoreChange> changes) override {
    if (!changes.empty())
      refuse();
  }
  void set_message_format(const std::string&) override { refuse(); }
  std::size_t remove_dead_letters(std::span<const std::uint64_t>) override { refuse(); }
  std::size_t resubmit_dead_letters(std::span<const std::uint64_t>) override { refuse(); }

private:
  [[noreturn]] void refuse() const {
    throw StoreError(StoreFailure::read_only,
                     file()
                       + ": was opened to be read; open it with open_sqlite_store to change it");
  }
};

// A store with its owner's rights.
class SqliteStore : public SqliteReader {
public:
  SqliteStore(std::unique_ptr<detail::StoreLock> lock, const std::string& file,
              const SqliteOptions& options)
    : SqliteReader(file, options, SqliteConnection::Use::own), lock_(std::move(lock)),
      changes_(connection(), SqliteReader::last_id()) {
    lock_->keep();
  }

  void commit(std::span<const StoreChange> changes) override {
    if (changes.empty())
      return;
    transact([&] {
      for (const auto& one : changes)
        std::visit([&](const auto& c) { changes_.make(c); }, one);
    });
  }

  std::uint64_t last_id() override { return changes_.last_id(); }

  void set_message_format(const std::string& format) override {
    if (!message_format().empty())
      throw std::logic_error(file() + ": has a message format, which is for good");
    transact([&] { changes_.set_message_format(format); });
  }

  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids) override {
    std::size_t count = 0;
    if (!ids.empty())
      transact([&] { count = changes_.remove_dead_letters(ids); });
    return count;
  }

  std::size_t resubmit_dead_letters(std::span<const std::uint64_t> ids) override {
    std::size_t count = 0;
    if (!ids.empty())
      transact([&] { count = changes_.resubmit_dead_letters(ids); });
    return count;
  }

private:
  template <class F>
  void transact(F&& f) {
    try {
      connection().transact([&] {
        f();
        changes_.note_last_id();
      });
    } catch (...) {
      changes_.forget();
      throw;
    }
    changes_.keep();
  }

  std::unique_ptr<detail::StoreLock> lock_; // before the statements: freed when all is closed
  detail::SqliteChanges changes_;
};

// One name for one file, however it is called.
std::filesystem::path one_name(const std::filesystem::path& file) {
  const auto fail = [&](const std::string& what, const std::string& advice) {
    throw StoreError(StoreFailure::cannot_open, file.string() + ": " + what + "; " + advice);
  };
  std::error_code error;
  auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::none)
    fail(error.message(), "let this user read the folder");
  if (std::filesystem::is_directory(status))
    fail("is a folder", "name a file in it");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail("is no regular file", "name one, or one that does not exist yet");
  if (std::filesystem::exists(status))
    return std::filesystem::canonical(file);
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(file, error)))
    fail("is a link that leads nowhere", "name the file that is meant");
  const auto folder = std::filesystem::absolute(file).parent_path();
  if (!std::filesystem::is_directory(folder, error))
    fail("there is no folder " + folder.string(), "make it first");
  return std::filesystem::canonical(folder) / file.filename();
}

} // namespace

Problems check(const SqliteOptions& options) {
  Problems problems;
  detail::check_span(problems, "busy_timeout", options.busy_timeout, Duration::zero(),
                     std::chrono::hours{1});
  if (options.checkpoint_pages < 1 || options.checkpoint_pages > 1'000'000)
    problems.add("checkpoint_pages", std::to_string(options.checkpoint_pages), "1..1000000");
  if (!options.vfs.empty() && sqlite3_vfs_find(options.vfs.c_str()) == nullptr)
    problems.add("vfs", options.vfs,
                 "the name of a VFS that is registered with SQLite, or nothing");
  return problems;
}

std::shared_ptr<DeliveryStore> open_sqlite_store(const std::filesystem::path& file,
                                                 const SqliteOptions& options) {
  check(options).raise_if_any();
  const auto name = one_name(file);
  return std::make_shared<SqliteStore>(std::make_unique<detail::StoreLock>(name), name.string(),
                                       options);
}

std::shared_ptr<DeliveryStore> open_sqlite_store_to_read(const std::filesystem::path& file,
                                                         const SqliteOptions& options) {
  check(options).raise_if_any();
  const auto name = one_name(file);
  if (!std::filesystem::exists(name))
    throw StoreError(StoreFailure::cannot_open,
                     name.string() + ": does not exist; name a store that a sender has used");
  return std::make_shared<SqliteView>(name.string(), options);
}

} // namespace backoff_actor
