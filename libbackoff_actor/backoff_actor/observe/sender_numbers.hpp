#pragma once

// The numbers of a sender. A counter is a member of `SenderCounters` and a row of
// `detail::sender_counters`; the other sorts are as short. From the rows come the cells of an
// observatory, the messages of CAF, `/metrics`, `/status`, `backoffctl top` and the comparison in
// the model tests.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <array>
#include <cstdint>
#include <string_view>

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
  std::uint64_t cancelled = 0; ///< deliveries that were cancelled, and became no dead letters

  /// Whether all counts are the same.
  friend bool operator==(const SenderCounters&, const SenderCounters&) = default;
};

/// The numbers of a sender at one moment that are neither moments nor spans.
struct SenderNumbers {
  SenderCounters counters{};    ///< its counters
  std::uint64_t restarts = 0;   ///< children made after the first, fallbacks not counted
  std::uint64_t owed = 0;       ///< deliveries in the outbox
  std::uint64_t owed_bytes = 0; ///< the weight of the owed deliveries, if it is counted
  std::uint64_t in_flight = 0;  ///< owed deliveries that a child holds
  std::uint64_t scheduled = 0;  ///< owed deliveries whose time has not come, see `Submit::delay`
  std::uint64_t with_note = 0;  ///< owed deliveries that have a note, see `Working::note`
  /// Deliveries that are no longer owed but still with the child: they expired there, or an earlier
  /// child has done them. They take room until the child answers.
  std::uint64_t ghosts = 0;
  std::uint64_t abandoned = 0;  ///< abandoned children that are still alive
  /// Entries of its calendar, see `Repeat`. An engine does not know it, and says 0.
  std::uint64_t calendar_entries = 0;
  bool is_paused = false;       ///< nothing is handed over until it is told to resume
  bool is_held_back = false;    ///< the guard of the service lets nothing through
  bool is_on_fallback = false;  ///< the fallback works, and the child is probed
  bool is_delayed = false;      ///< a delay runs, or the guard will be asked again
  bool is_store_behind = false; ///< nothing is handed over until the store has caught up
  bool is_service_down = false; ///< by evidence, see `Charging`: no attempt is charged

  /// Whether all numbers are the same.
  friend bool operator==(const SenderNumbers&, const SenderNumbers&) = default;
};

/// The numbers of a sender that monitoring reads. Unlike a `SenderStatus`, they cost no allocation,
/// and they do not depend on when they are read: who reads them makes ages of the moments.
struct SenderGlance : SenderNumbers {
  Phase phase = Phase::starting;           ///< what it is doing
  Instant oldest_since = Instant::never(); ///< since when the oldest is owed; never: nothing is
  /// When it had its last turn; never: it owes nothing that is due. An engine does not know it, and
  /// says never.
  Instant silent_since = Instant::never();
  /// The first failure after the last success; never: there is none.
  Instant failing_since = Instant::never();
  Instant due = Instant::never(); ///< when its delay ends; never: none runs
  /// When the next entry of its calendar is due; never: none is. An engine says never.
  Instant calendar_due = Instant::never();

  /// Whether all numbers are the same.
  friend bool operator==(const SenderGlance&, const SenderGlance&) = default;
};

/// The numbers of a pool that monitoring reads.
struct PoolGlance {
  /// Workers, by their `WorkerState`.
  std::array<std::uint64_t, 5> workers{};
  std::uint64_t ready = 0; ///< as `PoolStatus::ready`

  // For how long deliveries waited for one of these alone, up to the last step.
  Duration held_back_by_guard{0};   ///< its breaker or its budget
  Duration held_back_by_rate{0};    ///< the guard's
  Duration held_back_by_service{0}; ///< it had asked to be left alone
  Duration held_back_by_workers{0}; ///< none was free

  /// Whether all numbers are the same.
  friend bool operator==(const PoolGlance&, const PoolGlance&) = default;
};

