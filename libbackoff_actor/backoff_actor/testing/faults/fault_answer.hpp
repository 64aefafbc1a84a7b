#pragma once

#include "backoff_actor/caf/messages/tracked.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/testing/faults/fault_plan.hpp"

#include <caf/error.hpp>
#include <caf/message.hpp>

#include <optional>

namespace backoff_actor::testing {

/// Returns the error of a fault: `caf::sec::runtime_error` for a crash and `crash_like_error`,
/// `caf::sec::invalid_argument` for any other. Its context is the fault's retry-after, if it has
/// one, and its text.
BACKOFF_ACTOR_EXPORT caf::error error_of(const Fault& fault);

/// Returns the answer of a worker that has such a fault and lives: an error, or a message to the
/// sender about `delivery`, if there is one. Returns nothing for a fault without an answer, and for
/// `ok` and `slow`, where the worker gives its own answer.
BACKOFF_ACTOR_EXPORT std::optional<caf::message> answer_of(const Fault& fault,
                                                           const TrackedMsg* delivery);

} // namespace backoff_actor::testing
