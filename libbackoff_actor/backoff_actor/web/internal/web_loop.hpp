#pragma once

#include "backoff_actor/net/internal/signal.hpp"
#include "backoff_actor/net/internal/socket.hpp"
#include "backoff_actor/net/network_event.hpp"
#include "backoff_actor/net/tls/internal/tls_context.hpp"
#include "backoff_actor/web/internal/live_feed.hpp"
#include "backoff_actor/web/internal/page_thread.hpp"
#include "backoff_actor/web/internal/web_connection.hpp"
#include "backoff_actor/web/internal/web_pages.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <thread>

namespace backoff_actor::web {

/// Serves all connections in a thread of its own. It answers probes itself, so that they wait for
/// nothing. The pages that may take long come from a `PageThread`, and what watchers see from a
/// `LiveFeed`.
class WebLoop {
public:
  /// Whom it lets in, and how.
  struct Entrance {
    net::Descriptor listener;  ///< a socket that listens
    net::TlsContext* tls;      ///< null: plain HTTP
    NetworkEventHook on_event; ///< not empty
  };

  /// @errors throws `std::system_error` if no descriptor or thread is left.
  WebLoop(Entrance entrance, const WebPages& pages, const Observatory& observatory);
  WebLoop(const WebLoop&) = delete;
  WebLoop& operator=(const WebLoop&) = delete;
  /// Closes all connections.
  ~WebLoop();

private:
  using Number = std::uint64_t;
  using Connections = std::map<Number, WebConnection>;

  void run();
  void turn();
  int time_to_wait(Clock::time_point now) const;
  void accept_some();
  bool free_a_descriptor();
  void make_room();
  void move(Number number);
  void begin_to_watch(Number number, const std::string& head);
  void deliver();
  void show(const LiveFeed::Frame& frame);
  void tell_feed();
  void refresh_tls();
  void tell_refusal(const WebConnection& connection, std::string why);
  void tell(NetworkEvent event);
  void bound_answers();
  void end_what_is_due(Clock::time_point now);
  void end(Number number);

  const WebPages& pages_;
  net::Signal has_news_;
  Entrance entrance_;
  net::Descriptor spare_;   // given up to serve a client when the process has no other
  Connections connections_; // the oldest first
  Number last_ = 0;
  Clock::time_point no_refusal_until_{}; // when the next one is told
  std::uint64_t untold_refusals_ = 0;
  Clock::time_point rests_until_{}; // the listener, when nothing could be done for who comes
  PageThread in_turn_;
  PageThread by_actor_; // they wait for actors, and nobody else has to
  LiveFeed feed_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

} // namespace backoff_actor::web
