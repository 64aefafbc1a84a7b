#pragma once

// Design notes
//
// The guard is an actor in front of the target. It sends each message on as a request of its own,
// so that it sees how every call ends. It returns the answer to the client:
//
//     client --message--> [guarded] --request--> target
//                          |     ^                 |
//     client <--answer-----+     +-----answer------+       the guard is told of each answer
//     client <--held_back--+
//
// An error from the target may be the reason for which the target is about to end. The guard passes
// the error on only once the target has answered a later probe, or has ended. So a supervisor of
// the guard can tell a crash from an answer: after a crash, the guard ends right after the error.
//
// The guard holds no CAF promise, and its timer holds no reference to it. So it lives as long as
// somebody has a handle to it or can still answer it. When it ends, it refuses the open requests.

#include "backoff_actor/caf/messages/error_predicate.hpp"
#include "backoff_actor/caf/messages/held_back.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/retry/shared_guard.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>

#include <chrono>
#include <utility>

namespace backoff_actor {

/// Which calls to a guarded actor count as failures.
struct GuardedOptions {
  /// A request that is not answered within this time is a failure. A late answer still goes to the
  /// client.
  ///
  /// @range 1 us and above
  Duration call_timeout = std::chrono::minutes{1};

  /// Decides which errors are failures of the service: the retryable ones. Any other error, and
  /// every value, is a success. The end of the target and `SenderError::held_back` count as
  /// neither.
  ///
  /// @thread not the caller's
  ErrorPredicate predicate{};
};

/// Returns all problems of the options.
BACKOFF_ACTOR_EXPORT Problems check(const GuardedOptions& options);

namespace detail {

BACKOFF_ACTOR_EXPORT caf::actor spawn_guarded(const caf::actor& target, SharedGuard guard,
                                              GuardedOptions options);

} // namespace detail

/// Returns an actor that stands in front of another one, and asks a guard about each message:
///
///     const SharedGuard guard{{.circuit_breaker = CircuitBreakerOptions{}}};
///     const auto service = guarded(worker, guard);
///
/// If the guard admits a message, the target gets it as a request, and the client gets the answer.
/// If the guard holds a message back, the target never sees it. A request that is held back is
/// answered at once with `SenderError::held_back`. That error names the reason and the time after
/// which to try again, see `held_back_error`. A `retry_request`, or a `BackOffSender` with this
/// actor as its child, waits for that time. A plain send that is held back is lost, and counted in
/// `SharedGuard::status`.
///
/// The guard counts every message as a first attempt, because it cannot recognize a retry. So a
/// retry budget grows here, but holds nothing back: put the budget where the retries are made.
///
/// The target sees this actor as the sender, and every message as a request of normal priority. So
/// a plain send has an outcome, too: the target's handler answers it like a request. If that answer
/// is a value, the client of the plain send gets it as a message. If it is an error, the client
/// gets nothing, because an error message would end the client. If a plain send is not answered
/// within `call_timeout`, the guard counts no outcome, because perhaps no answer was intended. The
/// guard also counts no outcome for a call that is open when one of the two actors ends. A call
/// that has a sender and is never answered uses memory as long as both actors live. So does the
/// target's promise.
///
/// When the target ends, this actor ends with the same reason, so that monitors and links report
/// it. Requests that are open then fail with `caf::sec::request_receiver_down`. There is one
/// exception: if the target ended normally, on this node, it may have passed requests on to another
/// actor. Then this actor waits for open requests until `call_timeout`, and refuses new ones with
/// the same error. The end of this actor does not end the target. This actor holds a reference to
/// the target, and a target that has not answered yet holds one to this actor. So a target that
/// never answers must be told to end.
///
/// This actor passes an error of the target on once the target has answered a later probe, or
/// ended.
///
/// @shape  `target`: a handle, typed or not; the result is of the same type.
/// @errors throws `InvalidArgument` naming every invalid option, an invalid target, and an empty
///         guard; throws `std::logic_error` if `init` was not called.
/// @thread any
template <class Handle>
Handle guarded(const Handle& target, SharedGuard guard, GuardedOptions options = {}) {
  return caf::actor_cast<Handle>(detail::spawn_guarded(caf::actor_cast<caf::actor>(target),
                                                       std::move(guard), std::move(options)));
}

} // namespace backoff_actor
