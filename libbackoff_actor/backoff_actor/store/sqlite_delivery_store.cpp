#include "backoff_actor/store/internal/sqlite_delivery_store.hpp"

#include <SQLiteCpp/Column.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace backoff_actor::detail {

namespace {

// If the log is this many times its limit, a reader keeps it from starting anew.
constexpr std::uint32_t far_too_long = 4;
constexpr std::uint32_t pages_of_mib = 256;

// A file is compacted automatically if this much of it is empty, and the rest is quickly copied.
constexpr std::int64_t worth_compacting = 1024;  // pages
constexpr std::int64_t compacted_at_once = 4096; // pages

} // namespace

std::string octal(std::filesystem::perms mode) {
  char text[16];
  std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode));
  return text;
}

SqliteDeliveryStore::SqliteDeliveryStore(std::unique_ptr<StoreLock> lock, const std::string& file,
                                         const SqliteOptions& options, Loss if_lost)
  : SqliteReader(file, options, std::move(lock)), options_(options) {
  begin(if_lost);
  SqliteReader::lock().keep();
}

void SqliteDeliveryStore::begin(Loss if_lost) {
  auto& database = connection().database();
  const auto read = [&] { return read_meta(database, file()); };
  const auto& last_owner = lock().last_owner();
  const auto is_new = connection().version() == 0;
  const auto counts_commits = connection().version() > 1;
  if (is_new || counts_commits) {
    const auto meta = is_new ? Meta{.is_open = false} : connection().translate(read);
    loss_ = missing_of(meta, last_owner, SqliteLog{file()}.has_content());
    if (loss_ && was_another_boot(last_owner))
      tell("its last " + std::to_string(loss_->commits)
           + " commits were lost when the machine stopped, as Durability::process_death allows");
    else if (loss_ && if_lost == Loss::refused)
      throw is_new ? file_is_missing(file(), *loss_) : log_is_missing(file(), *loss_);
  }
  record_.pid = static_cast<std::uint64_t>(getpid());
  if (!counts_commits)
    lock().note(record_); // the present record belongs to another file that had this name
  connection().own();
  auto meta = connection().translate(read);
  // No number is given twice, even if its delivery was lost.
  if (loss_ && last_owner) {
    meta.commits = std::max(meta.commits, last_owner->commits);
    meta.last_id = std::max(meta.last_id, last_owner->last_id);
  }
  if (options_.durability == Durability::process_death)
    record_.boot = this_boot();
  changes_.emplace(connection(), meta);
  changes_->set_open(true);
  try {
    transact([] {});
    connection().checkpoint(); // marks the file itself as incomplete without its log
  } catch (const StoreError& error) {
    if (error.failure() != StoreFailure::full)
      throw;
    tell("there is no room on the disk; deliveries can be acknowledged while the log has room");
  }
  note_commit();
  tell_who_may_read();
}

SqliteDeliveryStore::~SqliteDeliveryStore() {
  try {
    changes_->set_open(false);
    transact_once([] {});
    if (connection().empty_log())
      leave_reserve(options_);
  } catch (...) {
    // The log stays, and the next owner continues with it.
  }
}

// -- changes ------------------------------------------------------------------------------

template <class F>
void SqliteDeliveryStore::transact_once(F&& f) {
  try {
    connection().transact([&] {
      changes_->begin();
      f();
      changes_->end();
    });
  } catch (...) {
    changes_->forget();
    throw;
  }
  changes_->keep();
  note_commit();
}

template <class F>
void SqliteDeliveryStore::transact(F&& f) {
  try {
    transact_once(f);
  } catch (const StoreError& error) {
    if (error.failure() != StoreFailure::full)
      throw;
    // The log alone may have filled the disk. Once it is copied into the file, it can be
    // overwritten.
    connection().checkpoint();
    try {
      transact_once(f);
    } catch (const StoreError&) {
      write_over_failed();
      throw;
    }
  }
  connection().checkpoint_if_due();
  watch_log();
}

