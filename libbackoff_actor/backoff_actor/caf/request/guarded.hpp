#pragma once

// Design notes
//
// An actor of its own stands before the target and makes each message a request of its own, so that
// it sees how every call ends. What comes back goes to who asked:
//
//     client --message--> [guarded] --request--> target
//                          |     ^                 |
//     client <--answer-----+     +-----answer------+       the guard is told of each answer
//     client <--held_back--+
//
// An error of the target may be that of which it is about to end. It is passed on once the target
// has answered a question after it, or has ended; so whoever supervises the front actor can still
// tell a crash from an answer: the end follows the error at once.
//
// It keeps no promise of CAF's and no timer that would hold it: so it lives as long as somebody
// knows it or can still answer it, and what nobody can answer any more is refused when it goes.

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

/// What is a failure of a guarded actor.
struct GuardedOptions {
  /// A call without an answer by then is a failure. The answer still goes to the client when it
  /// comes.
  ///
  /// @range above 0
  Duration call_timeout = std::chrono::minutes{1};

  /// Which errors are failures of the service: those worth another attempt. With any other, and with
  /// every value, it answered. That the target is gone says nothing of the service, nor does
  /// `SenderError::held_back`.
  ///
  /// @thread not the caller's
  ErrorPredicate predicate{};
};

/// Returns all that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const GuardedOptions& options);

namespace detail {

BACKOFF_ACTOR_EXPORT caf::actor spawn_guarded(const caf::actor& target, SharedGuard guard,
                                              GuardedOptions options);

} // namespace detail

/// Returns an actor that stands before another, and asks a guard before each message:
///
///     const SharedGuard guard{{.circuit_breaker = CircuitBreakerOptions{}}};
///     const auto service = guarded(worker, guard);
///
/// What the guard lets through the target gets as a request, and its answer goes to who asked. What
/// the guard holds back the target never sees: a request is answered at once with
/// `SenderError::held_back`, which says why and when to come back, so that a `retry_request` or a
/// `BackOffSender` whose child this is waits for so long; see `held_back_error`. A plain send that is
/// held back is lost, and counted in `SharedGuard::status`.
///
/// Every message is a first attempt for the guard, for it looks like one. So a retry budget earns its
/// part here, but holds nothing back; that is for those who retry.
///
/// The target sees this actor as the sender, and every message as a request of normal priority. So a
/// plain send has an outcome, too: that of the answer which any handler gives a request. An answer
/// that is a value goes to the client of a plain send as a message, an error does not: it would end
/// the client. A plain send that is not answered by `call_timeout` is forgotten by the guard, as nobody
/// may have meant to answer it; so is every call that ends with one of the two actors. A call that
/// the target never answers is remembered as long as both live, as the target's promise is.
///
/// When the target ends so does this actor, with the same reason, so that whoever monitors or links
/// to it is told. Requests that are open then fail with `caf::sec::request_receiver_down`. If the
/// target ended normally, on this node, those are waited for until `call_timeout`: it may have passed
/// them on to somebody else; meanwhile new ones are refused in the same way. The end of this actor
/// does not end the target. It holds the target for as long as it lives; a target that owes it an
/// answer holds it in turn, so one that never answers has to be told to end.
///
/// An error of the target is passed on once that has answered a question after it, or has ended.
///
/// @shape  `target`: a handle, typed or not; the result is of the same type.
/// @errors throws `InvalidArgument` naming every option that cannot be, an invalid target, and a
///         guard that is none.
/// @thread any
template <class Handle>
Handle guarded(const Handle& target, SharedGuard guard, GuardedOptions options = {}) {
  return caf::actor_cast<Handle>(detail::spawn_guarded(caf::actor_cast<caf::actor>(target),
                                                       std::move(guard), std::move(options)));
}

} // namespace backoff_actor
