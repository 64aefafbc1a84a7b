#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/guard_port.hpp"

#include <optional>

namespace backoff_actor {

/// Returns the error that says why a guard holds a call back, and when to come again:
/// `SenderError::held_back` with a `RetryAfter`, which is what makes a `retry_request` or a
/// `BackOffSender` wait for so long. Where only a hand can end it, the wish is 0: their own backoff
/// says.
BACKOFF_ACTOR_EXPORT caf::error held_back_error(const HeldBack& held_back, Instant now);

/// Returns why a guard held a call back, if that is what the error says.
BACKOFF_ACTOR_EXPORT std::optional<HeldBackBy> held_back_by(const caf::error& error);

namespace detail {

/// Whether an error comes from somebody before the service, who did not call it: the receiver is
/// gone, or a guard held the call back.
bool says_nothing_of_service(const caf::error& error);

// Whether an error is no answer of whoever works: a guard held the call back, or a sender gave it
// back because it ends or accepts nothing.
bool is_given_back(const caf::error& error);

} // namespace detail

} // namespace backoff_actor
