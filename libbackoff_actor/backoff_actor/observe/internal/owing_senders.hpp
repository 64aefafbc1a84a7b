#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/sender_status.hpp"

#include <optional>
#include <string>
#include <vector>

namespace backoff_actor {

/// A sender for which its actor system waits: it owes deliveries, or does not say whether it does.
struct OwingSender {
  std::string name{};                    ///< for people: `billing#17`
  std::optional<SenderStatus> status{};  ///< unset: the sender has not answered
  std::optional<Duration> ack_timeout{}; ///< as in its options
};

/// Returns what would end the debts of a sender, for people: what it waits for, and which message
/// or option would end the wait.
BACKOFF_ACTOR_EXPORT std::string advice_for(const OwingSender& sender);

/// Returns the lines of an `ExitReport`, without their ends; none if there is no such sender. Ten
/// senders at the most have lines of their own: those that have not answered, then those that owe
/// the oldest deliveries.
///
/// @param senders  in any order
/// @param patience how long the program has waited for them; 0: not at all
BACKOFF_ACTOR_EXPORT std::vector<std::string> exit_report_lines(std::vector<OwingSender> senders,
                                                                Duration patience);

} // namespace backoff_actor
