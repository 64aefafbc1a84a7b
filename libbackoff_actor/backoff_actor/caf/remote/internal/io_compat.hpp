#pragma once

// CAF's network layer, declared alike for every version of CAF. What differs is in
// io_compat_0_17.cpp and io_compat_1.cpp, of which the build takes one; the rest is in
// io_compat.cpp.

#include "backoff_actor/caf/remote/network.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/net/internal/socket.hpp"

#include <caf/actor.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_factory.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/io/basp/header.hpp>
#include <caf/message.hpp>
#include <caf/node_id.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace backoff_actor::io_compat {

// -- configuration --------------------------------------------------------------

/// Loads CAF's middleman and turns its heartbeats on.
BACKOFF_ACTOR_HIDDEN void load_middleman(caf::actor_system_config& config,
                                         Duration heartbeat_interval, Duration connection_timeout);

/// Returns the type-id blocks that `init` registers besides `backoff_actor`.
BACKOFF_ACTOR_HIDDEN std::vector<detail::TypeBlock> own_type_blocks();

/// Returns a node's app-identifiers; CAF's default if none are set.
BACKOFF_ACTOR_HIDDEN std::vector<std::string> identifiers(const caf::actor_system_config& config);

/// Sets a node's app-identifiers, before its actor system is made.
BACKOFF_ACTOR_HIDDEN void set_identifiers(caf::actor_system_config& config,
                                          std::vector<std::string> identifiers);

/// Calls `on_made` with each actor system that is made from this configuration, before the system
/// starts any thread.
BACKOFF_ACTOR_HIDDEN void on_system(caf::actor_system_config& config,
                                    std::function<void(caf::actor_system&)> on_made);

/// Makes an actor from the arguments of another node. If it throws, CAF answers the other node with
/// `cannot_spawn_actor_from_arguments`; the text of the exception is lost.
using Spawn = std::function<caf::strong_actor_ptr(
  caf::actor_system& system, caf::actor_config& config, const caf::message& arguments)>;

/// Lets other nodes spawn actors by a name. The actors are untyped (`caf::actor`), so CAF compares
/// no interfaces.
BACKOFF_ACTOR_HIDDEN void add_worker_type(caf::actor_system_config& config, const std::string& name,
                                          Spawn spawn);

/// Calls `spawn`, and returns its result in the form of CAF's factories.
BACKOFF_ACTOR_HIDDEN caf::actor_factory_result spawn_or_refuse(const Spawn& spawn,
                                                               caf::actor_system& system,
                                                               caf::actor_config& config,
                                                               const caf::message& arguments);

// -- the middleman's actor ---------------------------------------------------------

/// @errors throws `std::runtime_error`: the program was not set up with `init_network`.
[[noreturn]] BACKOFF_ACTOR_HIDDEN void throw_no_network();

/// Returns the actor that spawns on other nodes.
///
/// @errors throws `std::runtime_error` if the program was not set up with `init_network`.
BACKOFF_ACTOR_HIDDEN caf::actor middleman_of(caf::actor_system& system);

/// Returns a request to the middleman's actor. `spawned` reads the answer. There is never an answer
/// if the other node ends or is cut off meanwhile.
BACKOFF_ACTOR_HIDDEN caf::message spawn_request(const caf::node_id& node, std::string name,
                                                caf::message arguments);

/// Another node to which there is a connection.
struct Connected {
  caf::node_id node;
  caf::actor published; ///< at that port; may be none
};

/// Reads the answer to `connect_request`; nothing if it is something else, such as an error.
BACKOFF_ACTOR_HIDDEN std::optional<Connected> connected(const caf::message& answer);

/// Whether that answer is a false timeout of the heartbeats, so that the request should be
/// repeated. If a heartbeat interval ends during a handshake, CAF takes the connection for one that
/// has been silent since the machine was started.
BACKOFF_ACTOR_HIDDEN bool is_heartbeats_mistake(const caf::message& answer);

/// Reads the answer to `spawn_request`; none if it is something else, such as an error.
BACKOFF_ACTOR_HIDDEN caf::actor spawned(const caf::message& answer);

// -- connections, whose other end is the door's -------------------------------------

/// Returns the actor that has all connections with other nodes, CAF's BASP broker.
///
/// @errors throws `std::runtime_error` if the program was not set up with `init_network`.
BACKOFF_ACTOR_HIDDEN caf::actor broker_of(caf::actor_system& system);

/// Returns a request to the broker: talk on this connection with a node that this one has connected
/// to, at that port. `connected` reads the answer.
BACKOFF_ACTOR_HIDDEN caf::message connect_request(caf::actor_system& system, net::Descriptor caf,
                                                  std::uint16_t port);

/// Has the broker talk on this connection with a node that has connected to this port, at which an
/// actor is published; an empty handle is none.
BACKOFF_ACTOR_HIDDEN void accept_connection(caf::actor_system& system, net::Descriptor caf,
                                            std::uint16_t port, const caf::actor& published);

/// Has the broker forget that an actor was published at this port.
BACKOFF_ACTOR_HIDDEN void unpublish(const caf::actor& broker, const caf::actor& published,
                                    std::uint16_t port);

// -- what a node says first ----------------------------------------------------------

// A greeting is the server's handshake of BASP, CAF's Binary Actor System Protocol. It consists of
// a header, whose form is the same in all versions, and a payload, whose form is not.

/// The size of the header, in bytes.
inline constexpr std::size_t greeting_header_size = 32;

/// The number of leading bytes by which a greeting differs from most other data.
inline constexpr std::size_t greeting_mark_size = 4;

/// Whether these are the first bytes of a greeting.
BACKOFF_ACTOR_HIDDEN bool is_greeting_mark(std::span<const std::byte, greeting_mark_size> bytes);

/// The header of a node's greeting.
struct GreetingHeader {
  std::uint64_t protocol;     ///< the version of BASP
  std::uint32_t payload_size; ///< in bytes; not checked
};

/// Returns the version of BASP that this program speaks.
BACKOFF_ACTOR_HIDDEN std::uint64_t own_protocol();

/// Reads a header; nothing if it is not the header of a greeting.
BACKOFF_ACTOR_HIDDEN std::optional<GreetingHeader>
read_greeting_header(std::span<const std::byte, greeting_header_size> bytes);

/// What a node tells about itself to every node that connects.
struct Greeting {
  std::uint64_t protocol;
  std::vector<std::string> identifiers; ///< its app-identifiers
  bool publishes_actor;                 ///< at the port that was connected to
};

/// Reads the payload behind a header of the version that this program speaks; nothing if it cannot
/// be read. Needs no actor system.
BACKOFF_ACTOR_HIDDEN std::optional<Greeting> read_greeting(const GreetingHeader& header,
                                                           std::span<const std::byte> payload);

/// What the payload consists of.
struct GreetingPayload {
  caf::node_id node;
  std::vector<std::string> identifiers;
  caf::actor_id published = caf::invalid_actor_id;
  std::set<std::string> interface; ///< of the actor that is published
};

/// Reads what CAF has written. Returns whether it could be read; does not throw.
BACKOFF_ACTOR_HIDDEN bool decode(std::span<const std::byte> bytes, caf::io::basp::header& header);
BACKOFF_ACTOR_HIDDEN bool decode(std::span<const std::byte> bytes, GreetingPayload& payload);

} // namespace backoff_actor::io_compat
