#include "backoff_actor/store/sqlite_store.hpp"

#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/internal/check_span.hpp"
#include "backoff_actor/core/text/internal/secrets.hpp"
#include "backoff_actor/store/internal/sqlite_copy.hpp"
#include "backoff_actor/store/internal/sqlite_delivery_store.hpp"

#include <system_error>
#include <utility>

#include <sqlite3.h>

namespace backoff_actor {

namespace {

constexpr auto largest_reserve = std::uint64_t{1} << 30; // bytes

// Returns the canonical path of a file: the same for relative paths and symbolic links.
std::filesystem::path one_name(const std::filesystem::path& file) {
  const auto fail = [&](const std::string& what, const std::string& advice) {
    throw StoreError(StoreFailure::cannot_open, file.string() + ": " + what + "; " + advice);
  };
  if (file.empty())
    throw StoreError(StoreFailure::cannot_open,
                     "the name is empty; name a store, or a file that does not exist yet");
  if (detail::is_connection_string(file.string())) // it would be in each message about the file
    throw StoreError(StoreFailure::cannot_open,
                     "the name is a connection string of PostgreSQL, which is not repeated here; "
                     "name a file, or open the outbox by postgres_store");
  std::error_code error;
  auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::none)
    fail(error.message(), "give this user read permission for the folder");
  if (std::filesystem::is_directory(status))
    fail("is a folder", "name a file in it");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail("is not a regular file", "name a store, or a file that does not exist yet");
  if (std::filesystem::exists(status))
    return std::filesystem::canonical(file);
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(file, error)))
    fail("is a symbolic link to a missing file", "name the file itself");
  const auto folder = std::filesystem::absolute(file).parent_path();
  if (!std::filesystem::is_directory(folder, error))
    fail("there is no folder " + folder.string(), "create it first");
  return std::filesystem::canonical(folder) / file.filename();
}

std::filesystem::path existing(const std::filesystem::path& file) {
  auto result = one_name(file);
  if (!std::filesystem::exists(result))
    throw StoreError(StoreFailure::cannot_open,
                     result.string() + ": does not exist; name a store that a sender has used");
  return result;
}

// A log beside a missing or empty file holds commits; a new store would destroy them.
void require_no_log_alone(const std::filesystem::path& name) {
  std::error_code error;
  const auto is_there = std::filesystem::exists(name);
  if ((!is_there || std::filesystem::file_size(name, error) == 0)
      && detail::SqliteLog{name}.has_content())
    throw StoreError(
      StoreFailure::damaged,
      name.string() + (is_there ? ": is empty" : ": is missing")
        + ", but its log exists; put the file back, or give up what is in the log: remove "
        + name.string() + "-wal");
}

using Loss = detail::SqliteDeliveryStore::Loss;

std::shared_ptr<detail::SqliteDeliveryStore>
own(const std::filesystem::path& name, const SqliteOptions& options, Loss if_lost = Loss::refused) {
  auto lock = std::make_unique<detail::StoreLock>(name, options.mode);
  require_no_log_alone(name);
  lock->make_file();
  lock->lock_file();
  return std::make_shared<detail::SqliteDeliveryStore>(std::move(lock), name.string(), options,
                                                       if_lost);
}

} // namespace

Problems check(const SqliteOptions& options) {
  Problems problems{"SqliteOptions"};
  detail::check_span(problems, "busy_timeout", options.busy_timeout, Duration::zero(),
                     std::chrono::hours{1});
  detail::check_count(problems, "checkpoint_pages", options.checkpoint_pages, 1, 1'000'000);
  detail::check_count(problems, "log_reserve", options.log_reserve, 0, largest_reserve);
  using std::filesystem::perms;
  constexpr auto least = perms::owner_read | perms::owner_write;
  constexpr auto most =
    least | perms::group_read | perms::group_write | perms::others_read | perms::others_write;
  if ((options.mode & least) != least || (options.mode & ~most) != perms::none)
    problems.add("mode", detail::octal(options.mode), "0600..0666, with 6 for the owner");
  if (!options.vfs.empty() && sqlite3_vfs_find(options.vfs.c_str()) == nullptr)
    problems.add("vfs", options.vfs,
                 "the name of a VFS that is registered with SQLite, or nothing");
  return problems;
}

std::shared_ptr<DeliveryStore> open_sqlite_store(const std::filesystem::path& file,
                                                 const SqliteOptions& options) {
  check(options).raise_if_any();
  return own(one_name(file), options);
}

std::shared_ptr<DeliveryStore> open_sqlite_store_to_read(const std::filesystem::path& file,
                                                         const SqliteOptions& options) {
  check(options).raise_if_any();
  return std::make_shared<detail::SqliteView>(existing(file).string(), options);
}

std::optional<StoreLoss> accept_loss_of_sqlite_store(const std::filesystem::path& file,
                                                     const SqliteOptions& options) {
  check(options).raise_if_any();
  // What is lost may be the file itself.
  const auto name = one_name(file);
  const auto is_known = std::filesystem::exists(name.string() + ".lock");
  return own(is_known ? name : existing(file), options, Loss::accepted)->loss();
}

void back_up_sqlite_store(const std::filesystem::path& file, const std::filesystem::path& copy,
                          const SqliteOptions& options) {
  check(options).raise_if_any();
  detail::SqliteView from{existing(file).string(), options};
  detail::copy_whole(from.connection(), one_name(copy), options);
}

void compact_sqlite_store(const std::filesystem::path& file, const SqliteOptions& options) {
  check(options).raise_if_any();
  own(existing(file), options)->compact();
}

} // namespace backoff_actor
