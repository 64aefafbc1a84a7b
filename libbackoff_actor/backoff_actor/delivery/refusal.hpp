#pragma once

#include "backoff_actor/core/export.hpp"

#include <string_view>

namespace backoff_actor {

/// Why a submission was not accepted.
enum class Refusal {
  outbox_full, ///< the outbox holds all that it may
  draining,    ///< the sender accepts nothing new, for now or because it is ending
  stopped,     ///< the sender has ended
  /// Its weight or its key could not be determined, or it has a type that is not registered.
  unusable,
  not_stored, ///< the durable outbox could not take it
  not_owner,  ///< this process does not own the outbox
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(Refusal refusal);

} // namespace backoff_actor
