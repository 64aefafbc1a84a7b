#pragma once

// Design notes
//
// The engine decides what an outbox asks of its store, and when. It is plain data, as the sender's
// engine is. At most one call of the store is under way:
//
//     resting --Put--> awake --Go--> calling --Done, Failed--> awake --Go, nothing waits--> resting
//                        ^                                       |
//                        +--Put, Wake-- asleep <------Go---------+
//
// It is asleep for one of these reasons:
//   lingers  a batch may grow for `max_wait`;
//   gathers  only contexts wait that nobody awaits, for a commit that is made anyway;
//   retries  a commit has failed, and the delay before the next attempt runs. A new insertion ends
//            it, because its client is to know, unless the outcome of that commit is unknown.
//            Before it reports a failure, a store may try again by itself;
//   idles    nothing waits, and the store may do its housekeeping after a quiet second;
//   watches  nothing waits, and the ownership is renewed after a third of the lease.
//
// A commit has up to `max_batch` changes, and fewer while commits fail: most of those attempts
// fail, and every submission makes one. What becomes of its changes:
//   done           they are written;
//   too large      each gets a commit of its own; one that is too large alone is dropped;
//   no answer      nobody knows whether they are made, so they are committed again as they are,
//                  before any others;
//   other failure  insertions are refused, the rest is tried again; see `UnwrittenChanges`.
//
// What was put behind a refused insertion must not be stored before that comes again. So all
// insertions are refused until the sender has heard of the refusal.
//
// The lease: see `OwnerLease`. A commit renews the ownership, so a renewal of its own is only
// needed when there is none, or when commits fail.

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/engine/outbox/outbox_effects.hpp"
#include "backoff_actor/engine/outbox/outbox_inputs.hpp"
#include "backoff_actor/engine/outbox/owner_lease.hpp"
#include "backoff_actor/engine/outbox/unwritten_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace backoff_actor {

/// How the engine of an outbox writes.
struct OutboxEngineOptions {
  std::size_t max_batch = 1; ///< how many changes one commit has at the most, 1 and above
  Duration max_wait{0};      ///< how long a batch may grow, 0 and above
  Duration lease{0};         ///< as `StoreOwnership::lease`; 0: no other process can own the store
};

/// One outbox as a state machine.
///
/// @shape  `step(now, input, effects)`; the same inputs give the same effects, always.
/// @range  `now` must not go back. `Done`, `Failed` and `Tidied` come only after the effects that
///         they answer.
/// @errors none but `std::bad_alloc`.
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT OutboxEngine {
public:
  /// No sender uses it, and nothing waits.
  explicit OutboxEngine(const OutboxEngineOptions& options);

  /// Takes one input and appends the resulting effects.
  void step(Instant now, OutboxInput&& input, OutboxEffects& effects);

  /// How many changes wait for the store, without those of the commit that is under way.
  std::size_t waiting() const { return pending_.size() + unanswered_.size() + apart_.size(); }

  /// Until when no other process can own the store; never: for ever.
  Instant sure_until() const { return lease_.sure_until(); }

  /// How long it still sleeps; 0: it does not.
  Duration sleeps_for(Instant now) const {
    return is_asleep() ? std::max(wake_at_ - now, Duration{1}) : Duration::zero();
  }

  /// Whether another process owns the store.
  bool is_lost() const { return lease_.is_lost(); }

private:
  enum class State { rests, awake, calls, lingers, gathers, retries, idles, watches };
  enum class Lag { none, is_slow, fails };

  void take(const outbox_input::Attach& x);
  void take(const outbox_input::Detach& x);
  void take(outbox_input::Put& x);
  void take(const outbox_input::Heard& x);
  void take(const outbox_input::Go& x);
  void take(const outbox_input::Wake& x);
  void take(const outbox_input::Done& x);
  void take(const outbox_input::Failed& x);
  void take(const outbox_input::Tidied& x);
  void take(const outbox_input::Halt& x);

  bool is_asleep() const { return state_ > State::calls; }
  bool nothing_waits() const { return waiting() == 0; }
  void go_on();
  void rest();
  void sleep(State why, Duration span);
  void retry();
  void begin_commit();
  void begin_renewal();
  void keep(std::vector<StoreChange> changes, StoreFailure failure, const Cause& cause,
            bool is_known);
  void refuse_waiting();
  void tell_refused(const UnwrittenChanges::Refused& refused, const Cause& cause);
  void tell_cancelled(std::uint64_t delivery);
  void note_left_cancels();
  void tell_replaced(const change::SetMessage& x, std::optional<Cause> failure);
  void tell_insertions(std::uint64_t last_id, std::optional<Cause> failure);
  void tell_whether_behind();
  void tell_sure();

  OutboxEngineOptions options_;
  Instant now_{};                    // of the present step
  OutboxEffects* effects_ = nullptr; // of the present step
  UnwrittenChanges pending_;
  std::vector<StoreChange> call_{};       // of the commit that is under way
  std::vector<StoreChange> unanswered_{}; // nobody knows whether they are made
  std::deque<StoreChange> apart_{};       // each gets a commit of its own
  OwnerLease lease_{};
  Instant told_sure_until_{Duration::min()};
  std::optional<Cause> failure_{}; // of the last commit
  std::optional<Cause> refusal_{}; // of insertions, of which the sender has not heard yet
  std::unordered_set<std::uint64_t> left_cancels_{}; // of the last sender, not written yet
  BackOff retry_delay_;
  Instant wake_at_{};
  int failures_alone_ = 0; // in a row, while no sender is attached
  State state_ = State::rests;
  Lag lag_ = Lag::none; // what the sender was told
  bool is_attached_ = false;
  bool is_first_attempt_ = true; // no earlier commit of `call_` may have been made
  bool has_lingered_ = false;    // for the next batch
  bool has_just_failed_ = false;
  bool is_unanswered_ = false; // the last call
  bool is_untidy_ = false;     // the store has put off some of its housekeeping
  bool was_quiet_ = false;     // for a second
  bool are_burials_doubtful_ = false;
};

} // namespace backoff_actor
