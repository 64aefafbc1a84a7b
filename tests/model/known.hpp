#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/internal/hand_over_id.hpp"
#include "backoff_actor/delivery/ordering.hpp"
#include "drawn.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace backoff_actor::model_test {

// -- what a driver knows without asking the engine ---------------------------------

struct KnownChild {
  enum class State { starting, alive, leaving, abandoned, gone };

  bool is_fallback;
  State state = State::starting;
  bool is_stopped = false;
  bool is_asked_to_end = false;
  std::optional<std::uint32_t> probe{}; // that it has not answered
  std::vector<HandOverId> has{};        // what it has not answered
  std::uint16_t worker = 0;             // its number, in a pool
  std::uint16_t kind = 0;               // that of the worker

  bool is_there() const { return state == State::alive && !is_stopped; }
};

struct KnownDelivery {
  std::uint32_t slot;
  std::uint64_t key;
  Instant deadline;
  Instant not_before;
  bool is_owed = true;
  std::uint32_t in_flight_at = 0; // 0: nowhere
  std::uint32_t last_at = 0;      // 0: never handed over
  bool error_came = false;        // for the last hand-over
};

struct KnownHandOver {
  std::uint64_t delivery;
  std::uint32_t incarnation;
};

/// Whether it is the turn of the delivery with this number to be handed over. Only strict order
/// keeps the place of what was to wait for its time.
inline void check_order(Ordering ordering, const std::map<std::uint64_t, KnownDelivery>& deliveries,
                        std::uint64_t id) {
  const auto& delivery = deliveries.at(id);
  const auto was_scheduled = [ordering](const KnownDelivery& x) {
    return ordering != Ordering::strict && x.not_before > Instant{Duration::min()};
  };
  for (const auto& [other_id, other] : deliveries) {
    if (other_id == id)
      continue;
    const auto has_own_time = was_scheduled(delivery) || was_scheduled(other);
    const auto is_older = other_id < id;
    const auto is_same_key = delivery.key != 0 && other.key == delivery.key;
    switch (ordering) {
    case Ordering::strict:
      require(!is_older || !other.is_owed || other.in_flight_at != 0,
              "in strict order, all that is older is with a child already");
      break;
    case Ordering::per_key:
      require(!is_same_key || !other.is_owed
                || ((!is_older || has_own_time) && other.in_flight_at == 0),
              "of a key the oldest is with a child, and no other");
      break;
    case Ordering::unordered:
      break;
    }
    const auto waits_for_its_key = ordering == Ordering::per_key && other.key != 0;
    require(delivery.last_at != 0 || !is_older || !other.is_owed || waits_for_its_key
              || other.last_at != 0 || has_own_time,
            "what is new goes in order of submission");
  }
}

} // namespace backoff_actor::model_test
