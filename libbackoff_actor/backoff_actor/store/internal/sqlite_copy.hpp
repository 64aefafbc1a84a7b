#pragma once

#include "backoff_actor/store/internal/sqlite_connection.hpp"

#include <filesystem>

namespace backoff_actor::detail {

// Copies a connection's store into a new file, and marks the copy as complete.
//
// @errors throws `StoreError`; there is no copy then.
void copy_whole(SqliteConnection& from, const std::filesystem::path& copy,
                const SqliteOptions& options);

} // namespace backoff_actor::detail
