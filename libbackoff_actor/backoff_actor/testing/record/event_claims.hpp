#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/testing/record/event_log.hpp"
#include "backoff_actor/testing/record/event_pattern.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace backoff_actor::testing {

/// The result of a claim about a log: whether it holds, and why. The matchers of gmock.hpp use
/// claims. With another test framework, check `holds` and print `text()` if it is false.
struct BACKOFF_ACTOR_EXPORT Finding {
  /// How many lines of a timeline `text` shows.
  static constexpr std::size_t shown_lines = 100;

  bool holds = false; ///< whether the claim is true
  /// What the log says, as a clause without a full stop:
  /// `which saw child down at +0ns, but after it no acknowledged`.
  std::string why{};
  std::vector<std::size_t> found{}; ///< indices of the matching entries that were found
  EventLog log{};                   ///< the log that was searched

  /// Renders why, followed by the end of the timeline, with a mark at each entry in `found`.
  std::string text() const;
};

/// Claims that events happened one after the other, with any other events before, between and after
/// them.
BACKOFF_ACTOR_EXPORT Finding saw_in_order(const EventLog& log,
                                          const std::vector<EventPattern>& patterns);

/// Claims that exactly these events happened, in this order. `EventLog::of` narrows the log to one
/// sender.
///
/// @errors does not hold for a log that has forgotten entries.
BACKOFF_ACTOR_EXPORT Finding saw_exactly(const EventLog& log,
                                         const std::vector<EventPattern>& patterns);

/// Claims that at least one such event happened.
BACKOFF_ACTOR_EXPORT Finding saw(const EventLog& log, const EventPattern& pattern);

/// Claims that exactly `times` such events happened.
///
/// @errors does not hold for a log that has forgotten entries.
BACKOFF_ACTOR_EXPORT Finding saw_times(const EventLog& log, std::size_t times,
                                       const EventPattern& pattern);

} // namespace backoff_actor::testing
