#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/admission.hpp"
#include "backoff_actor/observe/actor_name.hpp"
#include "backoff_actor/observe/sender_numbers.hpp"
#include "backoff_actor/supervision/pool_options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor {

/// What a worker of a pool is doing.
enum class WorkerState : std::uint8_t {
  starting, ///< it is being made, or will be as soon as the guard lets a call through
  serving,  ///< it is alive and takes deliveries
  waiting,  ///< its delay runs after a failure
  leaving,  ///< it finishes what it holds and leaves the pool, or was told to end after a hang
  resting,  ///< it stopped normally, and is made again when something is owed
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(WorkerState state);

/// The status of a worker of a pool at one moment.
///
/// @units nanoseconds in durations
struct WorkerStatus {
  std::uint32_t number = 0;                  ///< from 1; another worker may get it later
  std::uint32_t kind = 0;                    ///< the index of its kind
  WorkerState state = WorkerState::starting; ///< what it is doing
  std::uint32_t incarnation = 0;             ///< of its present or last child; 0: none yet
  std::uint32_t holds = 0;                   ///< deliveries, ghosts included
  std::uint32_t may_hold = 0;                ///< after a failure fewer than its kind allows
  Duration due_in{0};                        ///< the rest of its delay
  std::uint32_t retries = 0;                 ///< failures in a row

  /// Whether all parts are the same.
  friend bool operator==(const WorkerStatus&, const WorkerStatus&) = default;
};

/// The status of a pool's kind of workers at one moment.
///
/// @units nanoseconds in durations
struct KindStatus {
  WorkerCount workers{};           ///< how many there may be
  Duration held_by_service_for{0}; ///< how long its service asked to be left alone; 0: it did not

  /// Whether all parts are the same.
  friend bool operator==(const KindStatus&, const KindStatus&) = default;
};

/// The status of a pool at one moment.
struct PoolStatus {
  std::vector<WorkerStatus> workers{}; ///< in order of their numbers; empty: there is no pool
  std::vector<KindStatus> kinds{};     ///< in order of their indices
  std::uint64_t ready = 0;             ///< deliveries that wait for nothing but a worker

  /// Whether all parts are the same.
  friend bool operator==(const PoolStatus&, const PoolStatus&) = default;
};

/// The status of a sender at one moment.
///
/// @units nanoseconds in durations
struct SenderStatus : SenderNumbers {
  ActorName name{};                         ///< the sender; an engine does not know it
  Phase phase = Phase::starting;            ///< what it is doing
  std::optional<HeldBackBy> held_back_by{}; ///< why, if it is held back
  std::uint32_t incarnation = 0; ///< of the child now or last alive; counts fallbacks too
  Duration due_in{0};            ///< the rest of the delay that runs, see `is_delayed`
  /// Failures in a row; the backoff's state. This and the three below: in a pool, of worker 1.
  std::uint32_t retries = 0;
  std::uint64_t total_retries = 0;   ///< retries that used a draw so far, modulo 2^32
  std::uint64_t resets = 0;          ///< of the backoff
  Duration last_delay{0};            ///< the backoff's delay after the last failure in a row
  std::uint64_t unstored = 0;        ///< owed deliveries that the store has not taken yet
  Duration oldest_age{0};            ///< how long the oldest has been owed; 0 if nothing is
  Duration nothing_succeeded_for{0}; ///< since the first failure after the last success; 0: none
  std::uint32_t unanswered_failures = 0; ///< since the last success, as far as they are evidence
  PoolStatus pool{};                     ///< its workers, if they share the outbox
  /// The last eight notices of the store, as in the events `StoreNotice`.
  std::vector<std::string> store_notices{};

  /// Whether all parts are the same.
  friend bool operator==(const SenderStatus&, const SenderStatus&) = default;
};

/// Renders a status in one line, behind the name of the sender if it has one:
///
///     billing#17: waiting, 12 owed (0 in flight, oldest 1.5s), child 4, retry in 70ms, 3 failures
///     in a row
BACKOFF_ACTOR_EXPORT std::string to_string(const SenderStatus& status);

} // namespace backoff_actor