// Makes a commit without changes. It overwrites a failed commit that may be complete in the log:
// otherwise the next process would take that commit for a valid one.
void SqliteDeliveryStore::write_over_failed() {
  try {
    transact_once([&] { changes_->touch(); });
  } catch (const StoreError&) {
    // If the disk has no room for this commit, it had none for the end of the failed one. So the
    // failed one is incomplete in the log.
  }
}

void SqliteDeliveryStore::note_commit() {
  const auto& meta = changes_->meta();
  record_.commits = meta.commits;
  record_.last_id = meta.last_id;
  if (const auto told = lock().note(record_); !told.empty())
    tell(told);
}

void SqliteDeliveryStore::commit(std::span<const StoreChange> changes) {
  if (changes.empty())
    return;
  transact([&] {
    changes_->note_time(changes);
    for (const auto& one : changes)
      std::visit([&](const auto& c) { changes_->make(c); }, one);
  });
}

void SqliteDeliveryStore::for_each_owed(const std::function<void(StoredDelivery)>& visit) {
  auto has_keys = false;
  const auto last_id_before = last_id();
  SqliteReader::for_each_owed([&](StoredDelivery x) {
    has_keys |= !x.idempotency_key.empty();
    visit(std::move(x));
  });
  if (last_id() == last_id_before)
    changes_->note_owed(has_keys);
}

void SqliteDeliveryStore::set_message_format(const std::string& format) {
  if (!message_format().empty())
    throw std::logic_error(file() + ": already has a message format, which cannot change");
  transact([&] { changes_->set_message_format(format); });
}

std::size_t SqliteDeliveryStore::remove_dead_letters(std::span<const std::uint64_t> ids) {
  std::size_t count = 0;
  if (!ids.empty())
    transact([&] { count = changes_->remove_dead_letters(ids); });
  return count;
}

std::size_t SqliteDeliveryStore::resubmit_dead_letters(std::span<const std::uint64_t> ids) {
  std::size_t count = 0;
  if (!ids.empty())
    transact([&] { count = changes_->resubmit_dead_letters(ids); });
  return count;
}

// -- deferred work, and notices -----------------------------------------------------------

bool SqliteDeliveryStore::is_untidy() const {
  return changes_->has_keys_to_drop() || connection().has_log_to_copy();
}

void SqliteDeliveryStore::tidy_up() {
  if (changes_->has_keys_to_drop())
    return transact([] {});
  if (is_mostly_empty())
    connection().compact();
  connection().checkpoint();
}

bool SqliteDeliveryStore::is_mostly_empty() {
  return connection().translate([&] {
    auto& database = connection().database();
    const auto pages = database.execAndGet("PRAGMA page_count").getInt64();
    const auto empty = database.execAndGet("PRAGMA freelist_count").getInt64();
    return empty >= worth_compacting && empty > pages / 2 && pages - empty <= compacted_at_once;
  });
}

std::vector<std::string> SqliteDeliveryStore::take_notices() { return std::exchange(notices_, {}); }

void SqliteDeliveryStore::tell(const std::string& notice) {
  notices_.push_back(file() + ": " + notice);
}

void SqliteDeliveryStore::tell_who_may_read() {
  std::string found;
  for (const auto* const suffix : {"", "-wal", ".lock"}) {
    const auto name = file() + suffix;
    std::error_code error;
    const auto mode = std::filesystem::status(name, error).permissions();
    if (!error && (mode & ~options_.mode) != std::filesystem::perms::none)
      found += (found.empty() ? "" : ", ") + name + " (" + octal(mode) + ")";
  }
  if (!found.empty())
    tell("other users have access to its files: " + found + "; make them " + octal(options_.mode)
         + " with chmod, or allow the access with SqliteOptions::mode");
}

void SqliteDeliveryStore::watch_log() {
  const auto pages = connection().log_pages();
  if (pages < told_log_pages_)
    told_log_pages_ = 0;
  const auto limit = std::max(far_too_long * options_.checkpoint_pages, 2 * told_log_pages_);
  if (pages <= limit)
    return;
  told_log_pages_ = pages;
  tell("another program keeps reading it, so its log cannot restart and grows: it is "
       + std::to_string(pages / pages_of_mib) + " MiB; end that program");
}

} // namespace backoff_actor::detail
