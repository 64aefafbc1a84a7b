#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/supervisor_error.hpp"

#include <string>

namespace backoff_actor {

/// Makes `SupervisorError` convertible to `caf::error`.
BACKOFF_ACTOR_EXPORT caf::error make_error(SupervisorError code);

/// Makes an error of `code` with a text for people, and with the error that it comes from, which
/// `root_cause_of` finds again; either may be empty.
BACKOFF_ACTOR_EXPORT caf::error make_error(SupervisorError code, std::string text,
                                           caf::error root = {});

/// Returns what an error of supervisors comes from: the reason with which the first actor ended, through
/// any number of supervisors; any other error itself.
BACKOFF_ACTOR_EXPORT caf::error root_cause_of(const caf::error& error);

} // namespace backoff_actor
