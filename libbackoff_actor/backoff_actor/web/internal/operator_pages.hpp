#pragma once

#include "backoff_actor/sinks/internal/operator.hpp"
#include "backoff_actor/web/internal/http_message.hpp"
#include "backoff_actor/web/web_server.hpp"

#include <string>
#include <string_view>

// What an operator who has the token can do on the page. Nothing here knows of connections.
//
// A web page of a stranger can make a browser send a request here. It cannot know the token, cannot
// set a header of its own without being allowed to, and cannot forge Origin and Sec-Fetch-Site.

namespace backoff_actor::web {

/// With it begin the addresses of actions; the name of one follows.
inline constexpr std::string_view act_path = "/act/";

/// Does what operators ask for.
///
/// @thread as `Operator`
class OperatorPages {
public:
  OperatorPages(const Observatory& observatory, const WebOptions& options);

  /// Does what a POST to an address of `act_path` asks for.
  WebAnswer act(const WebRequest& request) const;

  /// Shows dead letters, for a GET of `/letters`.
  WebAnswer letters(const WebRequest& request) const;

private:
  bool is_refused(const WebRequest& request, WebAnswer& answer) const;

  const Operator operator_;
  const std::string token_;
  const bool has_tls_; // without it, a proxy in front of the server may have it
};

/// Whether a text is the token. Takes as long for a wrong text as for the right one.
bool is_token(std::string_view text, std::string_view token);

} // namespace backoff_actor::web
