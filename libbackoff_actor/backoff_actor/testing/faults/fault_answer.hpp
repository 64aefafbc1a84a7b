#pragma once

#include "backoff_actor/caf/messages/tracked.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/testing/faults/fault_plan.hpp"

#include <caf/error.hpp>
#include <caf/message.hpp>

#include <optional>

namespace backoff_actor::testing {

/// Returns the error of a fault: `caf::sec::runtime_error` for a crash and what looks like one,
/// `caf::sec::invalid_argument` for any other. Its context is when to come back, if the fault says
/// so, and what it says.
BACKOFF_ACTOR_EXPORT caf::error error_of(const Fault& fault);

/// Returns what a worker answers that has such a fault, and lives: an error, or a word to the sender
/// about `delivery`, if there is one. Nothing for a fault without an answer, and for `ok` and `slow`,
/// whose answer is the worker's own.
BACKOFF_ACTOR_EXPORT std::optional<caf::message> answer_of(const Fault& fault,
                                                           const TrackedMsg* delivery);

} // namespace backoff_actor::testing
