#pragma once

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/actor_name.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace backoff_actor::detail {

/// A span as a decimal number of seconds.
inline std::string json_seconds(Duration span) {
  const auto count = span.count();
  char text[40];
  std::snprintf(text, sizeof text, "%s%lld.%09lld", count < 0 ? "-" : "",
                std::abs(static_cast<long long>(count / 1'000'000'000)),
                std::abs(static_cast<long long>(count % 1'000'000'000)));
  return text;
}

/// A name as a string; null if it is unknown.
inline std::string json_name(const ActorName& name) {
  return name.kind.empty() ? "null" : json_string(to_string(name));
}

} // namespace backoff_actor::detail
