// A stop with a grace that meets other ends: stops, exit messages, kills, strangers.

#include "stop_with_grace_fixture.hpp"

#include <backoff_actor/caf/messages/internal/own_words.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

namespace backoff_actor::actor_test {

// -- together with other ends -----------------------------------------------------------------

TEST_F(TreesWithGrace, are_cut_short_by_a_stop_without_a_grace_and_both_are_answered) {
  start({spec("base"), known(supervisor_spec("inner", {slow("t")}))});
  ask_sender("t", "for ever");
  const auto graceful = stop(30s);
  const auto at_once = ask_for<ChildCounts>(Stop{});
  EXPECT_EQ(graceful->value, (Stopped{0, 0, 1, 0}));
  EXPECT_TRUE(at_once->value);
}

TEST_F(TreesWithGrace, count_also_what_a_child_owes_that_hears_of_both_at_once) {
  start({slow("s")});
  ask_sender("s", "for ever");
  const auto sender = nursery->actors["s"];
  time.freeze(sender);
  const auto graceful = stop(30s);
  ask_for<ChildCounts>(Stop{});
  time.thaw(sender);
  time.run();
  EXPECT_EQ(graceful->value, (Stopped{0, 0, 1, 0}));
}

TEST_F(TreesWithGrace, go_by_the_shorter_of_two) {
  start({known(supervisor_spec("inner", {slow("t")}))});
  ask_sender("t", "for ever");
  const auto first = stop(30s);
  const auto second = stop(3s);
  time.advance(3s);
  EXPECT_EQ(first->value, (Stopped{0, 0, 1, 0}));
  EXPECT_EQ(second->value, (Stopped{0, 0, 1, 0}));
}

TEST_F(TreesWithGrace, end_as_always_when_somebody_sends_an_exit_message_meanwhile) {
  start({slow("s")});
  ask_sender("s", "for ever");
  const auto stopped = stop(30s);
  time.stop(supervisor);
  time.run();
  EXPECT_EQ(stopped->value, (Stopped{0, 0, 1, 0}));
  EXPECT_EQ(**ended, caf::exit_reason::user_shutdown);
}

TEST_F(TreesWithGrace, that_are_killed_meanwhile_say_so) {
  start({slow("s")});
  ask_sender("s", "for ever");
  const auto stopped = stop(30s);
  time.tell(supervisor, caf::exit_msg{{}, caf::exit_reason::kill});
  time.run();
  EXPECT_EQ(*stopped->error, make_error(SupervisorError::stopping));
  EXPECT_EQ(nursery->alive["s"], 0);
}

TEST_F(TreesWithGrace, have_branches_that_can_be_stopped_by_themselves) {
  start({known(supervisor_spec("inner", {slow("t")}))});
  ask_sender("t", "1s");
  const auto branch = ask<Stopped>(nursery->actors["inner"], Stop{30s});
  const auto whole = stop(20s);
  time.advance(1s);
  EXPECT_EQ(branch->value, (Stopped{1, 0, 0, 0}));
  EXPECT_EQ(whole->value, (Stopped{1, 0, 0, 0}));
  EXPECT_TRUE(*ended);
}

TEST_F(TreesWithGrace, count_a_sender_that_was_told_to_stop_before) {
  start({slow("s")});
  const auto answer = ask_sender("s", "1s");
  ask_sender("s", "2s");
  ask<Stopped>(nursery->actors["s"], Stop{30s});
  const auto stopped = stop(20s);
  time.advance(1s);
  EXPECT_EQ(answer->value, "1s");
  EXPECT_EQ(stopped->value, (Stopped{1, 0, 1, 0}));
}

// -- strangers --------------------------------------------------------------------------------

TEST_F(TreesWithGrace, are_not_begun_nor_cut_short_by_strangers) {
  start({slow("s"), known(supervisor_spec("inner", {slow("t")}))});
  const auto refused = ask<Stopped>(supervisor, FinishWork{Instant{}, true});
  EXPECT_EQ(*refused->error, caf::sec::unexpected_message);
  time.tell(nursery->actors["inner"], FinishWork{Instant{}, true});
  time.tell(supervisor, WorkFinished{});
  time.run();
  EXPECT_EQ(phase(), SupervisorPhase::running);

  const auto first = ask_sender("s", "1s");
  const auto second = ask_sender("t", "1s");
  const auto stopped = stop(30s);
  time.tell(supervisor, WorkFinished{});
  time.keep(time.system().spawn<Bystander>(
    [to = supervisor](auto* self) { self->send(to, WorkFinished{}); },
    std::make_shared<Strings>()));
  time.tell(nursery->actors["s"], FinishWork{Instant{}, true});
  time.run();
  EXPECT_EQ(phase(), SupervisorPhase::finishing);
  time.advance(1s);
  EXPECT_EQ(first->value, "1s");
  EXPECT_EQ(second->value, "1s");
  EXPECT_EQ(stopped->value, (Stopped{2, 0, 0, 0}));
}

} // namespace backoff_actor::actor_test
