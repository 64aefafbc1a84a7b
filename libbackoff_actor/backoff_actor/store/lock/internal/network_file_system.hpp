#pragma once

#include <string_view>

namespace backoff_actor::detail {

// Returns the name of a network file system, by its number from `statfs`; empty: it is none. On
// such file systems flock does nothing, or is emulated by locks that SQLite's own locks would
// break.
//
// @source statfs(2), flock(2)
std::string_view network_file_system(long type);

} // namespace backoff_actor::detail
