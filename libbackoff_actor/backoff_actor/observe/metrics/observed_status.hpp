#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/incoming.hpp"
#include "backoff_actor/guard/guard_status.hpp"
#include "backoff_actor/observe/actor_name.hpp"
#include "backoff_actor/observe/sender_numbers.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor {

/// A sender, as an `Observatory` sees it.
struct ObservedSender {
  ActorName name{};                    ///< which one
  SenderGlance glance{};               ///< its numbers after its last turn
  bool has_pool = false;               ///< several workers share its outbox
  PoolGlance pool{};                   ///< their numbers
  std::string last_cause{};            ///< the beginning of why it last failed; empty: it has not
  Instant cause_at = Instant::never(); ///< when that was; never: there was no failure
  ActorName supervisor{};              ///< whose child it is; empty: of none that is observed
  /// Its dead letters that are there now: in its durable outbox; without one in memory, for
  /// operators.
  DeadLetterTally dead_letters{};
  bool has_outbox = false; ///< the dead letters are in a durable outbox
};

/// A supervisor, as an `Observatory` sees it.
struct ObservedSupervisor {
  ActorName name{};              ///< which one
  std::uint64_t running = 0;     ///< children that are up
  std::uint64_t starting = 0;    ///< children that are made or being made, and not up yet
  std::uint64_t waiting = 0;     ///< children to be started
  std::uint64_t ending = 0;      ///< children that are told to end
  std::uint64_t stopped = 0;     ///< children that are down, with nothing scheduled
  std::uint64_t restarts = 0;    ///< times that any child came up again
  std::uint64_t escalations = 0; ///< failures for which it ended
  ActorName supervisor{};        ///< whose child it is; empty: of none that is observed
};

/// A guard, as an `Observatory` sees it.
struct ObservedGuard {
  std::string name{};                          ///< as it was given
  bool has_breaker = false;                    ///< there is a circuit breaker
  BreakerState breaker = BreakerState::closed; ///< what it does with calls
  bool has_budget = false;                     ///< there is a retry budget
  double retries_left = 0;                     ///< the retries that the budget holds
  bool has_rate = false;                       ///< there is a rate
  std::uint64_t calls_left = 0; ///< the calls that the rate allowed at once after the last one
  Duration breaker_for{0}; ///< since its breaker is in this state, or since the guard is observed
  Duration probe_in{0};    ///< until an open breaker lets the next probe through; 0: at once
};

/// A durable outbox, as an `Observatory` sees it.
struct ObservedOutbox {
  std::string name{};                ///< as it was given
  std::uint64_t commits = 0;         ///< that succeeded
  std::uint64_t failures = 0;        ///< commits that failed
  std::uint64_t waiting_changes = 0; ///< changes that are not written yet
  bool is_failing = false;           ///< the last commit failed
  Duration failing_for{0};           ///< since the first failure in a row; 0 if it is not failing
  DeadLetterTally dead_letters{};    ///< that are there now
};

/// An outbox that several processes want, as an `Observatory` of one of them sees it.
struct ObservedOwnership {
  std::string name{};          ///< of the outbox, as it was given
  std::uint64_t epoch = 0;     ///< of its ownership; 0: it stands by
  Duration sure_for{0};        ///< how long it is sure to be the owner; 0 if it is not
  std::uint64_t takeovers = 0; ///< times that it became the owner

  /// What its calendar says at `ObservedStatus::at`; none: it has none, or this process stands by.
  std::optional<CalendarOutlook> calendar{};
};

/// What an `Observatory` sees at one moment. Its parts may be some microseconds apart. All moments
/// are on the time line of `at`.
struct ObservedStatus {
  std::vector<ObservedSender> senders{};         ///< those with the largest backlogs first
  std::size_t senders_left_out = 0;              ///< that were beyond the number asked for
  std::vector<ObservedSupervisor> supervisors{}; ///< by name and number
  std::size_t supervisors_left_out = 0;          ///< that were beyond the number asked for
  std::vector<ObservedGuard> guards{};           ///< by name
  std::vector<ObservedOutbox> outboxes{};        ///< by name
  std::vector<ObservedOwnership> ownerships{};   ///< by name
  Instant at{};                                  ///< when it was seen
};

/// Renders a status as an object of JSON, with the names of the members as keys; names are texts
/// such as `billing#17`, enumerators are their names, and spans are seconds under `..._seconds`. A
/// moment is the span from it to `ObservedStatus::at`, or until it.
/// The text is UTF-8: bytes that are not UTF-8 become U+FFFD.
BACKOFF_ACTOR_EXPORT std::string to_json(const ObservedStatus& status);

/// What a probe of Kubernetes is told.
struct ProbeAnswer {
  bool is_ok = true;  ///< whether the probe succeeds
  std::string text{}; ///< why: one line for each part that is not well, or `ok`
};

} // namespace backoff_actor
