#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/testing/record/event_log.hpp"
#include "backoff_actor/testing/record/event_pattern.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace backoff_actor::testing {

/// Whether a claim about a log is true, and why. The matchers of gmock.hpp are made of claims; with
/// another test framework, ask whether one `holds`, and print its `text()` if it does not.
struct BACKOFF_ACTOR_EXPORT Finding {
  /// How many lines of a timeline `text` shows.
  static constexpr std::size_t shown_lines = 100;

  bool holds = false; ///< whether it is true
  /// What the log says, as a clause without a full stop:
  /// `which saw child down at +0ns, but after it no acknowledged`.
  std::string why{};
  std::vector<std::size_t> found{}; ///< indices of the entries that were looked for and are there
  EventLog log{};                   ///< what was looked at

  /// Renders why, and below it the end of the timeline, with a mark at what was found.
  std::string text() const;
};

/// Claims that events happened one after the other, whatever else happened before, between and
/// after them.
BACKOFF_ACTOR_EXPORT Finding saw_in_order(const EventLog& log,
                                          const std::vector<EventPattern>& patterns);

/// Claims that these events happened, in this order, and none else. Narrow it to a sender with
/// `EventLog::of`.
///
/// @errors does not hold of a log that has forgotten something.
BACKOFF_ACTOR_EXPORT Finding saw_exactly(const EventLog& log,
                                         const std::vector<EventPattern>& patterns);

/// Claims that there is such an event.
BACKOFF_ACTOR_EXPORT Finding saw(const EventLog& log, const EventPattern& pattern);

/// Claims that there are so many such events.
///
/// @errors does not hold of a log that has forgotten something.
BACKOFF_ACTOR_EXPORT Finding saw_times(const EventLog& log, std::size_t times,
                                       const EventPattern& pattern);

} // namespace backoff_actor::testing
