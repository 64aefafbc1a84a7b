#pragma once

// Inside of `RequestingActor`, for CAF 0.17.6; not for its users.

#include "backoff_actor/core/export.hpp"

#include <caf/execution_unit.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduled_actor.hpp>

#include <cstddef>

namespace backoff_actor::compat {

// What CAF's scheduler is given in the place of an actor that has something to do. For each turn of
// a job it looks for the actor in it, by a `dynamic_cast` across all classes that the job is
// derived from: 1,640 instructions for a sender, of about 4,000 that such a turn with one message
// takes in all. Nothing comes of it but the number in CAF's log, which `scheduled_actor::resume`
// sets again. So a job is a class of its own, in which there is little to search.
//
// Its `subtype()` must not be that of an actor: when CAF's scheduler ends, it casts each remaining
// element of its queue with that subtype to an actor, without a check.
//
// Lives as long as the actor, of which it is a member, and counts its references.
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

// Where an actor that has got a message is put in line for its turn, by its job.
class BACKOFF_ACTOR_HIDDEN JobQueue final : public caf::execution_unit {
public:
  // Of the thread that sends; null: of none of the scheduler's.
  JobQueue(caf::execution_unit* context, Job& job) : context_(context), job_(job) {}

  // Is called for the actor itself.
  void exec_later(caf::resumable*) override;

private:
  caf::execution_unit* context_;
  Job& job_;
};

} // namespace backoff_actor::compat
