#pragma once

// Design notes
//
// The engine decides everything that a BackOffSender does. It is plain data: no actor, clock,
// thread or generator. A driver (the actor, a simulation, a test) gives it one input at a time, and
// the present instant. It carries out the effects in order.
//
//     child:   none --StartChild--> starting --ChildStarted--> alive --TellToEnd--> leaving
//               ^                       |                        |                     |
//               +------ StartFailed ----+------- ChildDown ------+-- ChildDown, grace -+
//
//     delay:   off --failure--> running until due --Wake at or after it--> off
//
// The two are independent: with RestartTiming::at_once a child may be there while the delay runs.
// Both, with what the child holds and what it has answered, make a *lane* (sender_work.hpp). There
// is one, or one for each worker of a pool, and another for the fallback while it works. A delivery
// is handed to a lane exactly when all of this is so:
//   - Its turn has come (delivery/internal/hand_over_order.hpp).
//   - The lane's child is alive.
//   - No delay of the lane runs.
//   - The lane holds fewer deliveries than its window.
//   - The sender is not paused.
//
// The window begins at `max_in_flight`, falls to one with every failure, and grows by one with
// every acknowledgement of the present epoch: after a failure the first hand-over is a probe.
//
// Every failure opens a new epoch and asks the backoff for the next delay. A failure during a delay
// can only lengthen it. An acknowledgement always ends its delivery. It resets the backoff only if
// its hand-over belongs to the present epoch. It never shortens a delay that runs.
//
// An error answer is ambiguous. It may be the child's answer. But it may also come from a crash:
// actor libraries answer with an error before they report the crash, and a dying child may still
// answer some requests while it tidies up. So the engine holds the error until one of these two
// events:
//   - The child answers a probe that was sent after the error. It is alive, so the error is its
//     answer.
//   - The child goes down. The first held error with the same cause stems from the crash, and its
//     delivery was the culprit. The engine redelivers the culprit and all deliveries whose errors
//     came later; earlier errors were answers. If no held error has that cause, nobody knows where
//     the crash began, and the engine redelivers all deliveries with held errors. If the child
//     stopped normally, all its errors were answers. Two kinds of deliveries are always
//     redelivered: those with a bounce, and those that the child gave back without an answer
//     (`Decision::is_held_back`).
//
// A delivery that ends while a child holds it leaves a *ghost*: its deadline passed, or an earlier
// child acknowledged it. It is no longer owed, but the child may still be working on it. The ghost
// keeps its place among the deliveries in flight. So the next delivery is not charged with a crash
// or a silence that the ghost causes.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/engine/sender/sender_effects.hpp"
#include "backoff_actor/engine/sender/sender_engine_options.hpp"
#include "backoff_actor/engine/sender/sender_inputs.hpp"
#include "backoff_actor/observe/sender_numbers.hpp"
#include "backoff_actor/observe/sender_status.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace backoff_actor {

/// Where an owed delivery is, for whoever asks for it.
struct DeliveryView {
  bool is_in_work = false;             ///< a child has it
  std::uint32_t incarnation = 0;       ///< which child has it, or had it last; 0: none yet
  std::uint32_t attempts = 0;          ///< failed attempts
  Instant since;                       ///< when it was submitted; in work: its timeout runs since
  Instant next_try = Instant::never(); ///< no child gets it before; never: nothing says when
};

