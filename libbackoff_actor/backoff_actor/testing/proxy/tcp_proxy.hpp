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
  std::uint64_t connections = 0;      ///< all accepted connections
  std::uint64_t refused = 0;          ///< of these: reset at once, by plan
  std::uint64_t dropped = 0;          ///< of these: swallowed, by plan
  std::uint64_t cut = 0;              ///< of these: reset later, by plan, `cut_all` or `go_down`
  std::uint64_t unreachable = 0;      ///< of these: reset, because the service was unreachable
  std::uint64_t corrupted_bytes = 0;  ///< bytes of answers in which a bit was flipped
  std::uint64_t bytes_to_service = 0; ///< passed on, even if the service did not read them
  std::uint64_t bytes_to_client = 0;  ///< passed on, even if the client did not read them
  std::size_t open = 0;               ///< connections that have not ended yet
};

/// The options of a `TcpProxy`.
struct TcpProxyOptions {
  /// The port of 127.0.0.1 at which the proxy listens; 0: any free port.
  std::uint16_t listen_port = 0;

  /// The most bytes in flight in each direction of a connection; beyond it the proxy stops reading.
  /// With a delay this limits the throughput, as on a long line: `buffer_bytes` in each `delay`.
  ///
  /// @units bytes
  /// @range 1 to 2^30
  std::size_t buffer_bytes = 65'536;

  /// Called for each connection that has a fault in the plan, when it is accepted. `connection`
  /// counts all connections of this proxy, from 0. The hook may call the proxy, but not destroy it.
  ///
  /// @errors what it throws is dropped.
  /// @thread the proxy's own, or the caller's of `cut_all` or `go_down`.
  std::function<void(std::uint64_t connection, const ConnectionFault& fault)> on_fault{};
};

/// A TCP proxy on 127.0.0.1 between clients and a service. It passes data on and injects the faults
/// of a plan, one for each connection, in the order in which they are accepted.
///
///     TcpProxy proxy{"127.0.0.1", service_port, "ok*3, refuse*2, cut(after 100), slow 50ms..."};
///     client.connect("127.0.0.1", proxy.port());
///
/// The proxy passes on the end of a connection as it is: a half-close or a reset. If it cannot
/// reach the service, it resets the client's connection. One thread serves all connections.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_EXPORT TcpProxy {
public:
  /// Listens from now on, for a service at `host` and `port`. `host` is an address, or a name that
  /// is resolved now.
  ///
  /// @errors throws `InvalidArgument` naming `host`, `port` and `options.buffer_bytes` if they are
  ///         wrong, and `std::system_error` if `options.listen_port` is taken, or the system has no
  ///         socket or thread left.
  TcpProxy(const std::string& host, std::uint16_t port, ConnectionPlan plan = {},
           TcpProxyOptions options = {});
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  /// Resets all open connections at once.
  ~TcpProxy();

  /// The port at which the proxy listens.
  std::uint16_t port() const;

  /// Uses a new plan, from its beginning, for connections that are accepted from now on.
  void set_plan(ConnectionPlan plan);

  /// Resets all open connections, including those that wait to be accepted, and returns how many.
  std::size_t cut_all();

  /// Takes the line down: resets all connections and refuses new ones until `go_up`, as if nobody
  /// listened. Refused connections are not counted and do not advance the plan. Returns how many
  /// connections were reset.
  std::size_t go_down();

  /// Listens again. Does nothing if the line is up.
  ///
  /// @errors throws `std::system_error` if the system has no socket left.
  void go_up();

  /// What the proxy has done so far.
  TcpProxyStatistics statistics() const;

private:
  class Loop;

  std::unique_ptr<Loop> loop_;
};

} // namespace backoff_actor::testing