namespace detail {

// What a counter is split by in `/metrics`; then the parts are counted apart.
enum class SplitBy : std::uint8_t { nothing, refusal, dead_letter_reason };

// A number of a sender: a member of `Struct`, its key in `/status` and in messages, and its name in
// `/metrics` behind `backoff_`. There it is summed up over the senders of a kind. Of flags it is
// how many are set, of moments the longest span. The live page has names of its own
// (web/live_frames.cpp).
template <class Struct, class Value = std::uint64_t>
struct NumberOf {
  Value Struct::*member;
  const char* key;
  const char* metric = nullptr; // null: `/metrics` does not show it
  const char* help = "";
  SplitBy split_by = SplitBy::nothing;
};

// What never falls.
inline constexpr auto sender_counters = std::to_array<NumberOf<SenderCounters>>({
  {&SenderCounters::accepted, "accepted", "sender_accepted_total",
   "Messages that became deliveries."},
  {&SenderCounters::refused, "refused", "sender_refused_total", "Messages that were not accepted.",
   SplitBy::refusal},
  {&SenderCounters::acknowledged, "acknowledged", "sender_acknowledged_total",
   "Deliveries that were acknowledged."},
  {&SenderCounters::dead_lettered, "dead_lettered", "sender_dead_letters_total",
   "Deliveries that became dead letters.", SplitBy::dead_letter_reason},
  {&SenderCounters::hand_overs, "hand_overs", "sender_hand_overs_total",
   "Hand-overs of deliveries to children."},
  {&SenderCounters::resends, "resends", "sender_redeliveries_total",
   "Hand-overs of deliveries that were handed over before."},
  {&SenderCounters::nacks, "nacks", "sender_nacks_total", "Refusals that are retried."},
  {&SenderCounters::crashes, "crashes", "child_crashes_total",
   "Children that went down without having been told to."},
  {&SenderCounters::failed_starts, "failed_starts", "child_failed_starts_total",
   "Children that could not be made."},
  {&SenderCounters::hangs, "hangs", "child_hangs_total",
   "Children that were told to end after an ack timeout."},
  {&SenderCounters::restored, "restored", "sender_restored_total",
   "Deliveries that an earlier sender had left in the store."},
  {&SenderCounters::suspended, "suspended", "sender_suspended_total",
   "Deliveries left in the store, for a later sender."},
  {&SenderCounters::late_answers, "late_answers", "sender_late_answers_total",
   "Answers about deliveries that the child no longer had."},
  {&SenderCounters::cancelled, "cancelled", "sender_cancelled_total",
   "Deliveries that were cancelled, and became no dead letters."},
});
static_assert(sizeof(SenderCounters) == sender_counters.size() * sizeof(std::uint64_t));

// It never falls either, but is no member of `SenderCounters`.
inline constexpr NumberOf<SenderNumbers> sender_restarts{
  &SenderNumbers::restarts, "restarts", "child_restarts_total",
  "Children made after the first, fallbacks not counted."};

// What rises and falls.
inline constexpr auto sender_gauges = std::to_array<NumberOf<SenderNumbers>>({
  {&SenderNumbers::owed, "owed", "sender_owed", "Deliveries that are owed."},
  {&SenderNumbers::owed_bytes, "owed_bytes", "sender_owed_bytes",
   "Bytes of the owed deliveries, where they are counted."},
  {&SenderNumbers::in_flight, "in_flight", "sender_in_flight",
   "Owed deliveries that a child holds."},
  {&SenderNumbers::scheduled, "scheduled", "sender_scheduled",
   "Owed deliveries whose time has not come."},
  {&SenderNumbers::with_note, "with_note", "sender_with_note",
   "Owed deliveries that have a note of their child."},
  {&SenderNumbers::ghosts, "ghosts", "sender_ghosts",
   "Deliveries that are no longer owed, but that a child still holds."},
  {&SenderNumbers::abandoned, "abandoned", "children_abandoned",
   "Children that did not end in time, and still live."},
  {&SenderNumbers::calendar_entries, "calendar_entries", "sender_calendar_entries",
   "Entries of the calendars of senders."},
});

// What is so, or is not.
inline constexpr auto sender_flags = std::to_array<NumberOf<SenderNumbers, bool>>({
  {&SenderNumbers::is_paused, "is_paused", "sender_paused", "Senders that are paused."},
  {&SenderNumbers::is_held_back, "is_held_back", "sender_held_back",
   "Senders whose guard lets nothing through."},
  {&SenderNumbers::is_on_fallback, "is_on_fallback", "sender_on_fallback",
   "Senders whose fallback works."},
  {&SenderNumbers::is_delayed, "is_delayed", "sender_delayed",
   "Senders that wait before they retry."},
  {&SenderNumbers::is_store_behind, "is_store_behind"},
  {&SenderNumbers::is_service_down, "is_service_down", "sender_service_down",
   "Senders whose service is down by all evidence: they charge no attempt."},
});

// Moments that are over. They are shown as the seconds since then.
inline constexpr auto sender_moments = std::to_array<NumberOf<SenderGlance, Instant>>({
  {&SenderGlance::oldest_since, "oldest_age_seconds", "sender_oldest_owed_seconds",
   "How long the oldest owed delivery of any sender has been owed."},
  {&SenderGlance::silent_since, "silent_for_seconds", "sender_silent_seconds",
   "The longest time since the last turn of a sender that owes deliveries."},
  {&SenderGlance::failing_since, "nothing_succeeded_for_seconds"},
});

// Moments to come. They are shown as the seconds until then.
inline constexpr auto sender_dues = std::to_array<NumberOf<SenderGlance, Instant>>({
  {&SenderGlance::due, "due_in_seconds"},
  {&SenderGlance::calendar_due, "calendar_due_in_seconds"},
});

// For how long deliveries of a pool waited for one thing alone. The keys are the values of the
// label `by` of `backoff_pool_held_back_seconds_total`.
inline constexpr auto pool_held_back = std::to_array<NumberOf<PoolGlance, Duration>>({
  {&PoolGlance::held_back_by_guard, "guard"},
  {&PoolGlance::held_back_by_rate, "rate"},
  {&PoolGlance::held_back_by_service, "service"},
  {&PoolGlance::held_back_by_workers, "workers"},
});

} // namespace detail

} // namespace backoff_actor
