#pragma once

#include "backoff_actor/core/event/severity.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/log_line.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace backoff_actor {

/// Something that happened between this node and others.
struct NetworkEvent {
  /// What happened.
  enum class Kind : std::uint8_t {
    listening,        ///< the node takes connections at `peer`, which is its own address
    open_to_anybody,  ///< the same, without TLS, at an address that other machines may reach
    connected,        ///< a node is connected; with TLS it has proved who it is
    ended,            ///< a connection with a node has ended
    refused,          ///< a connection was closed before it came to anything
    broken_off,       ///< a node has broken the protocol, and its connection was closed
    no_descriptors,   ///< a connection was closed because the process has no descriptor for it
    paused,           ///< this process stood still for too long, and closed its connections
    files_reread,     ///< the files of `Tls` were replaced, and are in force
    files_not_usable, ///< the files of `Tls` were replaced, but those before stay in force
  };

  Kind kind;             ///< what happened
  std::string peer{};    ///< the other node's address and port; empty: it concerns none
  std::string subject{}; ///< whom the other node's certificate names; empty: it is not known
  std::string text{};    ///< why, in one line; may be empty
};

/// Gets what happens between nodes. It must be short: while it runs, nothing moves between nodes.
///
/// @errors what it throws is dropped.
/// @thread one of the network's own
using NetworkEventHook = std::function<void(const NetworkEvent&)>;

/// Returns how much attention an event needs.
BACKOFF_ACTOR_EXPORT Severity severity_of(const NetworkEvent& event);

/// Renders an event in one line, the name of its kind first: `refused 10.0.0.7:40112 (CN =
/// worker-7): its certificate has expired`.
BACKOFF_ACTOR_EXPORT std::string to_string(const NetworkEvent& event);

/// Renders an event as a line of a log, see `line_of` of other events. Its parts are `peer`,
/// `subject` and `text`.
BACKOFF_ACTOR_EXPORT std::string line_of(const NetworkEvent& event,
                                         std::chrono::sys_time<Duration> at,
                                         LogFormat format = LogFormat::text);

namespace detail {

BACKOFF_ACTOR_EXPORT void describe(const NetworkEvent& event, EventRecord& record);

} // namespace detail

} // namespace backoff_actor
