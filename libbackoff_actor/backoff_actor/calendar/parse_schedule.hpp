#pragma once

#include "backoff_actor/calendar/schedule.hpp"
#include "backoff_actor/calendar/zone.hpp"
#include "backoff_actor/core/export.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace backoff_actor {

/// Returns the zone that has a name.
///
/// @errors throws `InvalidArgument` if there is none.
using ZoneFinder = std::function<Zone(const std::string& name)>;

/// Reads when something is due:
///
///     every(5min)                             every(1h, offset 10min)
///     at(02:30, Europe/Berlin)                at(09:00, Europe/Berlin, mon-fri)
///     cron("*/5 9-17 * * 1-5", Asia/Tokyo)    at(02:30, Europe/Berlin, gap skip, twice both)
///     */5 9-17 * * 1-5                        @daily
///
/// The last two are the fields of `cron` alone. Arguments can come in any order. All are optional
/// but the period, the time of day and the fields. Blanks between words are optional. `gap` is
/// `run_after` or `skip`; `twice` is `first`, `second` or `both`. An argument that is left out has
/// the default of `every`, `at` and `cron`. `to_string` writes every argument; reading that text
/// gives the same schedule.
///
/// @param find_zone is called for a name in the text, while it is read
/// @param otherwise the zone if the text names none
/// @errors throws `ParseError` at the first place with unexpected text. If the text can be read but
///         values are out of range, it throws at the first of them and names all.
BACKOFF_ACTOR_EXPORT Schedule parse_schedule(std::string_view text, const ZoneFinder& find_zone,
                                             const Zone& otherwise = {});

} // namespace backoff_actor
