#pragma once

#include <cstdint>
#include <string>

namespace backoff_actor {

/// Why something failed, in a form that names no actor library.
struct Cause {
  /// Identifies the cause: two failures are the same only if their codes are equal. 0 means "no
  /// error", the code of a normal stop.
  std::uint64_t code = 0;

  /// A text for people: the exception's text, or the error as the actor library renders it.
  std::string text;

  /// Whether something went wrong; a normal stop is no error.
  bool is_error() const { return code != 0; }
};

} // namespace backoff_actor