/// One sender as a state machine.
///
/// @shape  `step(now, input, effects, number)`; the same inputs give the same effects, always.
///         `number` is for the name in events, see `ActorName::number`. An idle engine has no room
///         for it, so the driver gives it to each step.
/// @range  `now` must not go back.
/// @errors none but `std::bad_alloc`: every input is taken in every phase.
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT SenderEngine {
public:
  /// Shares the options, which must not be null. Nothing happens before the first step.
  explicit SenderEngine(std::shared_ptr<const EngineOptions> options);

  /// The same, but draws from this random stream instead of the stream of the options' backoff. So
  /// engines can share their options without retrying in step.
  SenderEngine(std::shared_ptr<const EngineOptions> options, std::uint64_t stream);

  /// Drops owed deliveries without any effect; `input::Stop` gives them up properly.
  ~SenderEngine();

  /// Moves the state; the engine left behind can only be assigned to or destroyed.
  SenderEngine(SenderEngine&&) noexcept;

  /// Moves the state; the engine left behind can only be assigned to or destroyed.
  SenderEngine& operator=(SenderEngine&&) noexcept;

  /// Takes one input and appends the resulting effects.
  void step(Instant now, const Input& input, Effects& effects, std::uint64_t number = 0);

  /// The same for an input that every delivery needs. Without a variant it is faster.
  void step(Instant now, const input::Submit& input, Effects& effects, std::uint64_t number = 0);

  /// The same for an input that every delivery needs. Without a variant it is faster.
  void step(Instant now, const input::Acknowledged& input, Effects& effects,
            std::uint64_t number = 0);

  /// The same for the input that follows every new child.
  void step(Instant now, const input::ChildStarted& input, Effects& effects,
            std::uint64_t number = 0);

  /// What the sender is doing, after the last step.
  Phase phase() const;

  /// The present or last incarnation; 0 before the first. Counts fallbacks too.
  std::uint32_t incarnation() const;

  /// The incarnation of the child that works now; 0 if none is alive. A child that was told to end
  /// does not count.
  std::uint32_t living_child() const;

  /// Whether the engine has freed its working memory: there is nothing to do, and no sign that a
  /// similar load comes back soon.
  bool is_idle() const { return !work_; }

  /// Whether it has ended: it has given up or suspended all owed deliveries, and has no child.
  bool has_ended() const { return stopped_; }

  /// Whether it is ending, and waits for its children.
  bool is_ending() const;

  /// Whether it would accept a message of this weight now, and drop nothing for it.
  bool has_room(std::uint32_t weight) const;

  /// How many deliveries are owed.
  std::size_t owed() const;

  /// Where the delivery of this number is; nothing: it is not owed. It takes time in proportion to
  /// what is owed.
  std::optional<std::uint32_t> slot_of(std::uint64_t delivery) const;

  /// Whether a child has the owed delivery in `slot`.
  bool is_in_work(std::uint32_t slot) const;

  /// Who was given a delivery by this hand-over.
  struct InHand {
    std::uint32_t slot;        ///< of the delivery
    std::uint32_t incarnation; ///< of the child
  };

  /// Returns who was given an owed delivery by this hand-over; nothing if there is no such
  /// delivery, or if another hand-over came later.
  std::optional<InHand> in_hand(HandOverId id) const;

  /// Where the owed delivery in `slot` is, as of the last step.
  DeliveryView view(std::uint32_t slot) const;

  /// Whether a child has left a note for the owed delivery in `slot`.
  bool has_note(std::uint32_t slot) const;

  /// Whether the owed delivery in `slot` was cancelled, and its child has not answered yet.
  bool is_being_cancelled(std::uint32_t slot) const;

  /// Whether the delivery of this number is owed, and in `slot`.
  bool owes(std::uint32_t slot, std::uint64_t delivery) const;

  /// Whether there is room for another payload of this weight in place of that of the owed delivery
  /// in `slot`.
  bool has_room_in_place(std::uint32_t slot, std::uint32_t weight) const;

  /// The highest number that a delivery had.
  std::uint64_t last_delivery() const;

  /// Takes the next number, for something that the driver stores as a delivery and keeps itself.
  std::uint64_t take_number();

  /// The current state of the child's backoff, also while the fallback works.
  BackOff backoff() const;

  /// When the sender may hand over again: the end of the running delay, or the next time at which
  /// the engine asks a guard that has held it back, whichever is later. `Instant::never()` if it
  /// waits for neither, or if only closing the guard by hand can end the wait.
  Instant due() const;

  /// The numbers that monitoring reads. Unlike `status`, it allocates nothing.
  SenderGlance glance() const;

  /// The numbers of its pool that monitoring reads; all 0 if there is none. It allocates nothing.
  PoolGlance pool_glance() const;

  /// The status of the sender at `now`.
  SenderStatus status(Instant now) const;

private:
  struct Lane;           // one child, its delay, and what it holds
  class Lanes;           // all of them
  struct Pool;           // the books of the workers that share the outbox, if there are several
  struct Work;           // all that a sender needs only while it has something to do
  struct IdleState;      // what it remembers while it has nothing to do
  struct FailureHistory; // what it remembers only after earlier failures
  class Step;            // one step: the engine, the instant, the effects

  // The state before there is any work: whether the engine was told to begin, and whether it has
  // asked for the first child.
  enum class Beginning : std::uint8_t { not_told, told, starting, alive };

  template <class OneInput>
  void step_at_work(Instant now, const OneInput& input, Effects& effects, std::uint64_t number);
  bool step_without_work(Instant now, const Input& input, Effects& effects, std::uint64_t number);
  bool begin_without_work(const input::Start& x, Effects& effects);
  void step_stopped(const Input& input, Effects& effects);
  std::unique_ptr<Work> new_work() const;

  std::shared_ptr<const EngineOptions> options_;
  std::uint64_t stream_;                  // of the draws
  std::unique_ptr<Work> work_;            // none: it has nothing to do
  std::unique_ptr<IdleState> idle_state_; // none: there was no work yet; outdated during work
  Beginning beginning_ = Beginning::not_told;
  bool stopped_ = false;
  std::uint8_t hints_ = 0; // those that were given: a bit for each `event::Hint::About`
};

// Keeps a million idle senders small.
static_assert(sizeof(SenderEngine) <= 48);

} // namespace backoff_actor
