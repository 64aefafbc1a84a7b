#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/metrics/metrics.hpp"
#include "backoff_actor/observe/metrics/observed_status.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace backoff_actor {

namespace detail {
class ObservatoryState;
}

/// What an `Observatory` takes in.
struct ObservatoryOptions {
  /// How many kinds of senders, of supervisors, of guards and of outboxes get a label of their own,
  /// see `ActorName`. Those of any further kind are counted together, as `other`, and
  /// `backoff_observer_dropped_total` counts them.
  ///
  /// @range 1..100000
  std::size_t max_kinds = 1000;
};

/// Returns all problems of the options.
BACKOFF_ACTOR_EXPORT Problems check(const ObservatoryOptions& options);

/// Sees senders, supervisors, guards and durable outboxes without asking them: each puts its
/// numbers where the observatory reads them. A reader delays nobody, and sees a sender that hangs.
///
///     Observatory observatory;
///     options.observed_by = observatory;            // of senders, supervisors and outboxes
///     guard.observed_by(observatory, "payments");   // guards have no name of their own
///     std::cout << to_exposition(observatory.metrics());
///
/// A handle: copies refer to the same observatory. What it has counted never falls: the counts of
/// an actor that has ended stay with those of its kind.
///
/// @units  every `now` is on the time line of `SteadyClock`, or in the virtual time of the actors.
/// @thread safe from any thread.
class BACKOFF_ACTOR_EXPORT Observatory {
public:
  /// Makes a new one, which sees nothing yet.
  ///
  /// @errors throws `InvalidArgument` naming the options that are wrong.
  explicit Observatory(const ObservatoryOptions& options = {});

  /// Returns all metrics, see docs/reference/metrics.md.
  /// @{
  std::vector<MetricFamily> metrics() const;
  std::vector<MetricFamily> metrics(Instant now) const;
  /// @}

  /// Returns what there is, with at most so many senders and supervisors. If there are more, the
  /// senders are those with the largest backlogs. A fifth of the places are for those of the others
  /// with the oldest messages.
  /// @{
  ObservedStatus status(std::size_t at_most) const;
  ObservedStatus status(std::size_t at_most, Instant now) const;
  /// @}

  /// Whether the process should go on. It should not if a watched scheduler has not answered for
  /// five seconds, see `SchedulerWatch`, and no observed sender has had a turn meanwhile. A failing
  /// service does not matter: a restart of its callers would not mend it.
  /// @{
  ProbeAnswer liveness() const;
  ProbeAnswer liveness(Instant now) const;
  /// @}

  /// Whether the process should get new work. It should not while a sender drains or finishes,
  /// while a durable outbox has failed to write for ten seconds, or while it is not alive. A
  /// failing service does not matter: it fails for every process that calls it.
  /// @{
  ProbeAnswer readiness() const;
  ProbeAnswer readiness(Instant now) const;
  /// @}

  /// For the library: where the numbers are.
  const std::shared_ptr<detail::ObservatoryState>& state() const { return state_; }

  /// Whether two are the same observatory.
  friend bool operator==(const Observatory&, const Observatory&) = default;

private:
  std::shared_ptr<detail::ObservatoryState> state_;
};

} // namespace backoff_actor
