#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/observe/metrics/observed_status.hpp"

#include <cstddef>
#include <vector>

namespace backoff_actor::detail {

/// Sorts by backlog, the largest first. If there are more senders than that, keeps those with the
/// largest backlogs, and in a fifth of the places those of the others whose oldest messages are the
/// oldest: one message that is stuck is no large backlog. Returns how many it has removed.
BACKOFF_ACTOR_EXPORT std::size_t keep_shown(std::vector<ObservedSender>& senders,
                                            std::size_t at_most);

} // namespace backoff_actor::detail
