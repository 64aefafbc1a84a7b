#pragma once

#include "http_server.hpp"
#include "live_flags.hpp"

#include "backoff_actor/core/problems.hpp"

#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// Reads the server's flags; notes problems that name them.
ServerOptions read_server(const ServerFlags& flags, backoff_actor::Problems& problems);

/// Returns the command line of a server with the same flags.
std::vector<std::string> arguments_of(const ServerFlags& flags);

/// Returns what is to be said if the kernel lets fewer connections wait than are wished; else
/// nothing.
///
/// @param most net.core.somaxconn, if that is known
std::optional<std::string> note_on_backlog(std::uint32_t wished, std::optional<int> most);

} // namespace backoffctl
