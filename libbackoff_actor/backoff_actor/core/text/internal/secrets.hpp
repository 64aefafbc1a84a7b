#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace backoff_actor::detail {

/// Whether a text is a connection string of PostgreSQL, whatever is wrong with it: it begins with
/// `postgres:` or `postgresql:`, or a `password =` is in it. It may hold a password, so no message
/// repeats it.
inline bool is_connection_string(std::string_view text) {
  std::string plain;
  std::ranges::copy_if(text, std::back_inserter(plain), [](char c) { return c > ' '; });
  std::ranges::transform(plain, plain.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return plain.starts_with("postgres:") || plain.starts_with("postgresql:")
         || plain.find("password=") != plain.npos;
}

} // namespace backoff_actor::detail
