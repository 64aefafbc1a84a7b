#pragma once

// Inside of the engine; not for its users. What the engine keeps: `IdleState` while it has nothing
// to do, `Work` once it has something to do.
//
// `Work` takes about 1,000 bytes, so a million idle senders would waste about 1 GB. So the engine
// frees it whenever nothing is owed and nothing runs, and recreates it when something comes.
// `IdleState`, which remains, is small. `FailureHistory` holds what only a sender with earlier
// failures needs: in `IdleState` it would cost each idle sender 224 bytes more. If a sender falls
// idle after each message, a message takes 20,500 instructions in all, and freeing and recreating
// `Work` are about 900 of these. A pool would save only a third of the 900, because the allocator
// already keeps blocks of this size ready for each thread.

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/delivery/internal/backlog.hpp"
#include "backoff_actor/delivery/internal/delivery_slots.hpp"
#include "backoff_actor/delivery/internal/open_drains.hpp"
#include "backoff_actor/engine/sender/sender_engine.hpp"
#include "backoff_actor/guard/internal/guard_gate.hpp"
#include "backoff_actor/observe/sender_status.hpp"
#include "backoff_actor/supervision/internal/failure_evidence.hpp"
#include "backoff_actor/supervision/restart_limit.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace backoff_actor {

// -- idle ---------------------------------------------------------------------------------

// What a sender remembers if its child did not always live and answer.
struct SenderEngine::FailureHistory {
  SenderCounters counters{};
  BackOffState backoff{};
  RestartWindow restarts{};
  std::uint64_t restarts_so_far = 0;
  std::uint32_t incarnation = 0;
  std::uint32_t last_incarnation = 0;
  std::uint32_t epoch = 0;
  std::uint32_t last_epoch = 0;
  std::uint32_t window = 0;
  std::uint32_t full_window = 0;
  std::uint32_t probe = 0;
  std::uint32_t guard_draws = 0;
  bool is_alone = false; // there is no child
  bool is_done = false;  // as `Lane::is_done`
  bool was_handed_something = false;
};

struct SenderEngine::IdleState {
  std::uint64_t accepted = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t hand_overs = 0;
  std::uint64_t last_delivery = 0;
  std::uint64_t resets = 0;
  Instant wake_at = Instant::never();
  std::unique_ptr<FailureHistory> history{}; // none: its first child lives and never failed
  std::uint32_t last_tag = 0;
  std::uint32_t last_second_of_rate = 0; // as `GuardGate::last_second_of_rate`
};

// -- at work ------------------------------------------------------------------------------

// One child, its delay, and what it holds. It is one of these:
//  - The only child. It is wanted, unless the fallback is: then it is only probed.
//  - A worker of a pool, wanted while the pool has that many (worker_pool.hpp).
//  - The fallback. Its lane is made when the only child reaches a limit. It is wanted until that
//    child is well again; then it finishes what it holds, and is gone.
struct SenderEngine::Lane {
  enum class Child : std::uint8_t {
    none,
    starting,
    alive,
    leaving, // told to end
  };

  // An error answer; it is not yet known whether the child survived it.
  struct Held {
    DeliverySlots::Slot slot;
    bool is_bounce;
    bool is_service_failure;
    Decision decision;
    Cause cause;
  };

  Lane(const EngineOptions& options, std::uint64_t stream_of_draws, std::uint32_t max_in_flight)
    : backoff(options.backoff.state()), stream(stream_of_draws), window(max_in_flight),
      full_window(max_in_flight) {}

  BackOffState backoff;
  std::uint64_t stream;            // of the draws
  Instant due{};                   // end of the running delay, or of the last
  Instant first_failure{};         // of those in a row, if it is failing
  Instant last_progress{};         // when this incarnation last said anything
  Instant end_of_grace{};          // of a leaving child
  DeliverySlots::List in_flight{}; // in the order in which their clocks were started
  std::vector<Held> held{};        // in the order in which the answers came
  std::size_t asked = 0;           // how many of `held`, from the front, came before the
                                   // last probe was sent
  std::uint32_t probe = 0;         // the last sent; counts modulo 2^31, like tags
  std::uint32_t incarnation = 0;
  std::uint32_t epoch = 0;
  std::uint32_t window;
  std::uint32_t full_window;
  std::uint32_t failures_in_a_row = 0; // since `first_failure`
  Child child = Child::none;
  bool probe_is_out = false;
  bool was_handed_something = false; // this incarnation
  bool is_done = false;              // it stopped normally, with nothing owed
  bool is_overdue = false;           // it is leaving, and its grace has passed
  bool delay_runs = false;
  bool is_failing = false; // it failed since the last reset of the backoff
  bool is_wanted = false;  // it is to have a child, and to be given what comes
  bool is_fallback = false;
  bool start_is_put_off = false; // until the guard lets a call through
  std::uint16_t index = 0;       // of the lane; in a pool, the worker's number is one more
  std::uint16_t kind = 0;        // the index of its kind

  // Only in a pool (worker_pool.hpp):
  bool is_retiring = false; // it takes nothing more, finishes what it holds, and leaves
  bool may_stay = false;    // it is leaving because there were too many, not because it was meant
  bool is_asked = false;    // it is leaving because it was asked to, and may finish
  bool is_hung = false;     // it is leaving after a hang, and may still work on what it holds
  bool is_changed = false;  // `Step::place` is to look at it
  std::uint16_t counted_as = 0; // bits of `Pool::Count`
  std::uint64_t hung_on = 0;    // the number of the delivery to charge with the hang; 0: none
};

