#pragma once

#include "backoff_actor/core/time.hpp"

#include <optional>
#include <stdexcept>
#include <string>

namespace rest_client {

/// What an HTTP server answered.
struct Response {
  int status = 0;
  std::string retry_after; ///< the header as it stands; empty if there is none
  std::string body;
};

/// There was no answer.
class NoAnswer : public std::runtime_error {
public:
  NoAnswer(const std::string& what, bool is_final)
    : std::runtime_error(what), is_final_(is_final) {}

  /// Whether no attempt would get one, as with a certificate that is not trusted.
  bool is_final() const { return is_final_; }

private:
  bool is_final_;
};

/// Whether it is a complete URL of a kind that `http_get` takes.
bool is_http_url(const std::string& text);

/// Makes one GET request, and follows redirections.
///
/// @errors throws `NoAnswer`
Response http_get(const std::string& url, std::optional<backoff_actor::Duration> time_allowed);

} // namespace rest_client
