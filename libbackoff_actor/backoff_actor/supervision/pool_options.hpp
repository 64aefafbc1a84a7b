#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace backoff_actor {

/// How many workers there are of one kind.
struct WorkerCount {
  /// How many there are at the least. With 0 there is none until the first message comes.
  ///
  /// @range 0 to `most`
  std::uint32_t least = 1;

  /// How many there are at the most.
  ///
  /// @range 1 to 1000, of all kinds together
  std::uint32_t most = 1;

  /// Whether two are the same.
  friend bool operator==(const WorkerCount&, const WorkerCount&) = default;
};

/// The workers of one kind: those that one factory makes.
struct WorkerKind {
  /// How many there are.
  WorkerCount workers{};

  /// How many deliveries one worker holds at the most. With 1, no worker idles while a delivery
  /// waits at another. A remote worker, or one that is done within some 10 us, needs as many as
  /// cover the way: 1 + 2 x round trip / time of one delivery.
  ///
  /// @range 1 to 1024
  std::uint32_t max_in_flight = 1;

  /// Whether two are the same.
  friend bool operator==(const WorkerKind&, const WorkerKind&) = default;
};

/// When a pool gets another worker, and when one leaves.
struct PoolScaling {
  /// How many deliveries may wait for each worker before the pool gets another one.
  ///
  /// @range 1 to 1,000,000
  std::uint32_t backlog_per_worker = 8;

  /// How long the backlog must be above that before a worker is added. It is also the time between
  /// two additions.
  ///
  /// @range 1ms to 24h
  Duration grow_after = std::chrono::seconds{1};

  /// If at least one worker, not always the same, was idle at every moment of this time, the
  /// youngest idle worker leaves.
  ///
  /// @range 1ms to 24h
  Duration shrink_after = std::chrono::seconds{30};

  /// Whether two are the same.
  friend bool operator==(const PoolScaling&, const PoolScaling&) = default;
};

/// Workers that share one outbox.
struct WorkerPool {
  /// The kinds; empty: one child, which is no pool.
  std::vector<WorkerKind> kinds{};

  /// How it grows and shrinks.
  PoolScaling scaling{};

  /// Whether two are the same.
  friend bool operator==(const WorkerPool&, const WorkerPool&) = default;
};

/// Returns all that is wrong with a pool.
BACKOFF_ACTOR_EXPORT Problems check(const WorkerPool& pool);

} // namespace backoff_actor
