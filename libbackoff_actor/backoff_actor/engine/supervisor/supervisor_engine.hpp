#pragma once

// Design notes
//
// The engine decides everything that a supervisor does. It is plain data, as the sender's engine is:
// a driver gives it one input at a time, together with the present instant, and carries out the
// effects in order. What the user's decider says of a failure comes with the news of it.
//
//     stopped --asked for--> starting --up--> running --told--> ending --down, grace--> stopped
//                             ^     |            |                |
//                  delay over,|     |failed      |ended by itself |for the sake of its group
//                  its turn   |     v            v                v
//                             +-- waiting <------+----------------+
//
// A *failure* is an end that the restart type and the decider want to be followed by a restart, or a
// start that failed. It asks the child's backoff for a delay, is counted by the child's own limit,
// and then as a restart by the supervisor's, unless it joins a restart that has been scheduled.
//
// *One for one*: the child waits for its own delay.
//
// *Group strategies*: the failure makes a *row* of the child and those that the strategy names. The row
// has three stages:
//   ending    its children are told to end, the last in order first, each when the one behind it is
//             down; a temporary one is removed then;
//   waiting   until the last delay of the failures in it is over;
//   starting  its children are started in order, each when the one before it is up.
// A failure while the row is ending or waiting joins it: the row becomes the larger of the two, its
// delay ends when the later of the two does, and nothing is counted by the supervisor's limit. That
// is also so for a child that fails by itself after it was told to end. A failure while the row is
// starting makes a new row, which takes in what of the old one was not up yet, and is counted.
// Children that were stopped because they were done come back with their row; those that were
// terminated, decided against or given up do not.
//
// The first children are a row that begins with the stage of starting. If one of them cannot be
// started, the supervisor ends.
//
// *Restarts begin on a wake-up* only, of which a zero delay is one, and at most `batch` in one: the
// driver can answer others between two. Within a row each start follows the one before it in the
// same step.
//
// *Ending* is one machine for all reasons: a child is asked, then killed, then abandoned, as its
// options and the grace say. Ending is a state that is waited in, never a wait of the engine.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/engine/supervisor/supervisor_effects.hpp"
#include "backoff_actor/engine/supervisor/supervisor_engine_options.hpp"
#include "backoff_actor/engine/supervisor/supervisor_inputs.hpp"
#include "backoff_actor/observe/supervisor_status.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace backoff_actor {

/// One supervisor as a state machine.
///
/// @shape  `step(now, input, effects)`; the same inputs give the same effects, always.
/// @range  `now` must not go back. The first input is `supervisor_input::Start`.
/// @errors none but `std::bad_alloc`: every input is taken in every phase.
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT SupervisorEngine {
public:
  /// How many children are started on one wake-up at the most.
  static constexpr std::uint32_t batch = 256;

  /// Shares the options, which must not be null, and knows the first children, in order: the n-th of
  /// them, counted from 0, has the name {n, n + 1}. Ids must be unique. Nothing happens before the
  /// first step.
  SupervisorEngine(std::shared_ptr<const SupervisorEngineOptions> options,
                   std::vector<ChildEntry> children);

  /// Forgets the children without a word; `supervisor_input::Stop` ends them properly.
  ~SupervisorEngine();

  /// Moves the state; the engine left behind can only be assigned to or destroyed.
  SupervisorEngine(SupervisorEngine&&) noexcept;

  /// Moves the state; the engine left behind can only be assigned to or destroyed.
  SupervisorEngine& operator=(SupervisorEngine&&) noexcept;

  /// Takes one input and appends what is to be done about it.
  void step(Instant now, const SupervisorInput& input, SupervisorEffects& effects);

  /// What the supervisor is doing, after the last step.
  SupervisorPhase phase() const;

  /// How many children there are, in constant time.
  ChildCounts count() const;

  /// Returns the child of an id, in constant time; nothing if there is none.
  std::optional<ChildName> find(std::string_view id) const;

  /// Returns the id of a child, until the next step; empty if there is none of that name.
  std::string_view id_of(ChildName child) const;

  /// Returns the names of all children, in order.
  std::vector<ChildName> children() const;

  /// Returns how a child stands; nothing if there is none of that name.
  std::optional<ChildStatus> status(ChildName child, Instant now) const;

private:
  struct Child; // a child, its state, and its place in the order
  struct State; // all of them
  class Step;   // one step: the state, the instant, the effects

  std::unique_ptr<State> state_;
};

} // namespace backoff_actor
