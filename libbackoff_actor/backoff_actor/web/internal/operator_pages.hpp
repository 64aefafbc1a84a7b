#pragma once

#include "backoff_actor/sinks/internal/operator.hpp"
#include "backoff_actor/web/web_server.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>

// What one can do on the page, for who has the token. It knows nothing of connections.
//
// A web page of a stranger can make a browser send a request here. It cannot know the token, cannot
// set a header of its own without being allowed to, and cannot forge Origin and Sec-Fetch-Site.

namespace backoff_actor::web {

/// A request to see dead letters or to do something. A header that it does not have is empty.
struct OperatorRequest {
  std::string_view path{};                                 ///< without the query
  std::map<std::string, std::string, std::less<>> query{}; ///< by name
  std::string host{};
  std::string authorization{};
  std::string operator_name{}; ///< the header X-Operator
  std::string origin{};
  std::string fetch_site{}; ///< the header Sec-Fetch-Site
};

/// An answer.
struct OperatorAnswer {
  int status = 200;
  std::string text{};
  bool is_json = false; ///< otherwise it is plain text
};

/// Does what operators ask for.
///
/// @thread as `Operator`
class OperatorPages {
public:
  OperatorPages(const Observatory& observatory, const WebOptions& options);

  /// Does what a POST to `/act/...` asks for.
  OperatorAnswer act(const OperatorRequest& request) const;

  /// Shows dead letters, for a GET of `/letters`.
  OperatorAnswer letters(const OperatorRequest& request) const;

private:
  bool is_refused(const OperatorRequest& request, OperatorAnswer& answer) const;

  const Operator operator_;
  const std::string token_;
  const bool has_tls_; // without it, a proxy in front of the server may have it
};

/// Whether a text is the token. Takes as long for a wrong text as for the right one.
bool is_token(std::string_view text, std::string_view token);

} // namespace backoff_actor::web
