#pragma once

// Design notes
//
// An actor of its own stands before the real one, takes the next fault for each message, and passes
// on what is to go well. To the sender or client it is the worker: it crashes, hangs and answers
// with errors; and when the real one ends, so does it, with the same reason.

#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/testing/faults/faults.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>

#include <utility>

namespace backoff_actor::testing {

namespace detail {

BACKOFF_ACTOR_EXPORT caf::actor spawn_faulty(const caf::actor& worker, Faults faults);

} // namespace detail

/// Returns an actor that stands before `worker` and fails as the plan says, one fault for each
/// message, whatever its type:
///
///     const auto service = faulty_actor(worker, "ok*3, crash");
///
/// With `ok` the worker gets the message as a request, and its answer goes to who asked; what it sends
/// to its sender, or asks it, on its own account goes to whom it was asked for last. With every other fault but
/// `slow` it never sees the message. With a crash or a stop the front ends, and the worker with it.
///
/// When the worker ends, so does the front, with the same reason. When the front ends, however that
/// comes, the worker is killed, and does nothing of its own about an exit message. Requests that are
/// with the worker by then, or on their slow way to it, are refused with
/// `caf::sec::request_receiver_down`, those included that the worker had passed on to somebody else.
///
/// One that hangs can still be ended; `VirtualTime::freeze` is for what nothing can end.
///
/// @shape  `worker`: a handle, typed or not; the result is of the same type.
/// @errors throws `InvalidArgument` if there is no worker.
/// @thread any
template <class Handle>
Handle faulty_actor(const Handle& worker, Faults faults) {
  return caf::actor_cast<Handle>(
    detail::spawn_faulty(caf::actor_cast<caf::actor>(worker), std::move(faults)));
}

/// Returns a factory of children that are those of `factory` and fail as the plan says. All
/// incarnations follow one plan.
///
///     const auto sender = spawn_back_off_sender(
///       system, faulty_children(child_of<Worker>(), "crash, hang, error(503, retry_after 2s)"));
///
/// @errors what `factory` throws, or an invalid handle that it returns, is a failed start. Throws
///         `InvalidArgument` if there is no `factory`.
/// @thread the result may be called from any thread if `factory` may.
BACKOFF_ACTOR_EXPORT ChildFactory faulty_children(ChildFactory factory, Faults faults,
                                                  BirthPlan births = {});

} // namespace backoff_actor::testing
