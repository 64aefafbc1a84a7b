#pragma once

// Inside of the engine; not for its users. What the engine keeps of a child.

#include "backoff_actor/delivery/delivery_slots.hpp"
#include "backoff_actor/engine/sender/sender_engine.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace backoff_actor {

// One child, its delay, and what it holds.
struct SenderEngine::Lane {
  enum class Child : std::uint8_t {
    none,
    starting,
    alive,
    leaving, // told to end
  };

  // An error answer; it is not yet known whether the child survived it.
  struct Held {
    DeliverySlots::Slot slot;
    bool is_bounce;
    bool is_service_failure;
    Decision decision;
    Cause cause;
  };

  Lane(const EngineOptions& options, std::uint64_t stream_of_draws)
    : backoff(options.backoff.state()), stream(stream_of_draws), window(options.max_in_flight),
      full_window(options.max_in_flight) {}

  // Whether the child has been there without a delay for so long that earlier failures no longer
  // count.
  bool is_well(Instant now, Duration healthy_after) const {
    return (is_failing || backoff.is_started()) && child == Child::alive && !delay_runs
           && now - std::max(last_progress, due) >= healthy_after;
  }

  BackOffState backoff;
  std::uint64_t stream;            // of the draws
  Instant due{};                   // end of the running delay, or of the last
  Instant first_failure{};         // of those in a row, if it is failing
  Instant last_progress{};         // when this incarnation last said anything
  Instant end_of_grace{};          // of a leaving child
  DeliverySlots::List in_flight{}; // in the order in which their clocks were started
  std::vector<Held> held{};        // in the order in which the answers came
  std::size_t asked = 0;           // how many of them, from the front, had come when
                                   // the probe was sent
  std::uint32_t probe = 0;         // the last sent; counts modulo 2^31, like tags
  std::uint32_t incarnation = 0;
  std::uint32_t epoch = 0;
  std::uint32_t window;
  std::uint32_t full_window;
  Child child = Child::none;
  bool probe_is_out = false;
  bool was_handed_something = false; // this incarnation
  bool is_done = false;              // it stopped normally, with nothing owed
  bool is_overdue = false;           // it is leaving, and its grace has passed
  bool delay_runs = false;
  bool is_failing = false; // it failed since the last reset of the backoff
};

} // namespace backoff_actor
