#pragma once

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/sender_error.hpp"
#include "backoff_actor/core/supervisor_error.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>

#include <exception>
#include <string>

namespace backoff_actor::compat {

/// Renders an error of this library: its sentence, and in brackets the text and the `RetryAfter`
/// that it may carry.
BACKOFF_ACTOR_EXPORT std::string render_own(SenderError code, const caf::message& context);

/// Renders an error of supervisors in the same way.
BACKOFF_ACTOR_EXPORT std::string render_own(SupervisorError code, const caf::message& context);

/// Returns an error as a `Cause`, whose code stands for the category and the code of the error. The
/// text of the cause is empty unless `with_text` is set: rendering is costly.
BACKOFF_ACTOR_EXPORT Cause cause_of(const caf::actor_system& system, const caf::error& error,
                                    bool with_text);

/// Returns the error for an exception, as `keep_cause` uses it: `caf::sec::runtime_error` with the
/// exception's text.
BACKOFF_ACTOR_EXPORT caf::error error_of(const std::exception_ptr& thrown);

/// Returns `caf::sec::request_receiver_down`, with the receiver's exit reason as text if there is
/// one.
BACKOFF_ACTOR_EXPORT caf::error receiver_down(const caf::actor_system& system,
                                              const caf::error& reason);

/// Returns `SenderError::unknown_type`, naming the type, if a message has a type that is not
/// registered with the actor system; else no error.
BACKOFF_ACTOR_EXPORT caf::error unknown_type(caf::actor_system& system,
                                             const caf::message& message);

/// Lets the actor system render this library's errors. With CAF 1.x it also registers what each
/// `RequestingActor` needs.
BACKOFF_ACTOR_EXPORT void register_errors(caf::actor_system_config& config);

} // namespace backoff_actor::compat
