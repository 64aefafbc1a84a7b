#pragma once

// What somebody who wrote a wrong name or a wrong span most likely meant.

#include "backoff_actor/core/export.hpp"

#include <span>
#include <string>
#include <string_view>

namespace backoff_actor::detail {

/// Returns the known name that somebody who wrote `given` most likely meant; empty: there is none,
/// or several are equally likely. A name is likely if at most a third of its letters are wrong,
/// missing, surplus or swapped with the next one, or if `given` is a part of it.
BACKOFF_ACTOR_EXPORT std::string_view nearest_name(std::string_view given,
                                                   std::span<const std::string_view> known);

/// Returns `; did you mean NAME?` with the nearest name, or nothing if there is none.
BACKOFF_ACTOR_EXPORT std::string did_you_mean(std::string_view given,
                                              std::span<const std::string_view> known);

/// Returns what to change in a text that `parse_duration` does not take: `; write 5min` for `5m`,
/// `; write 5s` for `5 sec`, `; add a unit: 100ms or 100s` for `100`. Returns nothing for a text
/// that is a span, and for one that has no likely meaning.
BACKOFF_ACTOR_EXPORT std::string span_advice(std::string_view text);

} // namespace backoff_actor::detail
