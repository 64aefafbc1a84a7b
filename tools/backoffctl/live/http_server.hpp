#pragma once

#include "event_loop.hpp"
#include "work.hpp"

#include "backoff_actor/lab/simulation/internal/outage_options.hpp"

#include <event2/http.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace backoffctl {

/// What a server is to be like.
struct ServerOptions {
  backoff_actor::ServiceOptions service{}; ///< the backlog may be cut by the kernel
  std::uint16_t port = 8070;               ///< of 127.0.0.1; 0: any that is free
};

/// Seed 002's server over real HTTP: `GET /api` is answered with `OK` after a delay that grows with
/// the number of requests that are being answered.
///
/// A client that leaves costs no open file from then on, also where its work is kept: it is the
/// work that slows the others down.
class HttpServer {
public:
  /// What happened since the last `take`.
  struct Counts {
    std::uint64_t requests = 0;             ///< that came in
    std::uint64_t answered = 0;             ///< to clients that were there
    std::uint64_t finished_for_nobody = 0;  ///< done for clients that had left
    std::uint64_t worked_on_for_nobody = 0; ///< now, for clients that have left, to the end
    std::uint64_t dropped = 0;              ///< given up, for clients that had left
    std::uint64_t peak_concurrency = 0;
  };

  /// Listens.
  ///
  /// @errors throws `std::runtime_error` that names the port and the reason if it cannot.
  HttpServer(EventLoop& loop, const ServerOptions& options);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  /// The port that it listens on.
  std::uint16_t port() const { return port_; }

  std::size_t concurrency() const { return work_.concurrency(); }
  backoff_actor::Duration last_delay() const { return work_.last_delay(); }

  /// Returns what happened since this was called last.
  Counts take();

private:
  struct Request {
    evhttp_request* http = nullptr;
    HttpServer* server = nullptr;
    bool client_has_left = false;
  };
  struct Free {
    void operator()(evhttp* x) const { evhttp_free(x); }
  };

  static void on_api(evhttp_request* http, void* self);
  static void on_close(evhttp_connection*, void* request);
  void begin(evhttp_request* http);
  void look();
  void finish(Request& request);
  static void forget(Request& request);

  ServerOptions options_;
  std::uint16_t port_ = 0;
  Counts counts_;
  std::uint64_t for_nobody_ = 0; // of the work, where that is kept
  Work<std::unique_ptr<Request>> work_;
  LoopEvent next_look_;
  std::unique_ptr<evhttp, Free> http_;
};

/// Returns how many connections the kernel lets wait at the most (net.core.somaxconn); nothing if
/// that is not to be known.
std::optional<int> longest_backlog();

} // namespace backoffctl
