#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace backoff_actor {

/// N clients that each want to write the same row once, under an optimistic lock: the experiment by which
/// the jitters became known.
///
/// All start together. A client reads the version of the row, then writes the row with that version; a
/// write is refused if the version has changed meanwhile, and then the client waits for the next delay of
/// its policy and starts again. Of all that are on their way with the same version one gets through, so
/// what those lose who come together is what is measured.
///
/// Each of the four messages of an attempt is on its way for a time of its own, |N(10 ms, 2 ms)|. The
/// service itself takes no time.
///
/// @source Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015, and its program,
///         aws-samples/aws-arch-backoff-simulator, 66cb169. There the n-th delay, before jitter, is
///         min(2 s, 5 ms * 2^n): an `Exponential` that begins with 10 ms.
struct Contention {
  /// How many clients there are.
  ///
  /// @range 1 to `most_clients`
  std::uint32_t clients = 100;

  /// How long each waits before it starts again.
  Policy policy{Fixed{.delay = Duration{0}}};

  /// What a longer delay is cut off to; the next delay goes on from there. Unlike the cap of a policy,
  /// which leaves room for jitter below it, this is how the published `decorrelated` ends: its n-th delay
  /// is min(2 s, a draw between 5 ms and 3 times the delay before).
  Duration cut_off = max_delay;

  /// The range of `clients`.
  static constexpr std::uint32_t most_clients = 100'000;
};

/// What one run comes to.
struct ContentionOutcome {
  /// The writes, refused ones included.
  std::uint64_t calls = 0;

  /// From the start until the last client hears that its write was taken. Nothing if that is not so after
  /// the 12.7 days that a simulation can last; then `calls` are those up to there.
  std::optional<Duration> completion{};

  /// Whether two are alike in everything.
  friend bool operator==(const ContentionOutcome&, const ContentionOutcome&) = default;
};

/// Runs it once. Trials of the same seed are independent of each other; in the same trial the messages
/// take the same times, whatever the policy.
///
/// @shape  `(contention, seed, trial) -> outcome`; pure, but that `on_write` is called at each write that
///         is taken
/// @range  `trial` below 2^32
/// @errors throws `InvalidArgument` if `clients` is out of range.
BACKOFF_ACTOR_EXPORT ContentionOutcome simulate(const Contention& contention, std::uint64_t seed,
                                                std::uint64_t trial,
                                                const std::function<void()>& on_write = {});

} // namespace backoff_actor
