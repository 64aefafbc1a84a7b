#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/hand_over_id.hpp"
#include "drawn.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace backoff_actor::model_test {

// -- what a driver knows without asking the engine ---------------------------------

struct KnownChild {
  enum class State { starting, alive, leaving, abandoned, gone };

  bool is_fallback;
  State state = State::starting;
  bool is_stopped = false;
  std::optional<std::uint32_t> probe{}; // that it has not answered
  std::vector<HandOverId> has{};        // what it has not answered

  bool is_there() const { return state == State::alive && !is_stopped; }
};

struct KnownDelivery {
  std::uint32_t slot;
  std::uint64_t key;
  Instant deadline;
  bool is_stored;
  bool is_owed = true;
  std::uint32_t in_flight_at = 0; // 0: nowhere
  std::uint32_t last_at = 0;      // 0: never handed over
  bool error_came = false;        // for the last hand-over
};

struct KnownHandOver {
  std::uint64_t delivery;
  std::uint32_t incarnation;
};

} // namespace backoff_actor::model_test
