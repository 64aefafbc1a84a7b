#pragma once

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/actor_name.hpp"

#include <cstdio>
#include <string>

namespace backoff_actor::detail {

/// A span as a decimal number of seconds. It is not negative.
inline std::string json_seconds(Duration span) {
  const auto count = span.count();
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%09lld", static_cast<long long>(count / 1'000'000'000),
                static_cast<long long>(count % 1'000'000'000));
  return text;
}

/// A name as a string; null if it is unknown.
inline std::string json_name(const ActorName& name) {
  return name.kind.empty() ? "null" : json_string(to_string(name));
}

} // namespace backoff_actor::detail
