#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/guard_options.hpp"
#include "backoff_actor/supervision/charging.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace backoff_actor {

/// What a service does with requests whose clients have left.
enum class AbandonedWork : std::uint8_t {
  kept,    ///< it works on them to the end, as the service of seed 002 does
  dropped, ///< it notices at its next look at the clock, and drops them
};

/// A service that becomes slower the more requests it works on at once.
struct ServiceOptions {
  /// With up to this many requests at once, each takes `base_delay`.
  ///
  /// @range 0 to 1,000,000,000
  std::uint32_t limit = 30;

  /// Beyond the limit, a request takes this many times longer for each further `scale` requests.
  ///
  /// @range 1 to 1000
  double factor = 1.05;

  /// See `factor`.
  ///
  /// @range above 0, at most 1e9
  double scale = 15;

  /// The shortest time that a request takes.
  ///
  /// @range 1 ns to an hour
  Duration base_delay = std::chrono::milliseconds{100};

  /// The maximum number of connections that wait for the service to accept them.
  ///
  /// @range 1 to `most_clients`
  std::uint32_t backlog = 4096;

  /// The maximum number of requests that the service works on at once; further ones wait in the
  /// backlog. Unset: no limit.
  ///
  /// @range 1 to 1,000,000,000
  std::optional<std::uint32_t> max_concurrency{};

  /// What the service does with requests whose clients have left.
  AbandonedWork abandoned_work = AbandonedWork::kept;

  /// Whether two are equal.
  friend constexpr bool operator==(const ServiceOptions&, const ServiceOptions&) = default;
};

/// Returns how long a request takes while the service works on `concurrency` requests:
/// `base_delay * factor^((concurrency - limit) / scale)` beyond the limit.
///
/// @shape  pure, total; cut off to whole nanoseconds
/// @range  `base_delay` to `Duration::max()`, which stands for longer times, too
/// @source github.com/smira/exponential-backoff, server.go, where it overflows instead.
BACKOFF_ACTOR_EXPORT Duration service_time(const ServiceOptions& service,
                                           std::uint64_t concurrency);

/// The client that was published with seed 002. It differs from the pseudocode (`Seed002`) in two
/// ways. Its first delay follows from its idle time before the call: after an idle time of 10 s the
/// delay is 27 s, not 100 ms. Its jitter has a standard deviation of 100 ms for every delay. Each
/// delay is the one before it times 2.71828, at most 5 minutes before jitter. After a negative
/// delay the client does not wait, and later delays of the series are mostly negative, too.
struct SmiraAsShipped {
  /// Always true: there is nothing to compare.
  friend constexpr bool operator==(const SmiraAsShipped&, const SmiraAsShipped&) = default;
};

/// What makes the calls of a client.
enum class OutageClient : std::uint8_t {
  retry,  ///< a loop: call, wait for as long as the policy says, call again
  sender, ///< the engine of a `BackOffSender`, whose child makes the calls
};

/// The options of an outage: the service, its clients and the times.
struct OutageOptions {
  /// The longest that any of the spans may be.
  static constexpr Duration longest = std::chrono::hours{24};

  /// The maximum number of clients.
  static constexpr std::uint32_t most_clients = std::uint32_t{1} << 20;

  /// The service that the clients call.
  ServiceOptions service{};

  /// The number of clients.
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

  /// How long the service runs before it is stopped. The second half of this time defines what is
  /// normal.
  ///
  /// @range 2 s to `longest`
  Duration warm_up = std::chrono::minutes{2};

  /// How long the service is stopped.
  ///
  /// @range 0 to `longest`
  Duration stop_for = std::chrono::seconds{20};

  /// How long the experiment goes on after the service is back, from the next whole second on.
  ///
  /// @range `shortest_watch` (1 min) to `longest`
  Duration watch = std::chrono::minutes{10};

  /// How long a client waits after a failure.
  std::variant<Policy, SmiraAsShipped> policy{};

  /// What makes its calls; a sender needs a `Policy`.
  OutageClient client = OutageClient::retry;

  /// The guard that the clients ask before each call. Empty options: no guard.
  GuardOptions guard{};

  /// How many processes the clients run in. The clients of a process share its guard, and know
  /// nothing of the guards of others. Client `c` is in process `c` modulo this number.
  ///
  /// @range 1 to `clients`
  std::uint32_t processes = 1;

  /// How many failures a sender's message may be charged with before it is given up. Its client
  /// then thinks, as after an answer. Unset: any number. Only with `OutageClient::sender`.
  ///
  /// @range 1 and above
  std::optional<std::uint32_t> max_attempts{};

  /// Which failures are charged; only with `max_attempts`.
  Charging charging{};

  /// The seed of all draws. When and how often a client thinks depends on nothing else, so runs
  /// with the same seed can be compared.
  std::uint64_t seed = 0;
};

/// Returns all that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const OutageOptions& options);

} // namespace backoff_actor
