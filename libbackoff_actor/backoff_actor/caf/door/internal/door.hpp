#pragma once

// What stands between CAF and other nodes. One thread accepts connections, has both sides prove
// who they are, and moves bytes. CAF gets one end of a socket pair. It never sees what a node sends
// before it was admitted, nor a frame that breaks CAF's protocol.
//
//   other node <-- TCP, TLS --> wire <-- link: checks frames --> socket pair <--> CAF

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/net/internal/socket.hpp"
#include "backoff_actor/net/internal/wire.hpp"
#include "backoff_actor/net/network_event.hpp"
#include "backoff_actor/net/tls/tls.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace backoff_actor::door {

/// How a door treats all connections.
struct DoorOptions {
  std::optional<Tls> tls{}; ///< none: plain TCP

  /// The largest payload of a frame, in bytes.
  std::uint32_t max_frame = 16 * 1024 * 1024;

  /// If the door's thread stood still for longer, so did the process, and other nodes have given it
  /// up. Then the door ends all connections, so that nothing more of what has come meanwhile
  /// reaches CAF.
  Duration longest_pause{std::chrono::seconds{2}};

  NetworkEventHook on_event{}; ///< may be empty
};

/// How a door treats connections to one address.
struct GateOptions {
  /// How long a node may take to prove who it is, and to send CAF's handshake.
  Duration handshake_timeout{std::chrono::seconds{5}};

  /// How many nodes may be doing so at a time, at least 1. One more, and the oldest is closed.
  std::uint32_t max_unauthenticated = 64;

  /// How many connections there may be in all, at least 1.
  std::uint32_t max_connections = 1000;
};

/// A door with a thread of its own.
///
/// @thread safe from any thread, but not to be destroyed by one of its hooks.
class BACKOFF_ACTOR_HIDDEN Door {
public:
  /// Gets CAF's end of a connection that was admitted, and the port of its gate.
  ///
  /// @errors what it throws closes the connection.
  /// @thread the door's
  using Admit = std::function<void(net::Descriptor caf, std::uint16_t port)>;

  /// Starts the thread.
  ///
  /// @errors throws `InvalidArgument` for files of TLS that cannot be used, and
  ///         `std::system_error` if no descriptor or thread is left.
  explicit Door(DoorOptions options);
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  /// Closes everything.
  ~Door();

  /// An address at which the door takes connections.
  struct Gate {
    std::uint64_t number;
    net::Address address; ///< with the port that was chosen
  };

  /// Takes connections at an address.
  ///
  /// @errors throws `std::system_error` if that cannot be, such as for a port that is taken.
  Gate open(const net::Address& address, GateOptions options, Admit admit);

  /// Takes no more connections at a gate; those that were admitted stay. After this has returned,
  /// `admit` is not running and is never called, unless this is called by `admit` itself.
  void close(std::uint64_t gate);

  /// Returns a wire on a connected socket; with TLS the node must prove that it is `host`, or has
  /// one of the names of the options.
  std::unique_ptr<net::Wire> wire_to(net::Descriptor socket, const std::string& host) const;

  /// Connects CAF with a node that this one has connected to, and returns CAF's end. `greeting` was
  /// read from the wire, and is the first that CAF gets.
  ///
  /// @errors throws `std::system_error` if no descriptor is left.
  net::Descriptor join(std::unique_ptr<net::Wire> wire, std::span<const std::byte> greeting);

  const DoorOptions& options() const;

private:
  class Loop;

  std::shared_ptr<Loop> loop_;
};

} // namespace backoff_actor::door
