#pragma once

#include "backoff_actor/delivery/store_error.hpp"

#include <string>

namespace backoff_actor::detail {

// When an error of SQLite came: what is no database at the first look is another's, and damaged later.
enum class Moment : unsigned char { opening, opened };

// What SQLite means for a store, in words: which file, what is wrong, SQLite's own message, what to do.
//
// `code` is SQLite's extended result code; `message` what it said; `system_error` the number of the system
// call that failed, 0 if none did or it is not known.
StoreError sqlite_error(const std::string& file, Moment moment, int code,
                        const std::string& message, int system_error);

// A store whose contents contradict themselves.
StoreError damaged(const std::string& file, const std::string& how);

} // namespace backoff_actor::detail
