// What the library puts in the place of CAF's own parts, for CAF 0.17.6.

#include "fixture.hpp"

#include <backoff_actor/caf/actor/internal/v0_17/job_0_17.hpp>
#include <backoff_actor/caf/actor/internal/v0_17/mailbox_elements_0_17.hpp>

#include <caf/actor_cast.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <array>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace backoff_actor::actor_test {

namespace {

// Does with a job what a scheduler does with those that are left when it ends.
struct SchedulerAtItsEnd : caf::scheduler::abstract_coordinator {
  using caf::scheduler::abstract_coordinator::cleanup_and_release;
};

} // namespace

class Jobs : public SenderTest {};

// CAF takes a job for an actor, without a look, if the job says that it is one.
TEST_F(Jobs, that_are_left_in_the_queue_of_a_scheduler_are_let_go_of_and_no_actors) {
  const auto echo = time.keep(time.system().spawn<Echo>());
  time.run();
  const auto references = caf::actor_cast<caf::actor_control_block*>(echo)->strong_refs.load();
  compat::Job job{
    dynamic_cast<caf::scheduled_actor&>(*caf::actor_cast<caf::abstract_actor*>(echo))};
  ASSERT_EQ(job.subtype(), caf::resumable::unspecified);

  caf::resumable* const left = &job;
  intrusive_ptr_add_ref(left); // as of the queue
  SchedulerAtItsEnd::cleanup_and_release(left);

  EXPECT_EQ(caf::actor_cast<caf::actor_control_block*>(echo)->strong_refs.load(), references);
  const auto answer = time.ask<std::string>(echo, std::string{"a"});
  time.run();
  EXPECT_EQ(answer->value, "a");
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33) && !defined(__SANITIZE_ADDRESS__)                  \
  && !defined(__SANITIZE_THREAD__)

TEST(SpareMemories, are_kept_up_to_1024_for_a_thread) {
  using Large = std::array<char, 4000>;
  const auto fill_and_empty = [] {
    std::vector<void*> pieces;
    for (int i = 0; i < 5000; ++i)
      pieces.push_back(compat::SpareMemory<Large>::take());
    for (auto* const piece : pieces)
      compat::SpareMemory<Large>::give(piece);
  };
  const auto before = mallinfo2().uordblks;

  fill_and_empty();

  EXPECT_LT(mallinfo2().uordblks, before + 1100 * sizeof(Large));
}

#endif

} // namespace backoff_actor::actor_test
