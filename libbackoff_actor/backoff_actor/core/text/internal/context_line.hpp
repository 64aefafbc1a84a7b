#pragma once

#include <algorithm>
#include <string_view>

namespace backoff_actor::detail {

/// Returns what the first line that begins with `name` says behind it, in a message's context,
/// which is lines of `name: value`; empty if there is no such line.
///
/// @param name with the colon and the space: `retries: `
inline std::string_view value_in(std::string_view context, std::string_view name) {
  while (!context.empty()) {
    const auto line = context.substr(0, context.find('\n'));
    if (line.starts_with(name))
      return line.substr(name.size());
    context.remove_prefix(std::min(line.size() + 1, context.size()));
  }
  return {};
}

} // namespace backoff_actor::detail
