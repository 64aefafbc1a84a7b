#pragma once

#include "backoff_actor/sinks/observatory.hpp"
#include "backoff_actor/web/internal/host_check.hpp"
#include "backoff_actor/web/internal/http_message.hpp"
#include "backoff_actor/web/internal/operator_pages.hpp"
#include "backoff_actor/web/web_server.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace backoff_actor::web {

/// Makes the answers to requests. It knows nothing of connections.
class WebPages {
public:
  /// How an answer comes.
  enum class Way : std::uint8_t {
    at_once,   ///< it takes no time, and calls nobody's function: probes, and what is no page
    in_turn,   ///< it may take long
    by_actor,  ///< it may wait for an actor
    as_stream, ///< it has no end
  };

  WebPages(const Observatory& observatory, const WebOptions& options, HostCheck hosts);

  /// How the answer to a request comes, given its head with the empty line behind it.
  static Way way_of(std::string_view head);

  /// Returns the whole answer to a request. Empty: there is none, and the connection should end.
  ///
  /// @errors none
  /// @thread safe from any thread, but `more_metrics` is called in it
  std::string answer(std::string_view head) const noexcept;

  /// Returns the whole answer to a request for the stream of events if it is refused; else nothing.
  /// `has_room` is whether one more may watch.
  std::string refusal_of_stream(std::string_view head, bool has_room) const;

  /// The head of the answer to a request for the stream, and its first line.
  static std::string beginning_of_stream();

private:
  struct Route;

  static const Route* route_of(const WebRequest& request);

  WebAnswer page(std::string_view head) const;
  WebAnswer live() const;
  WebAnswer metrics() const;
  WebAnswer status() const;

  const Observatory observatory_;
  const std::function<std::string()> more_metrics_;
  const HostCheck hosts_;
  std::optional<OperatorPages> operator_pages_{}; // none: there is no token
};

} // namespace backoff_actor::web
