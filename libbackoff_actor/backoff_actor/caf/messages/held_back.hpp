#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/admission.hpp"

#include <optional>

namespace backoff_actor {

/// Returns the error that says why a guard holds a call back, and when to try again:
/// `SenderError::held_back` with a `RetryAfter`. A `retry_request` or a `BackOffSender` that gets
/// the error waits for that time. If only a manual `close()` can end it, the time is 0, and the
/// caller's own backoff decides.
BACKOFF_ACTOR_EXPORT caf::error held_back_error(const HeldBack& held_back, Instant now);

/// Returns why a guard held a call back; nothing if the error is no such error.
BACKOFF_ACTOR_EXPORT std::optional<HeldBackBy> held_back_by(const caf::error& error);

namespace detail {

/// Returns true if the error does not come from the service: the receiver is gone, or a guard held
/// the call back.
bool says_nothing_of_service(const caf::error& error);

// Returns true if no worker has answered: a guard held the call back, or a sender gave the message
// back because it ends or drains.
bool is_given_back(const caf::error& error);

} // namespace detail

} // namespace backoff_actor
