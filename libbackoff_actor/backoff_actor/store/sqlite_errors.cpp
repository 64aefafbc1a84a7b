#include "backoff_actor/store/internal/sqlite_errors.hpp"

#include <cerrno>
#include <system_error>

#include <sqlite3.h>

namespace backoff_actor::detail {

namespace {

struct Meaning {
  StoreFailure failure;
  const char* what;
  const char* advice;
};

constexpr auto advice_of_damage =
  "copy it with its -wal file; then restore a backup, or recover what is still readable with the "
  "command .recover of the sqlite3 shell";

constexpr Meaning is_damaged{StoreFailure::damaged, "is damaged", advice_of_damage};

// SQLite reports some damage to the list of tables as a lack of memory.
constexpr Meaning is_damaged_or_too_much{
  StoreFailure::damaged, "is damaged, or there is no memory left", advice_of_damage};

Meaning meaning(int code, int system_error, Moment moment) {
  constexpr Meaning full{StoreFailure::full, "there is no room on the disk",
                         "make room and try again"};
  if (system_error == ENOSPC || system_error == EDQUOT)
    return full;
  // A store has a rollback journal only while it is made.
  if (code == SQLITE_READONLY_ROLLBACK)
    return {StoreFailure::cannot_open,
            "is incomplete, because the program that was creating it was killed",
            "start the program that uses it, and that program completes it"};
  switch (code & 0xff) {
  case SQLITE_FULL:
    return full;
  case SQLITE_NOTADB:
    if (moment == Moment::opened)
      return is_damaged;
    return {StoreFailure::foreign, "is not a store", advice_of_foreign(moment)};
  case SQLITE_CONSTRAINT:
    // This owner gives each delivery a higher number than all before. So another writer has used
    // this number.
    if (code == SQLITE_CONSTRAINT_PRIMARYKEY)
      return {StoreFailure::in_use, "another program writes to this store",
              "find and end that program; nothing in the file is damaged"};
    return is_damaged;
  case SQLITE_CORRUPT:
  case SQLITE_MISMATCH:
  case SQLITE_ERROR:
  case SQLITE_SCHEMA:
    return is_damaged;
  case SQLITE_NOMEM:
    return is_damaged_or_too_much;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
  case SQLITE_PROTOCOL:
    return {StoreFailure::in_use, "another program has it locked",
            "end that program, for example a shell sqlite3, or try again"};
  case SQLITE_READONLY:
    return {StoreFailure::read_only, "is not writable for this user",
            "give this user write permission for the file and its folder"};
  case SQLITE_TOOBIG:
    return {StoreFailure::too_large, "a message is larger than the store can take",
            "store the large content elsewhere, and submit only its address"};
  case SQLITE_CANTOPEN:
  case SQLITE_PERM:
  case SQLITE_AUTH:
    return {StoreFailure::cannot_open, "cannot be opened",
            "give this user permission to read and write the file, and to write its folder"};
  default:
    return {StoreFailure::input_output, "the disk failed",
            "see the system's log; what was committed before is safe"};
  }
}

// Returns the failed operation, for the codes that come from a system call.
const char* operation(int code) {
  switch (code) {
  case SQLITE_IOERR_READ:
  case SQLITE_IOERR_SHORT_READ:
    return ", read";
  case SQLITE_IOERR_WRITE:
    return ", write";
  case SQLITE_IOERR_FSYNC:
  case SQLITE_IOERR_DIR_FSYNC:
    return ", fsync";
  case SQLITE_IOERR_TRUNCATE:
    return ", truncate";
  default:
    return "";
  }
}

} // namespace

const char* advice_of_foreign(Moment moment) {
  return moment == Moment::opening_to_read
           ? "nothing in it was changed; name a store that a sender has used"
           : "nothing in it was changed; name another file, or one that does not exist yet";
}

StoreError sqlite_error(const std::string& file, Moment moment, int code,
                        const std::string& message, int system_error) {
  const auto primary = code & 0xff;
  // Other errors are SQLite's own, so errno is unrelated.
  if (primary != SQLITE_IOERR && primary != SQLITE_CANTOPEN)
    system_error = 0;
  const auto [failure, what, advice] = meaning(code, system_error, moment);
  auto text = file + ": " + what + " (SQLite: " + message + operation(code);
  if (system_error != 0)
    text += ", " + std::generic_category().message(system_error);
  return {failure, text + "); " + advice};
}

StoreError damaged(const std::string& file, const std::string& how) {
  return {is_damaged.failure,
          file + ": " + is_damaged.what + " (" + how + "); " + is_damaged.advice};
}

} // namespace backoff_actor::detail
