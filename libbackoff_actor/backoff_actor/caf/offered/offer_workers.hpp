#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace backoff_actor {

/// The workers that a process offers to a sender in another process.
struct OfferOptions {
  /// Finds the sender. `remote_child({{"host1", 4711}, {"host2", 4711}})` does, if the sender is
  /// published at each of the nodes that may own the outbox. A node that stands by refuses, and the
  /// next one is asked. It must leave `RemoteOptions::published` as it is: the sender belongs to
  /// its node. Another factory delivers it with `Ownership::shared`.
  ChildFactory find_owner{};

  /// Makes a worker, within 30 s. It must do the same work as the factory of the sender.
  ChildFactory make_child{};

  /// How many workers. A sender that takes fewer takes none of them.
  ///
  /// @range 1 to 1000
  std::uint32_t workers = 1;

  /// How long to wait before the sender is looked for again, when it was not found, has refused, or
  /// has ended.
  Policy backoff = "exponential(50ms, cap 500ms) | full_jitter";

  /// Is called with a sentence when the workers are taken, and when they are not any more, or not
  /// yet, and why. Empty: nobody is told.
  ///
  /// @errors an exception is ignored
  /// @thread that of the actor
  std::function<void(const std::string& text)> on_notice{};
};

/// Returns all problems of the options.
BACKOFF_ACTOR_EXPORT Problems check(const OfferOptions& options);

/// Offers workers to a sender in another process, whose `PoolOptions::offered` takes them into its
/// pool. From then on they are workers of that pool, as any other: the sender supervises them, and
/// has this process make a new one when one ends. When the sender ends, or the line to it fails,
/// the workers end, and the offer is made again, until a sender takes it.
///
/// Send the returned actor `Stop` before the program ends. With a grace, the workers take nothing
/// more, and finish what they hold. Without one, or when the grace is over, they are killed. The
/// sender gives what a worker held to others as soon as it has ended, and charges nobody.
/// `GracefulShutdown::add` takes the actor, too. The answer is `Stopped`, whose numbers are 0. As
/// long as the actor is not stopped, the actor system waits for it.
///
/// @errors throws `InvalidArgument` naming every option that is wrong, and `std::logic_error` if
///         `init` was not called.
/// @thread any
BACKOFF_ACTOR_EXPORT caf::actor offer_workers(caf::actor_system& system, OfferOptions options);

} // namespace backoff_actor
