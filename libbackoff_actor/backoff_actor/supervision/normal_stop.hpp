#pragma once

#include <cstdint>

namespace backoff_actor {

/// What becomes of a sender whose child stopped normally, with nothing waiting for it.
enum class AfterNormalStop : std::uint8_t {
  rest,    ///< the next message starts the next child, at once
  restart, ///< as after a crash: the next child starts after the backoff
  end,     ///< the sender ends too, normally, also if something waits
};

} // namespace backoff_actor
