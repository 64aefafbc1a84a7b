#pragma once

// Design notes
//
// The engine decides everything that a supervisor does. It is plain data, as the sender's engine
// is: a driver gives it one input at a time, together with the present instant, and carries out the
// effects in order. The input that reports a failure carries the user's decision about it.
//
//     stopped --asked for--> starting --up--> running --told--> ending --down, grace--> stopped
//                             ^     |            |                |
//                  delay over,|     |failed      |ended by itself |for the sake of its group
//                  its turn   |     v            v                v
//                             +-- waiting <------+----------------+
//
// A *failure* is a failed start, or an end after which the restart type and the decider ask for a
// restart. The engine takes the next delay from the child's backoff. It counts the failure against
// the child's own limit, and then as a restart against the supervisor's limit. A failure that joins
// a scheduled restart does not count against the supervisor's limit.
//
// *One for one*: the child waits for its own delay.
//
// *Group strategies*: the failure makes a *row* of the child and the siblings that the strategy
// names. The row has three stages:
//   ending    the engine tells the row's children to end, in reverse order, each when the child
//             behind it is down; a temporary child is removed then;
//   waiting   until the last delay of the row's failures is over;
//   starting  the engine starts the row's children in order, each when the child before it is up.
// A failure while the row is ending or waiting joins the row. If the failure names more children
// than the row has, the row grows. If its delay ends later than that of the row, the row waits
// longer. Such a failure does not count against the supervisor's limit. The same holds for a child
// that fails by itself after it was told to end. A failure while the row is starting makes a new
// row and counts. The new row includes the children of the old row that were not up yet. Children
// that stopped because they were done come back with their row. Children that were terminated,
// stopped by the decider or given up do not.
//
// The first children are a row that begins with the stage of starting. If one of them cannot be
// started, the supervisor ends.
//
// *Restarts begin only on a wake-up*, also after a zero delay, and at most `batch` on each: so the
// driver can handle other messages between two. Within a row each start follows the previous one in
// the same step.
//
// *Finishing* comes before the end, if the supervisor is given time for it: it starts nothing more,
// and those children that can finish what is in flight do that, all at the same time.
//
// *Ending* works the same way for all reasons: the engine asks the child, then kills it, then
// abandons it, as the child's options and the grace say. Ending is a state of the child; the engine
// never blocks.

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
  /// The most children that the engine starts on one wake-up.
  static constexpr std::uint32_t batch = 256;

  /// Shares the options, which must not be null. `children` are the first children, in order: the
  /// n-th of them, counted from 0, has the name {n, n + 1}. Ids must be unique. Nothing happens
  /// before the first step.
  SupervisorEngine(std::shared_ptr<const SupervisorEngineOptions> options,
                   std::vector<ChildEntry> children);

  /// Drops the children without any effect; `supervisor_input::Stop` ends them properly.
  ~SupervisorEngine();

  /// Moves the state; the engine left behind can only be assigned to or destroyed.
  SupervisorEngine(SupervisorEngine&&) noexcept;

  /// Moves the state; the engine left behind can only be assigned to or destroyed.
  SupervisorEngine& operator=(SupervisorEngine&&) noexcept;

  /// Takes one input and appends the resulting effects.
  void step(Instant now, const SupervisorInput& input, SupervisorEffects& effects);

  /// What the supervisor is doing, after the last step.
  SupervisorPhase phase() const;

  /// How many children there are, in constant time.
  ChildCounts count() const;

  /// How many children are in this state, in constant time.
  std::uint64_t count(ChildState state) const;

  /// Returns the child with this id, in constant time; nothing if there is none.
  std::optional<ChildName> find(std::string_view id) const;

  /// Returns the id of a child; empty if no child has this name. The view is valid until the next
  /// step.
  std::string_view id_of(ChildName child) const;

  /// Returns the names of all children, in order.
  std::vector<ChildName> children() const;

  /// Returns the status of a child; nothing if no child has this name.
  std::optional<ChildStatus> status(ChildName child, Instant now) const;

private:
  struct Child; // a child, its state, and its place in the order
  struct State; // all children, and what they share
  class Step;   // one step: the state, the instant, the effects

  std::unique_ptr<State> state_;
};

} // namespace backoff_actor
