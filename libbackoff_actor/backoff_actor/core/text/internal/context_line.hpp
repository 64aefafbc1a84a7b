#pragma once

#include <algorithm>
#include <string>
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

/// Removes all lines that begin with `name` from the context.
inline void remove_line(std::string& context, std::string_view name) {
  for (std::size_t line = 0; line < context.size();) {
    const auto end = context.find('\n', line);
    const auto next = end == std::string::npos ? context.size() : end + 1;
    if (std::string_view{context}.substr(line).starts_with(name))
      context.erase(line, next - line);
    else
      line = next;
  }
  while (context.ends_with('\n'))
    context.pop_back();
}

} // namespace backoff_actor::detail
