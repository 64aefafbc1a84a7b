#pragma once

#include "backoff_actor/calendar/parse_schedule.hpp"
#include "backoff_actor/calendar/schedule.hpp"
#include "backoff_actor/calendar/zone.hpp"
#include "backoff_actor/core/export.hpp"

#include <string>
#include <string_view>

namespace backoff_actor {

/// Returns a zone of the system's zone database: `Europe/Berlin`, `UTC`. The database is read from
/// the folder that the environment variable `TZDIR` names, else from `/usr/share/zoneinfo`.
///
/// A zone is read once, by the first call for it. All later calls of the process return the same.
/// So a process sees an update of the database only when it starts again.
///
/// @thread safe from any thread.
/// @errors throws `InvalidArgument` if there is no such zone, or no database. It names the zone
///         that was most likely meant.
BACKOFF_ACTOR_EXPORT Zone find_zone(const std::string& name);

/// Reads a schedule, as the other `parse_schedule` does, with the zones of the system.
///
/// @errors throws `ParseError`.
BACKOFF_ACTOR_EXPORT Schedule parse_schedule(std::string_view text, const Zone& otherwise = {});

} // namespace backoff_actor
