#pragma once

// Resolving a name. It ends at a deadline, and at once when a stop signal is raised.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/net/internal/socket.hpp"

#include <cstdint>
#include <string>

namespace backoff_actor::remote_resolver {

/// Resolves a host, with the system's resolver unless it is a numeric address. The resolver cannot
/// be interrupted, so it runs in a thread of its own. That thread ends when the resolver returns.
///
/// @errors throws `std::system_error` if no descriptor or thread is left.
BACKOFF_ACTOR_HIDDEN net::Resolved resolve(const std::string& host, std::uint16_t port,
                                           const net::Patience& patience);

} // namespace backoff_actor::remote_resolver
