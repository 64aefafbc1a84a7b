// Children that are added, or asked for by hand, while their group waits for its restart.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class SupervisorNewcomers : public SupervisorTest {
protected:
  void start_group(Strategy strategy, const std::string& ids) {
    SupervisorOptions options;
    options.strategy = strategy;
    start(specs(ids), options);
    news();
  }
};

TEST_F(SupervisorNewcomers, are_started_with_the_group_in_front_of_them_and_answered_then) {
  for (const auto strategy : {Strategy::one_for_all, Strategy::rest_for_one}) {
    SCOPED_TRACE(to_string(strategy));
    *nursery = {};
    start_group(strategy, "ab");
    tell("a", "crash");
    news();
    const auto added = control(StartChild{spec("c")});
    EXPECT_EQ(*added, "no answer");
    EXPECT_EQ(states(), "a waiting, b waiting, c waiting");
    EXPECT_THAT(news(), IsEmpty()) << "those that it may stand on are down";
    time.advance(1s);
    EXPECT_THAT(news(), ElementsAre("a2 up", "b2 up", "c1 up"));
    EXPECT_EQ(*added, "ok");
    time.stop(supervisor);
    time.run();
  }
}

TEST_F(SupervisorNewcomers, that_were_terminated_are_started_in_their_place) {
  start_group(Strategy::rest_for_one, "abc");
  control(TerminateChild{"b"});
  tell("a", "crash");
  news();
  const auto asked = control(RestartChild{"b"});
  EXPECT_EQ(*asked, "no answer");
  time.advance(1s);
  EXPECT_THAT(news(), ElementsAre("a2 up", "b2 up", "c2 up"));
  EXPECT_EQ(*asked, "ok");
}

TEST_F(SupervisorNewcomers, that_fail_to_start_are_answered_with_the_cause) {
  nursery->barren = {"b"};
  start_group(Strategy::one_for_all, "a");
  tell("a", "crash");
  const auto added = ask_for<StartedChild>(StartChild{spec("b")});
  time.advance(1s);
  EXPECT_THAT(added->error_text, HasSubstr("child b: stillbirth of b1"));
  EXPECT_EQ(states(), "a running");
}

TEST_F(SupervisorNewcomers, are_told_when_the_supervisor_stops_before_their_turn) {
  start_group(Strategy::one_for_all, "a");
  tell("a", "crash");
  const auto added = control(StartChild{spec("b")});
  EXPECT_TRUE(ask_for<ChildCounts>(Stop{})->value);
  EXPECT_EQ(*added, "stopping");
  EXPECT_EQ(nursery->births["b"], 0);
}

} // namespace
} // namespace backoff_actor::actor_test
