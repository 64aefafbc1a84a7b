#pragma once

// Inside of `RequestingActor`, for CAF 0.17.6; not for its users.

#include "backoff_actor/core/export.hpp"

#include <caf/execution_unit.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduled_actor.hpp>

#include <cstddef>

namespace backoff_actor::compat {

// CAF's scheduler runs this job in place of the actor, because that is faster. At each turn the
// scheduler tests by a `dynamic_cast` whether the job is an actor. It does so only to set the
// actor's number for CAF's log, which `scheduled_actor::resume` sets again. For a sender, the cast
// would search all base classes: 1,640 of the about 4,000 instructions of a turn with one message.
// The job is a class of its own, so there is little to search.
//
// Its `subtype()` must not be that of an actor: when CAF's scheduler ends, it casts each remaining
// element of its queue with that subtype to an actor, without a check.
//
// A job is a member of its actor, and lives as long. Its references count as references to the
// actor.
class BACKOFF_ACTOR_HIDDEN Job final : public caf::resumable {
public:
  explicit Job(caf::scheduled_actor& actor) : actor_(actor) {}

  resume_result resume(caf::execution_unit* context, std::size_t max_throughput) override {
    return actor_.resume(context, max_throughput);
  }

  void intrusive_ptr_add_ref_impl() override { actor_.intrusive_ptr_add_ref_impl(); }
  void intrusive_ptr_release_impl() override { actor_.intrusive_ptr_release_impl(); }

  caf::scheduled_actor& actor() const { return actor_; }

private:
  caf::scheduled_actor& actor_;
};

// Schedules an actor that has got a message: it puts the actor's job into the queue.
class BACKOFF_ACTOR_HIDDEN JobQueue final : public caf::execution_unit {
public:
  // `context` is that of the sending thread. It is null if that thread is none of the scheduler's.
  JobQueue(caf::execution_unit* context, Job& job) : context_(context), job_(job) {}

  // CAF calls this with the actor. It schedules the job instead.
  void exec_later(caf::resumable*) override;

private:
  caf::execution_unit* context_;
  Job& job_;
};

} // namespace backoff_actor::compat
