#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/net/network_event.hpp"
#include "backoff_actor/net/tls/tls.hpp"
#include "backoff_actor/sinks/observatory.hpp"
#include "backoff_actor/sinks/operator_event.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor {

/// Where pages are served, and to whom.
struct WebOptions {
  /// Where to listen: an address of this machine, or a name of it, of which the first address that
  /// can be used counts. At `127.0.0.1` only programs on this machine reach the pages. At `0.0.0.0`
  /// or `::` everybody in the network does, and without `tls` nothing is encrypted.
  ///
  /// @range not empty
  std::string address = "127.0.0.1";

  /// The port; 0: any that is free, see `WebServer::port`.
  std::uint16_t port = 9464;

  /// Further names under which browsers and other clients may ask for pages. `localhost`,
  /// `127.0.0.1`, `[::1]` and `address` are always allowed. If `address` is not a loopback address,
  /// so is every IP address.
  ///
  /// @range each is a host name or an IP address, without a port
  std::vector<std::string> allowed_hosts{};

  /// Returns text that `/metrics` shows after its own: further metrics in the same format, such as
  /// those of CAF. If it throws, the page is shown without them. Empty: there are none.
  ///
  /// @thread a thread of the server, one call at a time
  std::function<std::string()> more_metrics{};

  /// The certificate of the server, and of whom clients must have one. With it all pages are served
  /// by HTTPS, which is HTTP over TLS 1.3. With an `authority` also Prometheus and probes must have
  /// a certificate; serve them by a second `WebServer` if they have none. Empty: plain HTTP.
  ///
  /// @range each file can be used; `names` only with an `authority`
  std::optional<Tls> tls{};

  /// With a token one can act on the page: pause, resume and drain senders, end delays, close
  /// circuit breakers, and see, resubmit and remove dead letters. It is a secret that each such
  /// request has in its header `Authorization`. Take it from a file, see `token_in_file`, or from a
  /// variable of the environment. Allowed only at a loopback address, or with `tls`. Empty: nobody
  /// can act.
  ///
  /// @range empty, or 16 to 200 visible characters of ASCII
  std::string token{};

  /// Is told of each action. Empty: each is a line on the error stream.
  ///
  /// @thread a thread of the server
  std::function<void(const OperatorEvent&)> on_action{};

  /// Is told of clients that TLS has refused, at most once a second, and of files of `tls` that
  /// were replaced. Empty: each is a line on the error stream.
  ///
  /// @thread a thread of the server
  NetworkEventHook on_network_event{};
};

/// Returns a token from a file, without the end of its line.
///
/// @errors throws `std::system_error` if it cannot be read, and `InvalidArgument` if others than
///         its owner may use the file.
BACKOFF_ACTOR_EXPORT std::string token_in_file(const std::string& path);

/// Returns all problems of the options.
BACKOFF_ACTOR_EXPORT Problems check(const WebOptions& options);

/// Serves what an observatory sees by HTTP, for Prometheus, Kubernetes and people:
///
///     WebServer web{observatory, {.port = 9464}};
///
/// - `/metrics` has all metrics in the text format of Prometheus.
/// - `/healthz` answers 200, or 503 if the process should be restarted.
/// - `/readyz` answers 200, or 503 if the process should get no new work.
/// - `/status` is JSON: the largest backlogs, the supervisors, the guards and the outboxes.
/// - `/` is a page for people, which shows what is stuck, since when, and why.
/// - `/events` is what that page sees, as a stream of events for at most 32 watchers.
///
/// With `WebOptions::token` there are two more:
///
/// - `/letters` has the dead letters of a sender.
/// - `/act/...` does something to a sender or a guard.
///
/// All but the last take GET and HEAD. It serves no files. A client that uses another host name
/// than those allowed gets 403. Otherwise a stranger could point a name of his own at this address.
/// A web page of his could then read these pages through somebody's browser.
///
/// Clients cannot exhaust the process: it holds at most 128 connections, and 64 MiB of answers or
/// one answer. A new client takes the place of an old one that does not watch. `/healthz` and
/// `/readyz` are answered at once, even while other pages are being made or `more_metrics` hangs.
/// A watcher that takes nothing delays nobody.
class BACKOFF_ACTOR_EXPORT WebServer {
public:
  /// Begins to serve, in threads of its own.
  ///
  /// @errors throws `InvalidArgument` naming the options that are wrong, and `std::system_error` if
  ///         it cannot listen there: `127.0.0.1:9464: Address already in use`
  explicit WebServer(const Observatory& observatory, const WebOptions& options = {});
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;
  /// Closes all connections. It waits for no client. It waits for a call of `more_metrics` to
  /// return, and for an action that has begun: thirty seconds at most, if a sender has no turn.
  ~WebServer();

  /// The port at which it listens.
  std::uint16_t port() const;

private:
  class State;

  std::unique_ptr<State> state_;
};

} // namespace backoff_actor
