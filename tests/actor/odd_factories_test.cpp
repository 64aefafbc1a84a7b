// Factories that return what is no fresh actor.

#include "fixture.hpp"

#include <caf/actor_cast.hpp>

namespace backoff_actor::actor_test {

class OddFactories : public SenderTest {
protected:
  // A worker that answers with its text, and whom the test knows.
  caf::actor echo() { return time.keep(time.system().spawn<Echo>()); }

  void kill(const caf::actor& whom) {
    caf::anon_send_exit(whom, caf::exit_reason::kill);
    time.run();
  }
};

TEST_F(OddFactories, that_return_a_dead_actor_have_made_a_child_that_crashed) {
  const auto dead = echo();
  kill(dead);
  auto next = dead;
  start_with([&next](caf::event_based_actor*) { return next; });
  const auto answer = ask("a");
  time.advance(10ms);
  EXPECT_FALSE(answer->is_ready());
  EXPECT_GE(crashes(), 2u) << "the first, and the one after the delay";

  next = echo();
  time.advance(1h);

  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(status().counters.accepted, 1u);
}

TEST_F(OddFactories,
       that_return_the_actor_that_they_returned_before_have_no_second_child_beside_it) {
  const auto worker = echo();
  int calls = 0;
  start_with(
    [&](caf::event_based_actor* parent) { return ++calls < 3 ? worker : parent->spawn<Echo>(); });
  EXPECT_EQ(ask("a")->value, "a");
  kill(worker);

  const auto answer = ask("b"); // the second child is the dead first one
  time.advance(1h);

  EXPECT_EQ(calls, 3);
  EXPECT_EQ(crashes(), 2u);
  EXPECT_EQ(answer->value, "b");
}

TEST_F(OddFactories, that_return_the_child_of_another_sender_share_its_end) {
  auto shared = echo();
  const auto make = [&](caf::event_based_actor*) { return shared; };
  start_with(make);
  const auto first = time.keep(spawn_back_off_sender(time.system(), make, default_options()));
  EXPECT_EQ(ask("a")->value, "a");
  const auto other = time.ask<std::string>(first, std::string{"b"});
  time.run();
  EXPECT_EQ(other->value, "b");

  shared = echo();
  time.stop(first); // which ends its child
  time.run();

  EXPECT_EQ(crashes(), 1u);
  const auto answer = ask("c");
  time.advance(1h);
  EXPECT_EQ(answer->value, "c") << "by the child that came next";
}

} // namespace backoff_actor::actor_test
