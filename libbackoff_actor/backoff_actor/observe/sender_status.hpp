#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/admission.hpp"
#include "backoff_actor/observe/actor_name.hpp"
#include "backoff_actor/supervision/pool_options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor {

/// What a sender is doing.
enum class Phase : std::uint8_t {
  starting, ///< no child yet, or one is being made or ending, and no delay runs
  running,  ///< a child is there and no delay runs
  waiting,  ///< a delay runs
  draining, ///< nothing new is accepted; owed deliveries go on as in any other phase
  /// It will end: nothing new is accepted or handed over, and the children finish what they have.
  finishing,
  stopping, ///< nothing new is accepted or handed over; the children are told to end
  stopped,  ///< ended for good
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(Phase phase);

/// What a sender has counted since it was made.
struct SenderCounters {
  /// Accepted deliveries. With a durable outbox, a delivery counts once it is stored or has ended.
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;       ///< messages that were not accepted
  std::uint64_t acknowledged = 0;  ///< deliveries that were acknowledged
  std::uint64_t dead_lettered = 0; ///< deliveries that became dead letters
  std::uint64_t hand_overs = 0;    ///< of deliveries to children
  std::uint64_t resends = 0;       ///< hand-overs of deliveries that were handed over before
  std::uint64_t nacks = 0;         ///< refusals that are retried
  std::uint64_t crashes = 0;       ///< children that went down without having been told to
  std::uint64_t failed_starts = 0; ///< children that could not be made
  std::uint64_t hangs = 0;         ///< children that were told to end after an ack timeout
  std::uint64_t restored = 0;      ///< deliveries that an earlier sender had left in the store
  std::uint64_t suspended = 0;     ///< deliveries left in the store, for a later sender
  /// Answers that came too late: the sender had taken the delivery back from that child, or the
  /// delivery was over. Most come from a former child, such as one that was frozen. Then two
  /// children may have worked on the same message. Error answers do not count, because CAF makes
  /// them, too, for an actor that is gone.
  std::uint64_t late_answers = 0;

  /// Whether all counts are the same.
  friend bool operator==(const SenderCounters&, const SenderCounters&) = default;
};

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
struct SenderStatus {
  ActorName name{};                         ///< the sender; an engine does not know it
  Phase phase = Phase::starting;            ///< what it is doing
  bool is_paused = false;                   ///< nothing is handed over until it is told to resume
  bool is_held_back = false;                ///< the guard of the service lets nothing through
  std::optional<HeldBackBy> held_back_by{}; ///< why, if it is held back
  bool is_store_behind = false;  ///< nothing is handed over until the store has caught up
  bool is_on_fallback = false;   ///< the fallback works, and the child is probed
  std::uint32_t incarnation = 0; ///< of the child now or last alive; counts fallbacks too
  std::uint64_t restarts = 0;    ///< children made after the first, fallbacks not counted
  std::uint32_t abandoned = 0;   ///< abandoned children that are still alive
  bool is_delayed = false;       ///< a delay runs, or the guard will be asked again
  Duration due_in{0};            ///< the rest of that delay
  /// Failures in a row; the backoff's state. This and the three below: in a pool, of worker 1.
  std::uint32_t retries = 0;
  std::uint64_t total_retries = 0; ///< retries that used a draw so far, modulo 2^32
  std::uint64_t resets = 0;        ///< of the backoff
  Duration last_delay{0};          ///< the backoff's delay after the last failure in a row
  std::uint64_t owed = 0;          ///< deliveries in the outbox
  std::uint64_t unstored = 0;      ///< owed deliveries that the store has not taken yet
  std::uint64_t owed_bytes = 0;    ///< the weight of the owed deliveries, if it is counted
  std::uint64_t in_flight = 0;     ///< owed deliveries that a child holds
  /// Deliveries that are no longer owed but still with the child: they expired there, or an earlier
  /// child has done them. They take room until the child answers.
  std::uint64_t ghosts = 0;
  Duration oldest_age{0};            ///< how long the oldest has been owed; 0 if nothing is
  bool is_service_down = false;      ///< by evidence, see `Charging`: no attempt is charged
  Duration nothing_succeeded_for{0}; ///< since the first failure after the last success; 0: none
  std::uint32_t unanswered_failures = 0; ///< since the last success, as far as they are evidence
  SenderCounters counters{};             ///< its counters
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
