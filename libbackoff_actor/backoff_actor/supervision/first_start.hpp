#pragma once

#include <cstdint>

namespace backoff_actor {

/// When the first child is made.
enum class FirstStart : std::uint8_t {
  at_once,      ///< with the sender
  on_first_use, ///< when there is something to hand over: most of many may never be used
};

} // namespace backoff_actor
