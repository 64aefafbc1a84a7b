#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace backoff_actor {

/// Where a node takes connections, and from how many.
struct ListenOptions {
  /// The address of this machine: a numeric one, or a name. `0.0.0.0` and `::` are all addresses.
  std::string address{"127.0.0.1"};

  /// The port; 0 takes a free one.
  std::uint16_t port = 0;

  /// The actor that `remote_child` gets at this port. None: the port is for `remote_spawn` alone,
  /// which works at every port of the node.
  caf::actor published{};

  /// Whether the address may be one that other machines reach although the node has no TLS. Then
  /// whoever reaches it can do with the node what CAF lets nodes do, and read and change what is on
  /// the way. An event at the start says so.
  bool plain_text_to_anybody = false;

  /// How long a node may take to prove who it is, and to send CAF's handshake. Then its connection
  /// is closed.
  ///
  /// @range 1 us to 1 h
  Duration handshake_timeout{std::chrono::seconds{5}};

  /// How many nodes may be doing so at a time. If one more comes, the connection that has been
  /// doing so for longest is closed.
  ///
  /// @range 1..1000000
  std::uint32_t max_unauthenticated = 64;

  /// How many connections the node takes at this port. One more is closed at once.
  ///
  /// @range 1..1000000
  std::uint32_t max_connections = 1000;
};

/// Returns all problems of the options, but for those that need the node's: see `listen`.
BACKOFF_ACTOR_EXPORT Problems check(const ListenOptions& options);

/// A port at which a node takes connections, until this object ends.
///
/// It must end before the actor system, so declare it behind the system. Connections that were made
/// before it ends stay open.
///
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT Listener {
public:
  /// Takes over what the other one has, which then has nothing.
  Listener(Listener&&) noexcept;
  /// The same, after `close`.
  Listener& operator=(Listener&&) noexcept;
  /// Does as `close`.
  ~Listener();

  /// The port, if it was chosen too.
  std::uint16_t port() const;

  /// Takes no more connections, and publishes the actor no longer.
  void close();

private:
  friend BACKOFF_ACTOR_EXPORT Listener listen(caf::actor_system& system, ListenOptions options);
  struct State;

  explicit Listener(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Takes connections of other nodes: from then on their senders can have workers spawned here
/// (`add_remote_worker`), and find the published actor. `NetworkOptions` says with what proof. Use
/// this, and not the functions of CAF's middleman: what they open is open to everybody who reaches
/// it, without TLS and without a limit.
///
/// @errors throws `InvalidArgument` naming the options that are wrong, such as an address that
///         other machines reach while the node has no TLS; `std::system_error` if the node cannot
///         listen there, such as at a port that is taken; `std::runtime_error` if the system was
///         not set up with `init_network`.
/// @thread any
[[nodiscard]] BACKOFF_ACTOR_EXPORT Listener listen(caf::actor_system& system,
                                                   ListenOptions options = {});

} // namespace backoff_actor
