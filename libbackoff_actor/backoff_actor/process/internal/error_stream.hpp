#pragma once

#include "backoff_actor/core/export.hpp"

#include <string_view>

namespace backoff_actor::detail {

/// Writes a line of the library's own to the error stream, descriptor 2: control characters become
/// escapes, and the line end is added. Everything that the library says by itself goes this way.
///
/// It does not wait for a reader: a line for which a pipe, a socket or a terminal has no room is
/// left out, and the next line that gets through says how many were. It ends no process: a write
/// that fails, to a pipe without a reader or to a file that may not grow, raises no signal in any
/// thread. The signal handlers and the flags of the stream stay as they are.
///
/// A file on a disk that hangs holds it up. So does a full pipe, if the kernel has neither writes
/// that do not wait nor /proc, and others fill the pipe between the look at it and the write.
///
/// @thread any
BACKOFF_ACTOR_EXPORT void tell_error_stream(std::string_view line) noexcept;

} // namespace backoff_actor::detail
