#pragma once

#include "backoff_actor/delivery/store_error.hpp"

#include <string>

namespace backoff_actor::detail {

// When an error of SQLite occurred. If SQLite finds, while it opens a file, that the file is no
// database, then the file belongs to another program. If SQLite finds that later, the file is
// damaged. Who opens a file only to read it needs one that exists.
enum class Moment : unsigned char { opening, opening_to_read, opened };

// Returns what to do if a file belongs to another program.
const char* advice_of_foreign(Moment moment);

// Turns an error of SQLite into a text with the file, the problem, SQLite's own message, and
// advice.
//
// `code` is SQLite's extended result code; `message` is its message; `system_error` is the errno of
// the system call that failed, 0 if none failed or it is not known.
StoreError sqlite_error(const std::string& file, Moment moment, int code,
                        const std::string& message, int system_error);

// Returns the error for a store whose contents contradict themselves.
StoreError damaged(const std::string& file, const std::string& how);

} // namespace backoff_actor::detail
