#pragma once

// Design notes
//
// A front actor stands before the worker. It takes the next fault for each message, and passes on
// the messages that are to go well. To the sender or client the front is the worker: it crashes,
// hangs and answers with errors. When the worker ends, the front ends with the same reason.

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
/// With `ok` the front sends the message to the worker as a request, and passes its answer on to
/// the client. If the worker itself sends messages or requests to its sender, they go to the client
/// of the latest message. With every other fault except `slow` the worker never gets the message.
/// With a crash or a stop the front ends, and the worker with it.
///
/// When the worker ends, so does the front, with the same reason. When the front ends for any
/// reason, the worker is killed, and its handling of exit messages does not run. Some requests are
/// not answered by then, or are still delayed by `slow`. They get
/// `caf::sec::request_receiver_down`, even if the worker had delegated them to another actor.
///
/// An actor that hangs can still be ended. `VirtualTime::freeze` simulates one that cannot.
///
/// @shape  `worker`: a handle, typed or not; the result is of the same type.
/// @errors throws `InvalidArgument` if there is no worker.
/// @thread any
template <class Handle>
Handle faulty_actor(const Handle& worker, Faults faults) {
  return caf::actor_cast<Handle>(
    detail::spawn_faulty(caf::actor_cast<caf::actor>(worker), std::move(faults)));
}

/// Returns a factory that makes the children of `factory`, with the faults of the plan. All
/// incarnations share one plan.
///
///     const auto sender = spawn_back_off_sender(
///       system, faulty_children(child_of<Worker>(), "crash, hang, error(503, retry_after 2s)"));
///
/// @errors if `factory` throws or returns an invalid handle, the start fails. Throws
///         `InvalidArgument` if there is no `factory`.
/// @thread the result may be called from any thread if `factory` may.
BACKOFF_ACTOR_EXPORT ChildFactory faulty_children(ChildFactory factory, Faults faults,
                                                  BirthPlan births = {});

} // namespace backoff_actor::testing
