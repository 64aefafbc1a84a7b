#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/guard.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace backoff_actor {

/// What a service does with requests whose clients have left.
enum class AbandonedWork : std::uint8_t {
  kept,    ///< it goes on with them to the end, as the seed's does
  dropped, ///< it notices at its next look at the clock, and drops them
};

/// A service that grows slower the more it has to do at once.
struct ServiceOptions {
  /// Up to so many requests at once, each takes `base_delay`.
  std::uint32_t limit = 30;

  /// Beyond it, a request takes this many times longer for each further `scale` of them.
  ///
  /// @range 1 to 1000
  double factor = 1.05;

  /// See `factor`.
  ///
  /// @range above 0, at most 1e9
  double scale = 15;

  /// How long a request takes at least.
  ///
  /// @range 1 ns to an hour
  Duration base_delay = std::chrono::milliseconds{100};

  /// How many connections wait at the most until the service accepts them.
  ///
  /// @range 1 to `most_clients`
  std::uint32_t backlog = 4096;

  /// How many requests are worked on at once at the most; the others wait in the backlog. Unset:
  /// without limit.
  ///
  /// @range 1 and above
  std::optional<std::uint32_t> max_concurrency{};

  /// What becomes of requests whose clients have left.
  AbandonedWork abandoned_work = AbandonedWork::kept;

  /// Whether two are alike in everything.
  friend constexpr bool operator==(const ServiceOptions&, const ServiceOptions&) = default;
};

/// Returns how long a request takes while the service works on so many:
/// `base_delay * factor^((concurrency - limit) / scale)` beyond the limit.
///
/// @shape  pure, total; cut off to whole nanoseconds
/// @range  `base_delay` and above; what nanoseconds of 64 bits cannot hold is the longest that they can
/// @source github.com/smira/exponential-backoff, server.go, where it overflows instead.
BACKOFF_ACTOR_EXPORT Duration service_time(const ServiceOptions& service,
                                           std::uint64_t concurrency);

/// The client that was published with seed 002, which differs from its pseudocode (`Seed002`) in two
/// things. Its first delay goes on from the time for which it was idle before the call: after a mean
/// of 10 s this is 27 s, not 100 ms. And its jitter has a standard deviation of 100 ms, whatever the
/// delay. From each delay follows the next, times 2.71828, at most 5 minutes before jitter; a negative
/// one is no wait, and those that follow from it are negative, too.
struct SmiraAsShipped {
  /// Whether two are alike, which they always are.
  friend constexpr bool operator==(const SmiraAsShipped&, const SmiraAsShipped&) = default;
};

/// By what a client's calls are made.
enum class OutageClient : std::uint8_t {
  retry,  ///< a loop: call, wait for as long as the policy says, call again
  sender, ///< the engine of a `BackOffSender`, whose child makes the calls
};

/// An outage and everybody in it.
struct OutageOptions {
  /// The longest that any of the spans may be.
  static constexpr Duration longest = std::chrono::hours{24};

  /// How many clients there are at the most.
  static constexpr std::uint32_t most_clients = std::uint32_t{1} << 20;

  /// What they call.
  ServiceOptions service{};

  /// How many there are.
  ///
  /// @range 1 to `most_clients`
  std::uint32_t clients = 1000;

  /// How long a client is idle after an answer, on average; exponentially distributed.
  ///
  /// @range 1 us to `longest`
  Duration mean_think = std::chrono::seconds{10};

  /// How long a client waits for an answer.
  ///
  /// @range 1 us to `longest`
  Duration timeout = std::chrono::seconds{2};

  /// How long all goes well before the service is stopped. Its second half tells what is normal.
  ///
  /// @range 2 s to `longest`
  Duration warm_up = std::chrono::minutes{2};

  /// How long the service is stopped.
  ///
  /// @range 0 to `longest`
  Duration stop_for = std::chrono::seconds{20};

  /// How long is watched what happens when it goes on, from the next whole second on.
  ///
  /// @range `shortest_watch` (1 min) to `longest`
  Duration watch = std::chrono::minutes{10};

  /// How long a client waits after a failure.
  std::variant<Policy, SmiraAsShipped> policy{};

  /// What makes its calls; a sender goes by a `Policy`.
  OutageClient client = OutageClient::retry;

  /// What all clients share and ask before each call; with nothing in it: nothing.
  GuardOptions guard{};

  /// Of all that is drawn. When and how often a client thinks depends on nothing else, so that runs
  /// with the same seed can be compared.
  std::uint64_t seed = 0;
};

/// Returns all that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const OutageOptions& options);

} // namespace backoff_actor
