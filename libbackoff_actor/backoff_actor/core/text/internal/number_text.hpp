#pragma once

#include "backoff_actor/core/export.hpp"

#include <charconv>
#include <string>

namespace backoff_actor::detail {

/// Returns a number as text, with a point, whatever the locale of the program: with as few digits
/// as give it back exactly, `0.1` or `1e-09`.
BACKOFF_ACTOR_EXPORT std::string number_text(double value);

/// The same with or without an exponent, as the format says.
BACKOFF_ACTOR_EXPORT std::string number_text(double value, std::chars_format format);

/// The same with so many digits: behind the point, or of all in `std::chars_format::general`.
///
/// @range `digits` 0..100
BACKOFF_ACTOR_EXPORT std::string number_text(double value, std::chars_format format, int digits);

} // namespace backoff_actor::detail
