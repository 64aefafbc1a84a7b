#pragma once

#include <string_view>

namespace backoff_actor::detail {

// Returns the name of a file system that keeps its files on another machine, by the number that `statfs` gives it;
// empty: it is none of those. There flock is emulated by locks that SQLite's own would break, or does nothing.
//
// @source statfs(2), flock(2)
std::string_view network_file_system(long type);

} // namespace backoff_actor::detail
