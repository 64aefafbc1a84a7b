#pragma once

#include "backoff_actor/backoff/retry_series.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace backoff_actor {

/// What to do with a message after the HTTP service has answered the call for it.
enum class HttpOutcome : std::uint8_t {
  done,    ///< the service has done it
  later,   ///< call again: the same call may succeed
  refused, ///< do not call again: the same call would get the same answer
};

/// What an HTTP answer speaks of.
enum class HttpSubject : std::uint8_t {
  message, ///< this message: other messages may well succeed
  service, ///< the service, or what all calls have in common, such as the address and the password
  either,  ///< the answer does not say; what becomes of other messages does
};

/// The request that was made, as far as it says whether it may be made twice.
struct HttpRequest {
  /// The method, in capital letters.
  std::string_view method;

  /// Whether the request may reach the service twice whatever its method, because it has an
  /// idempotency key, or because twice does no harm.
  bool may_repeat = false;

  /// Whether it may reach the service twice: if somebody said so, and with the methods GET, HEAD,
  /// OPTIONS, TRACE, PUT and DELETE.
  BACKOFF_ACTOR_EXPORT bool may_reach_twice() const;
};

/// What an answer of an HTTP service means to the one who called. A program that knows its service
/// better may change any field before it passes the answer on.
struct HttpAnswer {
  /// The status code as it was given; 0: there was no answer.
  int status = 0;

  /// What to do with the message.
  HttpOutcome outcome = HttpOutcome::done;

  /// What the answer speaks of. `either` for `HttpOutcome::done`.
  HttpSubject speaks_of = HttpSubject::either;

  /// With `HttpOutcome::later`: the wait that the service asked for, from now. Nothing: it asked
  /// for none, so the backoff alone decides.
  ///
  /// @range 0 and above
  std::optional<Duration> wait{};

  /// The answer for people: the status and, unless it is `HttpOutcome::done`, the beginning of the
  /// body. One line of valid UTF-8, at most `most_characters_of_http_text` characters.
  std::string text{};

  /// Whether the service has done it.
  bool is_done() const { return outcome == HttpOutcome::done; }

  /// Returns the same for a predicate of `retry`: `success`, `retryable` with the wait, or
  /// `not_retryable`.
  BACKOFF_ACTOR_EXPORT Assessment assessment() const;
};

/// How long the text of an `HttpAnswer` may be, in characters.
inline constexpr std::size_t most_characters_of_http_text = 200;

/// Reads the answer of an HTTP service. docs/how-to/call_an_http_api.md has the reason for each
/// row:
///
///     status                                     outcome   speaks of
///     2xx                                        done
///     401, 407, 408, 421, 425, 429               later     service
///     403                                        later     either
///     423                                        later     message
///     any 4xx or 5xx that has a Retry-After      later     as without
///     all other 4xx                              refused   message
///     502, 503, 504, 511                         later     service
///     501, 505, 506, 510                         refused   service
///     all other 5xx, 1xx, 600 to 999, no answer  later     either
///     3xx                                        refused   either
///
///     answer_of_http(503, 30s, "down").text == "HTTP 503: down"
///     answer_of_http(0, {}, "connection refused").text == "no answer: connection refused"
///
/// @shape  `(status, retry_after, body) -> answer`; pure. `retry_after` is what `parse_retry_after`
///         made of the header. Without an answer, `body` is the reason in words. The text has runs
///         of blanks and line ends as one blank, other control characters as escapes such as
///         `\u001b`, and U+FFFD for each byte that is no UTF-8. A text that is cut ends with `...`.
/// @units  `retry_after` in nanoseconds
/// @range  `status`: 100 to 999, the numbers of three digits; or 0 if there was no answer.
///         `retry_after`: 0 and above; a negative span counts as 0. `body`: any bytes.
/// @errors throws `InvalidArgument` for any other status.
/// @thread safe from any thread.
/// @source RFC 9110, "Status Codes" (15) and "Retry-After" (10.2.3); RFC 6585, 428 to 431 and 511;
///         RFC 8470, 425; RFC 4918, 423 and 507.
BACKOFF_ACTOR_EXPORT HttpAnswer answer_of_http(int status,
                                               std::optional<Duration> retry_after = std::nullopt,
                                               std::string_view body = {});

/// The same for a request that may not be made twice unless it says so. If nobody knows whether the
/// service has done it, the answer is `refused`: no answer, and each 1xx, 5xx and number above 599
/// without a Retry-After, but not 503 and 511. So a POST whose connection was dropped is not sent
/// again.
///
///     answer_of_http({"POST"}, 0, {}, "connection reset").outcome == HttpOutcome::refused
///     answer_of_http({"POST", true}, 0, {}, "connection reset").outcome == HttpOutcome::later
///
/// @shape  `(request, status, retry_after, body) -> answer`; pure
/// @errors as above
/// @thread safe from any thread.
/// @source RFC 9110, "Idempotent Methods" (9.2.2)
BACKOFF_ACTOR_EXPORT HttpAnswer answer_of_http(const HttpRequest& request, int status,
                                               std::optional<Duration> retry_after = std::nullopt,
                                               std::string_view body = {});

} // namespace backoff_actor
