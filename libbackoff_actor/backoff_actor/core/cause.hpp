#pragma once

#include <cstdint>
#include <string>

namespace backoff_actor {

/// Why something failed, in a form that names no actor library.
struct Cause {
  /// Tells causes apart: two are the same failure only if their codes are equal. 0 is "no error",
  /// the code of a normal stop.
  std::uint64_t code = 0;

  /// For people: what an exception said, or how the actor library renders its error.
  std::string text;

  /// Whether something went wrong; a normal stop is no error.
  bool is_error() const { return code != 0; }
};

} // namespace backoff_actor
