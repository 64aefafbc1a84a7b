#pragma once

#include "backoff_actor/core/problems.hpp"

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace backoff_actor::detail {

// Adds a problem if a count is outside its range. Every unsigned option has an upper bound, so that
// a negative number is refused, and not taken for a large one.
template <std::unsigned_integral Number>
void check_count(Problems& problems, std::string field, Number given,
                 std::type_identity_t<Number> least,
                 std::type_identity_t<Number> most = most_count) {
  if (given < least || given > most)
    problems.add(std::move(field), text_of_count(given),
                 std::to_string(least).append("..").append(std::to_string(most)));
}

// The same for an option that may be unset.
template <std::unsigned_integral Number>
void check_count(Problems& problems, std::string field, const std::optional<Number>& given,
                 std::type_identity_t<Number> least,
                 std::type_identity_t<Number> most = most_count) {
  if (given)
    check_count(problems, std::move(field), *given, least, most);
}

} // namespace backoff_actor::detail
