#pragma once

#include "backoff_actor/backoff/http/http_answer.hpp"
#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/supervision/decider.hpp"

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace backoff_actor {

/// The time for which a service asks not to be called. Put it into the context of an error: an
/// error answer, which otherwise ends a delivery, is then retried.
struct RetryAfter {
  Duration span{0}; ///< counts from the arrival of the error; 0: the backoff alone decides
};

/// Returns an error that says when to retry:
/// `retry_after(caf::sec::runtime_error, 30s, "too many requests")`. It is
/// `make_error(code, RetryAfter{span}, text)`; an empty text is left out.
///
/// A child that holds further deliveries continues to work on them. If they must not call the
/// service during that time either, set `SenderOptions::max_in_flight` to 1.
///
/// @range any error code enumeration of CAF's or of your own, `SenderError` included
template <class Enum>
requires std::is_enum_v<Enum> caf::error retry_after(Enum code, Duration span,
                                                     std::string text = {}) {
  return compat::error_with(code, text.empty()
                                    ? caf::make_message(RetryAfter{span})
                                    : caf::make_message(RetryAfter{span}, std::move(text)));
}

/// The same with a code that says no more than the text: `return retry_after(7s);` is
/// `retry_after(caf::sec::runtime_error, 7s, "try again later")`.
BACKOFF_ACTOR_EXPORT caf::error retry_after(Duration span, std::string text = "try again later");

/// Returns the time of the first `RetryAfter` in the context of an error; nothing if there is none.
BACKOFF_ACTOR_EXPORT std::optional<Duration> retry_after_of(const caf::error& error);

/// Returns what a worker answers to its sender for the answer of an HTTP service:
///
///     if (auto error = error_of_http(answer))
///       return error;
///     return response.body;
///
/// - `HttpOutcome::done`: no error.
/// - `HttpOutcome::later`: `retry_after(caf::sec::runtime_error, wait, text)`, so the message is
///   delivered again and the worker lives. Without a wait the time is 0: the backoff alone decides.
///   If it speaks of the service, the error says so, as `blame_service` does.
/// - `HttpOutcome::refused`: `caf::sec::unexpected_message` with the text. It is final: a sender
///   makes a dead letter of the message, `retry_request` gives up, and a guard takes the service
///   for well, because it has answered.
///
/// With `Acknowledgement::by_sent` it is the `Nack::error` of `later` and the `Reject::error` of
/// `refused`.
BACKOFF_ACTOR_EXPORT caf::error error_of_http(const HttpAnswer& answer);

/// Renders the time: `retry after 30s`.
BACKOFF_ACTOR_EXPORT std::string to_string(const RetryAfter& wish);

/// Shows CAF the parts of the message.
auto inspect(auto& f, RetryAfter& x) {
  return compat::object(f, x, "backoff_actor::RetryAfter", compat::field("span", x.span));
}

/// Whose fault an error is, in the context of the error. A `BackOffSender` believes it. It may get
/// the error as an answer, in a `Nack` or as an exit reason.
struct Blamed {
  Blame blame = Blame::unknown; ///< as the worker says
};

/// Returns an error that the service is to blame for: `blame_service(caf::sec::runtime_error, "503
/// Service Unavailable", 30s)`. A `BackOffSender` keeps the message and retries it, and charges no
/// attempt, whether the worker answers with the error, refuses with it, or terminates with it. The
/// time is that of `RetryAfter`; 0: the backoff alone decides.
///
/// @range any error code enumeration of CAF's or of your own, `SenderError` included
template <class Enum>
requires std::is_enum_v<Enum> caf::error blame_service(Enum code, std::string text = {},
                                                       Duration retry_after = {}) {
  return compat::error_with(
    code, caf::make_message(Blamed{Blame::service}, RetryAfter{retry_after}, std::move(text)));
}

/// Returns an error that the message is to blame for, such as one that the service cannot read. As
/// an answer it is final, as any error is. In a `Nack` or as an exit reason, it is charged at once.
///
/// @range any error code enumeration of CAF's or of your own, `SenderError` included
template <class Enum>
requires std::is_enum_v<Enum> caf::error blame_message(Enum code, std::string text = {}) {
  return compat::error_with(code, caf::make_message(Blamed{Blame::message}, std::move(text)));
}

/// Returns whose fault an error is: the service's, the message's, or unknown.
BACKOFF_ACTOR_EXPORT Blame blame_of(const caf::error& error);

/// Renders it: `blame service`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Blamed& x);

/// Shows CAF the parts of the message.
auto inspect(auto& f, Blamed& x) {
  return compat::object(f, x, "backoff_actor::Blamed", compat::enum_field("blame", x.blame));
}

} // namespace backoff_actor
