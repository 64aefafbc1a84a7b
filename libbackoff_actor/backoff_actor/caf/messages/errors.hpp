#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/sender_error.hpp"
#include "backoff_actor/core/supervisor_error.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/scheduled_actor.hpp>

#include <exception>
#include <string>

namespace backoff_actor {

/// Makes `SenderError` convertible to `caf::error`.
BACKOFF_ACTOR_EXPORT caf::error make_error(SenderError code);

/// Makes an error of `code` that carries a text for people, unless that is empty: `render` puts it
/// in brackets.
BACKOFF_ACTOR_EXPORT caf::error make_error(SenderError code, std::string text);

/// Makes `SupervisorError` convertible to `caf::error`.
BACKOFF_ACTOR_EXPORT caf::error make_error(SupervisorError code);

/// Makes an error of `code` with a text for people, and with the error that it comes from, which
/// `root_cause_of` finds again; either may be empty.
BACKOFF_ACTOR_EXPORT caf::error make_error(SupervisorError code, std::string text,
                                           caf::error root = {});

/// Returns what an error of supervisors comes from: the reason with which the first actor ended, through
/// any number of supervisors; any other error itself.
BACKOFF_ACTOR_EXPORT caf::error root_cause_of(const caf::error& error);

namespace seam {

/// Renders any error for people, those of this library included.
BACKOFF_ACTOR_EXPORT std::string render(const caf::actor_system& system, const caf::error& error);

/// Renders an error of this library: its sentence, and in brackets the text and the `RetryAfter`
/// that it may carry.
BACKOFF_ACTOR_EXPORT std::string render_own(SenderError code, const caf::message& context);

/// Renders an error of supervisors in the same way.
BACKOFF_ACTOR_EXPORT std::string render_own(SupervisorError code, const caf::message& context);

/// Returns an error as a cause, whose code tells the error's category and code apart from any
/// other's, and whose text is empty unless asked for `with_text`: rendering is costly.
BACKOFF_ACTOR_EXPORT Cause cause_of(const caf::actor_system& system, const caf::error& error,
                                    bool with_text);

/// Lets an exception that leaves a handler of `self` end it with `caf::sec::runtime_error` and the
/// exception's text. CAF's default loses the text and prints to the console.
BACKOFF_ACTOR_EXPORT void keep_cause(caf::scheduled_actor& self);

/// Returns what `keep_cause` makes of an exception: `caf::sec::runtime_error` with its text.
BACKOFF_ACTOR_EXPORT caf::error error_of(const std::exception_ptr& thrown);

/// Returns the error that a receiver is gone, with the reason of its end, if there is one.
BACKOFF_ACTOR_EXPORT caf::error receiver_down(const caf::actor_system& system,
                                              const caf::error& reason);

/// Lets the actor system render this library's errors. With CAF 1.x it also registers what each
/// `RequestingActor` needs.
BACKOFF_ACTOR_EXPORT void register_errors(caf::actor_system_config& config);

} // namespace seam

/// Renders any error for people, those of this library included.
using seam::render;

} // namespace backoff_actor
