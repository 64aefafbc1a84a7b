#pragma once

#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <optional>
#include <string>
#include <utility>

namespace backoff_actor {

/// A service's wish to be tried again no earlier than after a time. In the context of an error it
/// turns an error answer, which is final otherwise, into one that is retried.
struct RetryAfter {
  Duration span{0}; ///< from when the error comes; 0: the backoff alone says
};

/// Returns an error that says when to come back: `retry_after(caf::sec::runtime_error, 30s,
/// "too many requests")`. It is `make_error(code, RetryAfter{span}, text)`, without the text if
/// that is empty.
///
/// A child that holds further deliveries works on them all the same. Set
/// `SenderOptions::max_in_flight` to 1 where its service is not to be called by these either.
///
/// @range any error code enumeration of CAF's or of your own, `SenderError` included
template <class Enum>
caf::error retry_after(Enum code, Duration span, std::string text = {}) {
  return seam::error_with(code, text.empty()
                                  ? caf::make_message(RetryAfter{span})
                                  : caf::make_message(RetryAfter{span}, std::move(text)));
}

/// Returns when an error says to come back: the first `RetryAfter` in its context. Nothing if there
/// is none.
BACKOFF_ACTOR_EXPORT std::optional<Duration> retry_after_of(const caf::error& error);

/// Renders the wish: `retry after 30s`.
BACKOFF_ACTOR_EXPORT std::string to_string(const RetryAfter& wish);

/// Shows CAF the parts of the message.
template <class Inspector>
auto inspect(Inspector& f, RetryAfter& x) {
  return seam::object(f, x, "backoff_actor::RetryAfter", seam::field("span", x.span));
}

} // namespace backoff_actor
