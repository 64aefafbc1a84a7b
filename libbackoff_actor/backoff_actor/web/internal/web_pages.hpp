#pragma once

#include "backoff_actor/sinks/observatory.hpp"
#include "backoff_actor/web/internal/host_check.hpp"
#include "backoff_actor/web/web_server.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace backoff_actor::web {

/// Makes the answers to requests. It knows nothing of connections.
class WebPages {
public:
  WebPages(const Observatory& observatory, const WebOptions& options, HostCheck hosts);
  ~WebPages();

  /// Returns a head in which the first line names a path. A proxy may send the whole address there,
  /// `GET http://localhost/healthz HTTP/1.1`; its host then replaces that of the header. All other
  /// functions expect such a head.
  ///
  /// @source RFC 9112, 3.2.2
  static std::string in_origin_form(std::string head);

  /// Returns the whole answer to a request, given its head with the empty line behind it. Empty:
  /// there is none, and the connection should end.
  ///
  /// @errors none
  /// @thread safe from any thread, but `more_metrics` is called in it
  std::string answer(std::string_view head) const noexcept;

  /// Whether an answer takes no time, and calls nobody's function: it is one for a probe.
  static bool is_quick(std::string_view head);

  /// Whether a request is one that may wait for an actor.
  static bool is_action(std::string_view head);

  /// Whether a request is for the stream of events.
  static bool is_stream(std::string_view head);

  /// Returns the whole answer to a request for the stream if it is refused; else nothing.
  /// `has_room` is whether one more may watch.
  std::string refusal_of_stream(std::string_view head, bool has_room) const;

  /// The head of the answer to a request for the stream, and its first line.
  static std::string beginning_of_stream();

private:
  class Server;

  std::unique_ptr<Server> server_;
};

} // namespace backoff_actor::web
