#pragma once

#include "backoff_actor/store/internal/sqlite_connection.hpp"

#include <filesystem>

namespace backoff_actor::detail {

// Copies what the connection reads into a file of its own, which says that it is whole.
//
// @errors throws `StoreError`; there is no copy then.
void copy_whole(SqliteConnection& from, const std::filesystem::path& copy,
                const SqliteOptions& options);

} // namespace backoff_actor::detail
