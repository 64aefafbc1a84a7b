#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/guard_options.hpp"
#include "backoff_actor/supervision/charging.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace backoff_actor {

/// A sender with messages in its outbox, and a service that is down at first and then well.
struct DeadLettersOptions {
  /// The longest that the service may be down, and that any other span may be.
  static constexpr Duration longest = std::chrono::hours{24 * 30};

  /// How many messages there may be.
  static constexpr std::uint32_t most_messages = 100'000;

  /// How many workers there may be.
  static constexpr std::uint32_t most_workers = 64;

  /// How many messages the sender gets.
  ///
  /// @range 1 to `most_messages`
  std::uint32_t messages = 500;

  /// How many of them fail whenever they are tried. They are spread evenly among the others.
  ///
  /// @range 0 to `messages`
  std::uint32_t poison = 0;

  /// The time between two messages; 0: all are there at the beginning.
  ///
  /// @range 0 to 24 h
  Duration every{0};

  /// How long a call takes, whether it succeeds or fails.
  ///
  /// @range 10 ms to 24 h
  Duration takes = std::chrono::milliseconds{100};

  /// How long the service is down, from the beginning.
  ///
  /// @range 0 to `longest`
  Duration down_for = std::chrono::hours{1};

  /// How long to watch after the service is back.
  ///
  /// @range 1 s to `longest`
  Duration watch = std::chrono::hours{24};

  /// What a service that is down asks for, as HTTP 503 does with `Retry-After`: the worker refuses
  /// the message with `retry_after`, and says nothing of whose fault it is. Unset: the worker
  /// crashes.
  ///
  /// @range 0 to 24 h
  std::optional<Duration> retry_after{};

  /// How many workers there are. One takes the messages in strict order, several without order.
  ///
  /// @range 1 to `most_workers`
  std::uint32_t workers = 1;

  /// How the sender waits after a failure.
  Policy policy = Exponential{.first = std::chrono::milliseconds{100},
                              .factor = 2,
                              .cap = std::chrono::seconds{30}}
                  | full_jitter;

  /// The guard of the service. Empty options: no guard.
  GuardOptions guard{};

  /// How many failures a message may be charged with; unset: any number.
  ///
  /// @range 1 and above
  std::optional<std::uint32_t> max_attempts = 8;

  /// Which failures are charged.
  Charging charging{};

  /// The seed of the draws of delays.
  std::uint64_t seed = 0;
};

/// Returns all that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const DeadLettersOptions& options);

/// What became of the messages.
struct DeadLettersResult {
  std::uint32_t healthy_dead = 0; ///< dead letters that a service in good health would have done
  std::uint32_t poison_dead = 0;  ///< dead letters that nobody could have done
  std::uint32_t done = 0;         ///< messages that were acknowledged
  std::uint32_t left = 0;         ///< messages that are still owed at the end
  std::uint64_t calls_while_down = 0; ///< calls that began while the service was down

  /// How long after the service was back the last message was done. Unset: none was done then.
  std::optional<Duration> last_done{};

  /// Whether two are equal.
  friend bool operator==(const DeadLettersResult&, const DeadLettersResult&) = default;
};

/// Called as the virtual time goes on, with the time since the beginning.
using DeadLettersProgress = std::function<void(Duration now)>;

/// Runs the engine of a `BackOffSender` in virtual time, until nothing is owed or the watch is
/// over.
///
/// @shape  `(options, progress) -> DeadLettersResult`; the same options give the same result
/// @errors throws `InvalidArgument` naming every option that `check` finds wrong.
BACKOFF_ACTOR_EXPORT DeadLettersResult
simulate_dead_letters(const DeadLettersOptions& options, const DeadLettersProgress& progress = {});

} // namespace backoff_actor
