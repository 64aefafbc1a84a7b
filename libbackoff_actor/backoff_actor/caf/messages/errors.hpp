#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/sender_error.hpp"
#include "backoff_actor/core/supervisor_error.hpp"

#include <caf/actor_system.hpp>
#include <caf/error.hpp>
#include <caf/scheduled_actor.hpp>

#include <string>

namespace backoff_actor {

/// Makes `SenderError` convertible to `caf::error`.
BACKOFF_ACTOR_EXPORT caf::error make_error(SenderError code);

/// Makes an error of `code` with a text for people. `render` puts the text in brackets. An empty
/// text is left out.
BACKOFF_ACTOR_EXPORT caf::error make_error(SenderError code, std::string text);

/// Makes `SupervisorError` convertible to `caf::error`.
BACKOFF_ACTOR_EXPORT caf::error make_error(SupervisorError code);

/// Makes an error of `code` with a text for people, and with the error `root` that caused it, see
/// `root_cause_of`. Both may be empty.
BACKOFF_ACTOR_EXPORT caf::error make_error(SupervisorError code, std::string text,
                                           caf::error root = {});

/// Returns the root cause of a supervisor's error: the exit reason of the first actor that ended,
/// even through several levels of supervisors. Returns any other error unchanged.
BACKOFF_ACTOR_EXPORT caf::error root_cause_of(const caf::error& error);

namespace compat {

/// Renders any error for people, those of this library included.
BACKOFF_ACTOR_EXPORT std::string render(const caf::actor_system& system, const caf::error& error);

/// Makes `self` end with `caf::sec::runtime_error` and the exception's text if an exception leaves
/// one of its handlers. CAF's default loses the text and prints to the console.
BACKOFF_ACTOR_EXPORT void keep_cause(caf::scheduled_actor& self);

} // namespace compat

/// Renders any error for people, those of this library included.
using compat::render;

} // namespace backoff_actor