// The lanes of a sender. The first is in place, so that a sender with one child allocates none. A
// lane stays where it is. The last one may be the fallback; a pool has none.
class SenderEngine::Lanes {
public:
  Lanes(const EngineOptions& options, std::uint64_t stream, std::uint32_t max_in_flight)
    : first_(options, stream, max_in_flight) {}

  std::size_t size() const { return more_.size() + 1; }

  Lane& first() { return first_; }
  const Lane& first() const { return first_; }

  // There must be one with this index.
  Lane& operator[](std::size_t index) { return index == 0 ? first_ : *more_[index - 1]; }
  const Lane& operator[](std::size_t index) const {
    return index == 0 ? first_ : *more_[index - 1];
  }

  // Null: there is none with this index.
  Lane* find(std::size_t index) { return index < size() ? &(*this)[index] : nullptr; }

  // Null: there is none.
  Lane* fallback() const {
    return !more_.empty() && more_.back()->is_fallback ? more_.back().get() : nullptr;
  }

  auto begin() { return Place<Lanes>{this, 0}; }
  auto end() { return Place<Lanes>{this, size()}; }
  auto begin() const { return Place<const Lanes>{this, 0}; }
  auto end() const { return Place<const Lanes>{this, size()}; }

  template <class Test>
  bool any(Test test) const {
    for (const auto& lane : *this)
      if (test(lane))
        return true;
    return false;
  }

  Lane& add(const EngineOptions& options, std::uint64_t stream, std::uint32_t max_in_flight,
            std::uint16_t kind) {
    more_.push_back(std::make_unique<Lane>(options, stream, max_in_flight));
    auto& result = *more_.back();
    result.index = static_cast<std::uint16_t>(more_.size());
    result.kind = kind;
    return result;
  }

  void remove_last() { more_.pop_back(); }

private:
  template <class Of>
  struct Place {
    auto& operator*() const { return (*lanes)[index]; }
    Place& operator++() {
      ++index;
      return *this;
    }
    bool operator==(const Place&) const = default;

    Of* lanes;
    std::size_t index;
  };

  Lane first_;
  std::vector<std::unique_ptr<Lane>> more_{};
};

struct SenderEngine::Work {
  enum class Mode : std::uint8_t {
    normal,
    finishing, // nothing new is accepted or handed over; the children finish what they have
    ending,    // nothing new is accepted or handed over; the children are to end
  };

  // Continues from `idle_state`, if there is one.
  Work(const EngineOptions& options, std::uint64_t stream, const IdleState* idle_state);
  ~Work();

  // Whether there is nothing to do but wait, and nothing to remember but what `save_to` writes.
  bool is_idle() const;

  // Writes what must be remembered into `result`, which is new or was written before.
  void save_to(IdleState& result, const EngineOptions& options);
  bool has_failure_history(const EngineOptions& options) const;
  void resume(const FailureHistory& history);

  void first_child_is(bool alive) {
    lanes.first().child = alive ? Lane::Child::alive : Lane::Child::starting;
    lanes.first().incarnation = last_incarnation = 1;
  }

  // The status (sender_engine_status.cpp); `phase` assumes a sender that has not stopped.
  bool waits_for_budget() const;
  std::optional<Instant> held_until() const;
  Phase phase() const;
  std::uint32_t living_child() const;
  Instant lanes_due() const;
  Instant due() const;
  SenderGlance glance(bool is_stopped) const;
  PoolGlance pool_glance(bool is_stopped) const;
  PoolStatus pool_status(Instant now) const;
  static WorkerStatus worker_status(const Lane& lane, Instant now);
  SenderStatus status(Instant now, bool is_stopped) const;

  Backlog backlog;
  GuardGate gate; // of all lanes but the fallback
  Lanes lanes;
  std::unique_ptr<Pool> pool{}; // the books of its workers; null: there is one child
  RestartWindow restarts{};
  std::shared_ptr<const Cause> last_failure{}; // of all lanes but the fallback
  // What failures say about the services of the children and the fallback; null: nothing is owed
  // that has failed.
  struct Evidence {
    FailureEvidence of_service{};
    FailureEvidence of_fallback{};
    std::uint64_t answers_of_others = 0; // that are heeded, as `GuardGate` counts them
  };
  std::unique_ptr<Evidence> evidence{};
  struct Abandoned {
    std::uint32_t incarnation;
    std::uint16_t worker; // its number; 0: there is no pool
  };
  std::vector<Abandoned> abandoned{}; // children that still live
  OpenDrains<input::Drain> drains{};
  Instant wake_at = Instant::never(); // of the wake-up that was asked for and has not come
  // Until when no other process can own the store, as `input::SureUntil` told.
  Instant sure_until = Instant::never();
  SenderCounters counters{};
  std::uint64_t restarts_so_far = 0; // children made after the first of their lane
  std::uint64_t last_delivery = 0;
  std::uint32_t last_incarnation = 0;
  std::uint32_t last_epoch = 0;
  Instant finish_by = Instant::never();       // when all is to be finished and ended
  Instant end_of_patience = Instant::never(); // when the children's time to end is over, and that
                                              // to finish before, if the sender then ends
  std::shared_ptr<const Cause> end_cause{};   // of the sender's end
  DeadLetterReason end_reason = DeadLetterReason::stopped;
  Mode mode = Mode::normal;
  bool has_own_limits = false; // a delivery came with `OwnRetries::max_attempts`, and one is owed
  bool children_are_pressed = false; // their first time to end is over
  bool is_paused = false;
  bool is_draining = false;
  bool is_store_behind = false;
  bool is_store_failing = false; // it is behind because it fails, or was since it fell behind
  bool ends_when_finished = false;
  bool is_finish_told = false; // nothing was in flight any more, and the driver was told
};

} // namespace backoff_actor
