#pragma once

#include "backoff_actor/store/internal/sqlite_connection.hpp"

#include <filesystem>

namespace backoff_actor::detail {

// Copies the store that the connection reads into a new file, which is marked as complete.
//
// @errors throws `StoreError`; there is no copy then.
void copy_whole(SqliteConnection& from, const std::filesystem::path& copy,
                const SqliteOptions& options);

} // namespace backoff_actor::detail
