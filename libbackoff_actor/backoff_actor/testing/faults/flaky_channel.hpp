#pragma once

#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

namespace backoff_actor::testing {

/// The faults of a channel. Each message and each answer is drawn independently.
struct Flakiness {
  /// The seed of all draws.
  std::uint64_t seed = 0;

  /// The probability that a message is lost.
  ///
  /// @range 0 to 1; `drop` and `delay` together at most 1
  double drop = 0.2;

  /// The probability that a message is late, so that others overtake it.
  ///
  /// @range 0 to 1
  double delay = 0.2;

  /// The longest delay. Delays are uniform from 0 to this.
  ///
  /// @range above 0
  Duration longest_delay = std::chrono::milliseconds{100};
};

/// Returns all that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const Flakiness& flakiness);

/// An unreliable channel between actors, and a count of its faults. Copies are the same channel.
///
///     const FlakyChannel channel{{.seed = 7, .drop = 0.1}};
///     const auto sender = spawn_back_off_sender(
///       system, channel.to_children(child_of<Worker>()), options);
///     const auto service = channel.to(sender);
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_EXPORT FlakyChannel {
public:
  /// What happened in one direction so far.
  struct Direction {
    std::uint64_t passed = 0;  ///< passed on at once
    std::uint64_t delayed = 0; ///< passed on later, if both ends still lived then
    std::uint64_t dropped = 0; ///< lost without notice

    /// All messages in this direction.
    std::uint64_t all() const { return passed + delayed + dropped; }
  };

  /// What happened so far.
  struct Account {
    Direction messages{}; ///< to the other end
    Direction answers{};  ///< back from there, including messages that answer nothing
  };

  /// Makes a channel.
  ///
  /// @errors throws `InvalidArgument` naming all that is wrong with the options.
  explicit FlakyChannel(const Flakiness& flakiness);

  /// Returns an actor that stands for `target` at the other end of this channel. It ends when the
  /// target ends, with the same reason; this notice is never lost. The target ends with it, too.
  ///
  /// @shape  `target`: a handle, typed or not; the result is of the same type.
  /// @errors throws `InvalidArgument` if there is no target.
  template <class Handle>
  Handle to(const Handle& target) const {
    return caf::actor_cast<Handle>(spawn(caf::actor_cast<caf::actor>(target)));
  }

  /// Returns a factory of the same children, each behind this channel.
  ///
  /// @errors throws `InvalidArgument` if there is no `factory`.
  ChildFactory to_children(const ChildFactory& factory) const;

  /// What happened so far.
  Account account() const;

  struct State;

private:
  caf::actor spawn(const caf::actor& target) const;

  std::shared_ptr<State> state_;
};

} // namespace backoff_actor::testing
