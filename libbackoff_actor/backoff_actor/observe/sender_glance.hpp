#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/sender_status.hpp"

#include <array>
#include <cstdint>

namespace backoff_actor {

/// The numbers of a pool that monitoring reads.
struct PoolGlance {
  /// Workers, by their `WorkerState`.
  std::array<std::uint64_t, 5> workers{};
  std::uint64_t ready = 0; ///< as `PoolStatus::ready`

  // For how long deliveries waited for one of these alone, up to the last step.
  Duration held_back_by_guard{0};   ///< its breaker or its budget
  Duration held_back_by_rate{0};    ///< the guard's
  Duration held_back_by_service{0}; ///< it had asked to be left alone
  Duration held_back_by_workers{0}; ///< none was free

  /// Whether all numbers are the same.
  friend bool operator==(const PoolGlance&, const PoolGlance&) = default;
};

/// The numbers of a sender that monitoring reads. Unlike a `SenderStatus`, they cost no allocation.
struct SenderGlance {
  SenderCounters counters{};               ///< its counters
  std::uint64_t restarts = 0;              ///< children made after the first, fallbacks not counted
  std::uint64_t owed = 0;                  ///< deliveries in the outbox
  std::uint64_t owed_bytes = 0;            ///< their weight, if it is counted
  std::uint64_t in_flight = 0;             ///< owed deliveries that a child holds
  std::uint64_t ghosts = 0;                ///< as `SenderStatus::ghosts`
  std::uint64_t abandoned = 0;             ///< abandoned children that are still alive
  Instant oldest_since = Instant::never(); ///< since when the oldest is owed; never: nothing is
  Instant due = Instant::never();          ///< when its delay ends; never: none runs
  /// As `SenderStatus::nothing_succeeded_for`; never: 0.
  Instant failing_since = Instant::never();
  Phase phase = Phase::starting; ///< what it is doing
  bool is_paused = false;        ///< as `SenderStatus::is_paused`
  bool is_held_back = false;     ///< as `SenderStatus::is_held_back`
  bool is_on_fallback = false;   ///< as `SenderStatus::is_on_fallback`
  bool is_delayed = false;       ///< as `SenderStatus::is_delayed`
  bool is_store_behind = false;  ///< as `SenderStatus::is_store_behind`
  bool is_service_down = false;  ///< as `SenderStatus::is_service_down`

  /// Whether all numbers are the same.
  friend bool operator==(const SenderGlance&, const SenderGlance&) = default;
};

} // namespace backoff_actor
