#pragma once

#include "backoff_actor/core/export.hpp"

#include <string_view>

namespace backoff_actor::detail {

/// Whether a character can be in the name of a zone.
constexpr bool is_in_zone_name(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/'
         || c == '_' || c == '+' || c == '-';
}

/// Whether a text can be the name of a zone. Such a name leads to no file outside of a folder.
BACKOFF_ACTOR_EXPORT bool is_zone_name(std::string_view name);

} // namespace backoff_actor::detail
