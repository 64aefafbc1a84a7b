#pragma once

#include "backoff_actor/core/export.hpp"

#include <string>

// How policies and jitters write their numbers. Reading a written number gives the same number.

namespace backoff_actor::detail {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A factor, without an exponent: `2`, `1.5`, `2.71828`.
std::string decimal(double number);

/// A part of a whole: `20%` for 0.2, `0.5%` for 0.005.
BACKOFF_ACTOR_EXPORT std::string percent(double part);

/// A span in nanoseconds.
std::string span_of(double nanoseconds);

} // namespace backoff_actor::detail
