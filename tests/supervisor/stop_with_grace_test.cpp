// A tree of supervisors that is stopped with a grace: all senders in it finish what is in flight,
// and then it ends in order.

#include "stop_with_grace_fixture.hpp"

#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

namespace backoff_actor::actor_test {

// -- two levels ---------------------------------------------------------------------------

TEST_F(TreesWithGrace, let_all_senders_finish_and_then_end_in_reverse_order) {
  start({spec("base"), slow("s"), known(supervisor_spec("inner", {spec("db"), slow("t")})),
         spec("tail")});
  const auto first = ask_sender("s", "1s");
  const auto second = ask_sender("t", "2s");
  const auto waiting = ask_sender("t", "1s");
  news();
  const auto stopped = stop(30s);
  EXPECT_EQ(phase(), SupervisorPhase::finishing);
  EXPECT_EQ(*ask_sender("s", "1s")->error, make_error(SenderError::draining));
  EXPECT_EQ(*ask_sender("t", "1s")->error, make_error(SenderError::draining));

  time.advance(1s);
  EXPECT_EQ(first->value, "1s");
  EXPECT_THAT(news(), IsEmpty()) << "those that work may still call them";
  time.advance(1s);
  EXPECT_EQ(second->value, "2s");
  EXPECT_EQ(*waiting->error, make_error(SenderError::stopped));
  EXPECT_THAT(news(), ElementsAre("tail1 ended", "worker of t ended", "db1 ended",
                                  "worker of s ended", "base1 ended"));
  EXPECT_EQ(stopped->value, (Stopped{2, 0, 1, 0}));
  EXPECT_TRUE(*ended && !**ended);
  EXPECT_EQ(time.timers(), 0u);
}

TEST_F(TreesWithGrace, sum_up_what_stays_owed_in_durable_outboxes) {
  DurableOptions durable_options;
  durable_options.thread = WriterThread::scheduler;
  SenderOptions options;
  options.outbox = DurableOutbox{std::make_shared<testing::MemoryStore>("t.db"),
                                 durable<std::string>(), durable_options};
  start({slow("s"), known(supervisor_spec("inner", {slow("t", options)}))});
  for (const auto* const id : {"s", "t"})
    for (const auto* const what : {"1s", "2s", "3s"})
      ask_sender(id, what);
  const auto stopped = stop(30s);
  time.advance(1s);
  EXPECT_EQ(stopped->value, (Stopped{2, 2, 2, 0}));
}

TEST_F(TreesWithGrace, lose_no_time_of_the_others_to_one_that_hangs) {
  start({spec("base"), slow("s"), known(supervisor_spec("inner", {slow("t")}))});
  const auto good = ask_sender("s", "29s");
  ask_sender("t", "for ever");
  news();
  const auto stopped = stop(30s);
  time.advance(29s);
  EXPECT_EQ(good->value, "29s");
  time.advance(1s - 1ns);
  EXPECT_THAT(news(), IsEmpty());
  time.advance(1ns);
  EXPECT_THAT(news(), ElementsAre("worker of t ended", "worker of s ended", "base1 ended"));
  EXPECT_EQ(stopped->value, (Stopped{1, 0, 1, 0}));
}

// The actor system waits for it, too.
TEST_F(TreesWithGrace, count_a_child_that_was_abandoned_before_and_still_lives) {
  start({spec("a"), spec("b")});
  const auto hanging = nursery->actors["b"];
  time.freeze(hanging);
  control(TerminateChild{"b"});
  time.advance(1min);
  ASSERT_EQ(counts().abandoned, 1u);
  EXPECT_EQ(stop(30s)->value, (Stopped{0, 0, 0, 1}));
  time.thaw(hanging);
}

TEST_F(TreesWithGrace, abandon_a_worker_that_cannot_even_be_killed_and_count_it) {
  start({spec("base"), known(supervisor_spec("inner", {slow("t")}))});
  ask_sender("t", "for ever");
  const auto worker = nursery->actors["worker of t"];
  time.freeze(worker);
  const auto stopped = stop(30s);
  time.advance(30s + 5s - 1ns);
  EXPECT_FALSE(stopped->is_ready());
  time.advance(1ns);
  EXPECT_EQ(stopped->value, (Stopped{0, 0, 1, 1}));
  EXPECT_EQ(nursery->alive["base"], 0);
  time.thaw(worker);
}

TEST_F(TreesWithGrace, do_not_wait_for_ever_for_a_supervisor_that_is_stuck) {
  start({spec("base"), known(supervisor_spec("inner", {slow("t")}))});
  ask_sender("t", "1s");
  const auto inner = nursery->actors["inner"];
  time.freeze(inner);
  const auto stopped = stop(30s);
  time.advance(50s - 1ns);
  EXPECT_FALSE(stopped->is_ready());
  time.advance(1ns); // the grace, three times the kill_grace, and once more after it was killed
  EXPECT_EQ(stopped->value, (Stopped{0, 0, 0, 1}));
  EXPECT_TRUE(*ended);
  time.thaw(inner);
  time.run();
  EXPECT_EQ(nursery->alive["t"], 0) << "it kills what it has when it comes to";
}

// -- ordinary workers -----------------------------------------------------------------------

TEST_F(TreesWithGrace, give_a_worker_the_time_until_the_end_of_the_grace) {
  start({spec("base"), slow("s"), stubborn()});
  ask_sender("s", "10s");
  news();
  const auto stopped = stop(30s);
  time.advance(10s);
  EXPECT_THAT(news(), ElementsAre("stubborn asked"));
  time.advance(20s - 1ns);
  EXPECT_THAT(news(), IsEmpty());
  time.advance(1ns);
  EXPECT_THAT(news(), ElementsAre("stubborn killed", "worker of s ended", "base1 ended"));
  EXPECT_EQ(stopped->value, (Stopped{1, 0, 0, 0}));
}

TEST_F(TreesWithGrace, start_and_restart_nothing) {
  start({spec("a"), slow("s")});
  ask_sender("s", "10s");
  tell("a", "crash"); // its restart is due in a second
  const auto stopped = stop(30s);
  EXPECT_EQ(*control(StartChild{spec("b")}), "stopping");
  EXPECT_EQ(*control(RestartChild{"a"}), "stopping");
  time.tell(nursery->actors["worker of s"],
            caf::exit_msg{{}, caf::make_error(caf::sec::runtime_error)});
  time.run();
  EXPECT_EQ(stopped->value, (Stopped{0, 0, 1, 0}));
  EXPECT_EQ(nursery->births["a"], 1);
}

TEST_F(TreesWithGrace, call_off_the_start_of_a_child_that_is_still_to_come) {
  std::optional<ChildPromise> promise;
  auto late = spec("late");
  late.make =
    ChildFactory{[&](caf::event_based_actor*, ChildPromise x) { promise = std::move(x); }};
  start({slow("s")});
  const auto added = control(StartChild{late});
  ask_sender("s", "1s");
  const auto stopped = stop(30s);
  EXPECT_EQ(*added, "stopping");
  time.advance(1s);
  EXPECT_EQ(stopped->value, (Stopped{1, 0, 0, 0}));
  promise.reset();
}

TEST_F(TreesWithGrace, leave_a_shared_sender_alone) {
  auto shared = spec("shared");
  const auto outside = time.keep(
    spawn_back_off_sender(time.system(), [nursery = nursery](caf::event_based_actor* sender) {
      return sender->spawn<Slowpoke>(nursery, "shared");
    }));
  shared.make = ChildFactory{[&](caf::event_based_actor*, const ChildPromise& promise) {
    promise.deliver(outside, Ownership::shared);
  }};
  start({shared});
  const auto before = ask<std::string>(outside, std::string{"1s"});
  EXPECT_EQ(stop(30s)->value, Stopped{});
  const auto after = ask<std::string>(outside, std::string{"1s"});
  time.advance(1s);
  EXPECT_EQ(before->value, "1s");
  EXPECT_EQ(after->value, "1s");
}

} // namespace backoff_actor::actor_test
