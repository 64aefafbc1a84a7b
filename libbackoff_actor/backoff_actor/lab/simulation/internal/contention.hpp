#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace backoff_actor {

/// The experiment that made jitter well known: N clients each want to write the same row once,
/// under an optimistic lock.
///
/// All clients start together. A client reads the version of the row, then writes the row with that
/// version. If the version has changed meanwhile, the write is refused; the client waits for the
/// next delay of its policy and starts again. Of all writes with the same version only one
/// succeeds. So the experiment measures the work that clients lose by coming together.
///
/// Each of the four messages of an attempt takes its own random time, |N(10 ms, 2 ms)|. The service
/// itself takes no time.
///
/// @source Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015, and its program,
///         aws-samples/aws-arch-backoff-simulator, 66cb169. There the n-th delay, before jitter, is
///         min(2 s, 5 ms * 2^n): an `Exponential` that begins with 10 ms.
struct Contention {
  /// The number of clients.
  ///
  /// @range 1 to `most_clients`
  std::uint32_t clients = 100;

  /// How long a client waits before it starts again.
  Policy policy{Fixed{.delay = Duration{0}}};

  /// A longer delay is cut off to this, and the next delay follows from the shortened one. (A
  /// policy's cap differs: it lowers the delay before the jitter.) The published `decorrelated` is
  /// cut off in this way: its n-th delay is min(2 s, a draw between 5 ms and 3 times the delay
  /// before).
  Duration cut_off = max_delay;

  /// The range of `clients`.
  static constexpr std::uint32_t most_clients = 100'000;
};

/// The result of one run.
struct ContentionOutcome {
  /// The writes, refused ones included.
  std::uint64_t calls = 0;

  /// The time from the start until the last client learns that its write was accepted. Nothing if
  /// that takes longer than 12.7 days, the longest time that a simulation can last. Then `calls`
  /// counts only the calls within that time.
  std::optional<Duration> completion{};

  /// Whether two are equal.
  friend bool operator==(const ContentionOutcome&, const ContentionOutcome&) = default;
};

/// Runs the experiment once. Trials of the same seed are independent of each other. In the same
/// trial the messages take the same times with every policy.
///
/// @shape  `(contention, seed, trial) -> outcome`; pure, except that it calls `on_write` at each
///         accepted write
/// @range  `trial` below 2^32
/// @errors throws `InvalidArgument` if `clients` is out of range.
BACKOFF_ACTOR_EXPORT ContentionOutcome simulate(const Contention& contention, std::uint64_t seed,
                                                std::uint64_t trial,
                                                const std::function<void()>& on_write = {});

} // namespace backoff_actor
