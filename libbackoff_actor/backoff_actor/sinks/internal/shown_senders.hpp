#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/observe/metrics/observed_status.hpp"

#include <cstddef>
#include <vector>

namespace backoff_actor::detail {

/// Sorts by backlog, the largest first. If there are more than `at_most`, four fifths of the places
/// are for those with the largest backlogs. The rest is for those of the others whose messages are
/// the oldest, because one message that is stuck is no large backlog. Returns how many it has
/// removed.
BACKOFF_ACTOR_EXPORT std::size_t keep_shown(std::vector<ObservedSender>& senders,
                                            std::size_t at_most);

} // namespace backoff_actor::detail
