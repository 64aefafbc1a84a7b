#pragma once

#include "backoff_actor/web/web_server.hpp"

#include <set>
#include <string>
#include <string_view>

// Who may see the pages, by the header Host. A stranger's web page can make a browser ask any
// address by a name that the stranger owns, and then read the answer. It cannot make the browser
// name another host than that. What else a page of a stranger must not do, by Origin and
// Sec-Fetch-Site, `OperatorPages::is_refused` says.

namespace backoff_actor::web {

/// Whether a text is a host name, or an IP address with or without brackets.
bool is_host(std::string_view text);

/// Says which values of the header Host are allowed.
class HostCheck {
public:
  /// The options have no problems. `is_loopback` is whether only this machine reaches the address.
  HostCheck(const WebOptions& options, bool is_loopback);

  /// Whether a value of the header Host is allowed, with any port or none.
  bool allows(std::string_view header) const;

private:
  std::set<std::string, std::less<>> names_; // in the form of `normal`
  bool allows_addresses_;
};

} // namespace backoff_actor::web
