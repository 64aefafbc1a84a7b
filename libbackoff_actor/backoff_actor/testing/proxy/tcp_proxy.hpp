#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/testing/proxy/connection_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace backoff_actor::testing {

/// What a `TcpProxy` has done.
struct TcpProxyStatistics {
  std::uint64_t connections = 0;      ///< accepted, whatever became of them
  std::uint64_t refused = 0;          ///< of these: reset at once, by plan
  std::uint64_t dropped = 0;          ///< of these: swallowed, by plan
  std::uint64_t cut = 0;              ///< of these: reset later, by plan, `cut_all` or `go_down`
  std::uint64_t unreachable = 0;      ///< of these: reset, since the service could not be reached
  std::uint64_t corrupted_bytes = 0;  ///< bytes of answers in which a bit was flipped
  std::uint64_t bytes_to_service = 0; ///< passed on, with those that the service then did not read
  std::uint64_t bytes_to_client = 0;  ///< passed on, with those that the client then did not read
  std::size_t open = 0;               ///< connections that have not ended yet
};

/// The options of a `TcpProxy`.
struct TcpProxyOptions {
  /// The port of 127.0.0.1 at which it listens; 0: any that is free.
  std::uint16_t listen_port = 0;

  /// How much is on its way in each direction of a connection at the most; who sends more waits.
  /// With a delay this bounds the throughput, as on a long line: `buffer_bytes` in each `delay`.
  ///
  /// @units bytes
  /// @range 1 to 2^30
  std::size_t buffer_bytes = 65'536;

  /// Is called with each connection with which the plan has something in mind, when it is accepted;
  /// `connection` counts all of this proxy, from 0. It may call the proxy, but not destroy it.
  ///
  /// @errors what it throws is dropped.
  /// @thread the proxy's own, or that of who calls `cut_all` or `go_down`.
  std::function<void(std::uint64_t connection, const ConnectionFault& fault)> on_fault{};
};

/// A TCP proxy on 127.0.0.1 that passes on what clients and a service say to each other, and makes of
/// the connections what a plan says, in the order in which they are accepted.
///
///     TcpProxy proxy{"127.0.0.1", service_port, "ok*3, refuse*2, cut(after 100), slow 50ms..."};
///     client.connect("127.0.0.1", proxy.port());
///
/// Ends are passed on as they are: that of one direction alone, and resets. Where the service
/// cannot be reached, the client's connection is reset. One thread serves all connections.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_EXPORT TcpProxy {
public:
  /// Listens from now on, for a service at `host`, which is an address or a name that is resolved
  /// now, and `port`.
  ///
  /// @errors throws `InvalidArgument` naming `host`, `port` and `options.buffer_bytes` if they are
  ///         wrong, and `std::system_error` if `options.listen_port` is taken, or the system has no
  ///         socket or thread left.
  TcpProxy(const std::string& host, std::uint16_t port, ConnectionPlan plan = {},
           TcpProxyOptions options = {});
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  /// Resets what is open, at once.
  ~TcpProxy();

  /// The port at which it listens.
  std::uint16_t port() const;

  /// From now on a new plan goes for connections that are accepted, beginning with its first.
  void set_plan(ConnectionPlan plan);

  /// Resets all connections that are open now, those included that wait to be accepted, and returns
  /// how many.
  std::size_t cut_all();

  /// Takes the line down: resets all connections, and lets new ones be refused, as if nobody
  /// listened, until `go_up`. They are not counted, nor does the plan go on. Returns how many were
  /// reset.
  std::size_t go_down();

  /// Listens again. Nothing comes of it if the line is up.
  ///
  /// @errors throws `std::system_error` if the system has no socket left.
  void go_up();

  /// What it has done so far.
  TcpProxyStatistics statistics() const;

private:
  class Loop;

  std::unique_ptr<Loop> loop_;
};

} // namespace backoff_actor::testing
