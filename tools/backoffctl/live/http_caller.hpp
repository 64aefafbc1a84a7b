#pragma once

#include "event_loop.hpp"

#include "backoff_actor/core/time.hpp"

#include <event2/bufferevent.h>
#include <event2/http.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

namespace backoffctl {

/// Where to: the parts of a URL.
struct HttpUrl {
  std::string host; ///< a name or an address
  std::uint16_t port = 80;
  std::string path; ///< with the query
  bool is_https = false;
};

/// Reads a URL such as `http://127.0.0.1:8070/api`; nothing if it is none, or not of `http` or
/// `https`.
std::optional<HttpUrl> parse_http_url(const std::string& text);

/// Renders it as one text again.
std::string to_string(const HttpUrl& url);

/// What became of a call.
struct CallResult {
  enum class Kind {
    answered, ///< by whatever status
    failed,   ///< the connection did
    timedout, ///< nothing came in time
  };
  Kind kind;
  int status = 0;                     ///< of HTTP, if it was answered
  backoff_actor::Duration latency{0}; ///< from the beginning to this
  std::string error{};                ///< why it failed, if it did: "Connection refused"
  std::string body{};                 ///< of the answer, if it is kept
  bool is_by_tls = false;             ///< whether it failed by TLS: something answers there
};

/// Makes the end of a connection that carries one call by HTTPS, in place of a plain socket. What
/// fails by TLS is written to `problem`, which stays there as long as the connection.
using MakeTls = std::function<bufferevent*(event_base* base, std::string& problem)>;

/// What a caller may be asked for besides.
struct HttpCallerOptions {
  std::string address{};                     ///< numeric, of the host; empty: it is looked up
  std::optional<std::size_t> longest_body{}; ///< bodies are kept, and a longer one fails
  MakeTls make_tls{};                        ///< empty: calls are plain
};

/// Makes GET calls, any number at once in one thread, each over a connection of its own that is
/// closed after it.
///
/// @thread that of the loop
class HttpCaller {
public:
  using Done = std::function<void(const CallResult&)>;

  /// @errors throws `std::runtime_error` if there is no such host.
  HttpCaller(EventLoop& loop, const HttpUrl& url, backoff_actor::Duration timeout,
             HttpCallerOptions options = {});
  HttpCaller(const HttpCaller&) = delete;
  HttpCaller& operator=(const HttpCaller&) = delete;

  /// Closes the connections of the calls that are under way, whose ends nobody is told.
  ~HttpCaller();

  /// Makes a call. `done` is called once, later, from the loop.
  void call(Done done);

  /// How many calls are under way.
  std::size_t open() const { return open_.size(); }

private:
  struct Call;
  using Calls = std::list<Call>;

  static void watch_connecting(Call& call);
  static void on_connecting(bufferevent* buffer, short events, void* call);
  static void on_answer(evhttp_request* request, void* call);
  static void on_error(evhttp_request_error error, void* call);
  void end(Call& call, CallResult::Kind kind, int status, std::string body = {});

  EventLoop& loop_;
  std::string host_header_;
  HttpCallerOptions options_;
  std::uint16_t port_;
  std::string path_;
  backoff_actor::Duration timeout_;
  Calls open_;
  Calls ended_; // to be freed when evhttp has left them
  LoopEvent free_ended_;
};

} // namespace backoffctl
