#pragma once

#include <optional>
#include <string>
#include <string_view>

// What goes over a connection: requests and answers as texts of HTTP. It knows nothing of
// connections.

namespace backoff_actor::web {

/// What the head of a request says. All views are of the head, which must outlive it.
///
/// @source RFC 9112
struct WebRequest {
  std::string_view method{};
  std::string_view path{};      ///< without the query, and with its escapes
  std::string_view query{};     ///< what is behind the `?`
  std::string_view authority{}; ///< of an address in full, `http://localhost/`; empty: of a path
  std::string_view lines{};     ///< all but the first

  /// Reads a head, with the empty line behind it. Nothing: it is no request of HTTP/1.1 or
  /// HTTP/1.0.
  static std::optional<WebRequest> read(std::string_view head);

  /// The value of a header, given its name in lower case. Empty: there is none. Several of the name
  /// have a line feed between them, which no value of one has: they are equal to nothing.
  std::string header(std::string_view name) const;

  /// The host that it is for. That of an address in full counts, as a proxy may send it.
  ///
  /// @source RFC 9112, 3.2.2
  std::string host() const;

  /// The first value of a name in the query, without escapes. Empty: there is none.
  std::string parameter(std::string_view name) const;
};

inline constexpr std::string_view json_type = "application/json";

/// An answer of HTTP. It is for now, is never taken for another type, has no parts, and ends the
/// connection.
struct WebAnswer {
  int status = 200;
  std::string text{};
  std::string_view type = "text/plain; charset=utf-8"; ///< of a text that stays
  std::string headers{};                               ///< more of them, each with its end
};

/// Returns an answer as it is sent. Without a body, it has the size of the one that is left out.
std::string to_http(const WebAnswer& answer, bool has_body = true);

/// Returns the head of an answer, without a size and without the empty line behind it.
std::string head_of(const WebAnswer& answer);

} // namespace backoff_actor::web
