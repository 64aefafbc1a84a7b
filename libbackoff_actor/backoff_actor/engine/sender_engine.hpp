#pragma once

// Design notes
//
// The engine decides everything that a BackOffSender does. It is plain data: no actor, clock,
// thread or generator. A driver (the actor, a simulation, a test) gives it one input at a time,
// together with the present instant, and carries out the effects in order.
//
//     child:   none --StartChild--> starting --ChildStarted--> alive
//               ^                       |                        |
//               +------ StartFailed ----+------- ChildDown ------+
//
//     delay:   off --failure--> running until `due_` --Wake at or after it--> off
//
// The two are independent: with RestartTiming::at_once a child may be there while the delay runs. A
// delivery is handed over exactly when it is stored, a child is alive, no delay runs, and it has
// not been handed to this incarnation. Because the order is strict, those not yet handed over are a
// suffix of the outbox, and one cursor (`Work::waiting`) says where it begins.
//
// Every failure opens a new epoch and asks the backoff for the next delay. A failure during a delay
// can only lengthen it. An acknowledgement always ends its delivery, but resets the backoff only if
// its hand-over belongs to the present epoch, and never shortens a delay that runs.
//
// An error answer is ambiguous: actor libraries answer with an error before they report the crash
// that caused it, and a dying child may still answer others while it tidies up. It is held until one
// of these tells:
//   - the child answered a probe sent after the error: it lives, and meant it;
//   - the child went down. The first held error that carries DOWN's cause is the crash's: that
//     delivery was the culprit. It is owed again, and so is what was held after it; what was held
//     before it was meant. Without such an error all is owed again, for nobody knows where the dying
//     began. A child that stopped normally meant what it said. A bounce is always owed again.

#include "backoff_actor/backoff/exponential_back_off.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/engine/effects.hpp"
#include "backoff_actor/engine/inputs.hpp"
#include "backoff_actor/observe/events.hpp"
#include "backoff_actor/supervision/decider.hpp"
#include "backoff_actor/supervision/restart_timing.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace backoff_actor {

/// What a sender is doing.
enum class Phase {
  starting, ///< no child yet, or one is being made, and no delay runs
  running,  ///< a child is there and no delay runs
  waiting,  ///< a delay runs
  stopped,  ///< ended for good
};

/// Returns the enumerator's name; `unknown` for a number that is none.
BACKOFF_ACTOR_EXPORT std::string_view to_string(Phase phase);

/// The options of an engine, shared by all engines that have the same.
struct EngineOptions {
  /// The backoff before the first failure; each engine goes on from a copy.
  ExponentialBackOff backoff{};

  /// When a child that went down is recreated.
  RestartTiming restart = RestartTiming::at_once;

  /// Whether a delivery waits for `input::Persisted` before it may be handed over.
  bool persist = false;

  /// Told of all that happens, in `step`; empty: nobody is.
  EventHook on_event{};
};

/// One sender as a state machine.
///
/// @shape  `step(now, input, effects)`; the same inputs give the same effects, always.
/// @range  `now` must not go back.
/// @errors none but `std::bad_alloc`: every input is taken in every phase.
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT SenderEngine {
public:
  /// Shares the options, which must not be null. Nothing happens before the first step.
  explicit SenderEngine(std::shared_ptr<const EngineOptions> options);

  /// Forgets what is owed without a word; `input::Stop` gives it up properly.
  ~SenderEngine();

  /// Moves the state; the engine left behind can only be assigned to or destroyed.
  SenderEngine(SenderEngine&&) noexcept;

  /// Moves the state; the engine left behind can only be assigned to or destroyed.
  SenderEngine& operator=(SenderEngine&&) noexcept;

  /// Takes one input and appends what is to be done about it.
  void step(Instant now, const Input& input, Effects& effects);

  /// What the sender is doing, after the last step.
  Phase phase() const;

  /// The present or last incarnation; 0 before the first.
  std::uint32_t incarnation() const { return incarnation_; }

  /// How many deliveries are owed.
  std::size_t owed() const;

  /// The backoff as it stands.
  const ExponentialBackOff& backoff() const;

  /// When the running delay ends; `Instant::never()` if none runs.
  Instant due() const { return delay_runs_ ? due_ : Instant::never(); }

private:
  enum class Child : std::uint8_t { none, starting, alive };
  struct Work; // all that a sender needs only once it had something to do
  class Step;  // one step: the engine, the instant, the effects

  std::shared_ptr<const EngineOptions> options_;
  std::unique_ptr<Work> work_;
  Instant due_{};                      // end of the running delay
  Instant wake_at_ = Instant::never(); // of the wake-up that was asked for and has not come
  std::uint32_t incarnation_ = 0;
  Child child_ = Child::none;
  bool was_handed_something_ : 1 = false; // this incarnation
  bool child_is_done_ : 1 = false;        // it stopped normally, with nothing owed
  bool delay_runs_ : 1 = false;
  bool stopped_ : 1 = false;
};

// A million idle senders are a million of these.
static_assert(sizeof(SenderEngine) <= 48);

} // namespace backoff_actor
