#pragma once

// For the TCP proxy only, not for its users. It adds to net/internal/socket.hpp what only the
// proxy's sockets need.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/net/internal/socket.hpp"

#include <cstdint>

namespace backoff_actor::testing::detail {

using net::Descriptor;

// Returns a socket that is bound to this port of 127.0.0.1; 0: to any free port. It refuses
// connections until it listens.
BACKOFF_ACTOR_HIDDEN Descriptor hold_port(std::uint16_t port);
BACKOFF_ACTOR_HIDDEN void listen_at(const Descriptor& socket);

// Returns none if no client waits, or if the system has no socket now; `errno` tells which.
BACKOFF_ACTOR_HIDDEN Descriptor accept_from(const Descriptor& listener);

// Closes with RST. Data that the peer has not received is lost.
BACKOFF_ACTOR_HIDDEN void reset(Descriptor& socket);

[[noreturn]] BACKOFF_ACTOR_HIDDEN void raise_system_error(int error, const char* what);

} // namespace backoff_actor::testing::detail
