#pragma once

#include "backoff_actor/calendar/calendar_entry.hpp"
#include "backoff_actor/calendar/parse_schedule.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor::detail {

// Returns the rule of this name; nothing if there is none.
BACKOFF_ACTOR_EXPORT std::optional<Missed> find_missed(std::string_view name);

// An entry as a table keeps it. People may have written it.
struct CalendarRow {
  std::string name{};
  std::string schedule{}; // as `parse_schedule` reads it
  std::string missed{};   // the name of a rule
  Duration grace{};
  WallTime decided_until{};

  friend bool operator==(const CalendarRow&, const CalendarRow&) = default;
};

// What becomes of an entry at an instant.
struct CalendarStep {
  std::vector<WallTime> run{};    // which times run, the oldest first
  WallTime decided_until{};       // what the table is to keep
  std::optional<WallTime> next{}; // when to look at the entry again; nothing: only if it is changed
  std::string problem{};          // why nothing of it can run; empty: nothing is wrong

  friend bool operator==(const CalendarStep&, const CalendarStep&) = default;
};

// Decides about an entry. One that is wrong is left as it is, with its problem.
//
// @param most how many times run in this step; `next` has passed already if more are due
// @range `most` is 1 or more
BACKOFF_ACTOR_EXPORT CalendarStep calendar_step(const CalendarRow& row, const ZoneFinder& find_zone,
                                                WallTime now, std::size_t most);

} // namespace backoff_actor::detail
