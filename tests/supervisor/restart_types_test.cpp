// Whether a child that ended is made again.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class RestartTypes : public SupervisorTest {};

TEST_F(RestartTypes, type_by_reason) {
  struct Row {
    RestartType type;
    std::string what; // ends the child
    std::uint64_t specs;
    std::uint64_t active;
    std::string state; // one delay later
  };
  const std::vector<Row> rows{
    {RestartType::permanent, "stop", 1, 1, "a running"},
    {RestartType::permanent, "shutdown", 1, 1, "a running"},
    {RestartType::permanent, "kill", 1, 1, "a running"},
    {RestartType::permanent, "fail", 1, 1, "a running"},
    {RestartType::permanent, "crash", 1, 1, "a running"},
    {RestartType::transient, "stop", 1, 0, "a stopped"},
    {RestartType::transient, "shutdown", 1, 0, "a stopped"},
    {RestartType::transient, "kill", 1, 1, "a running"},
    {RestartType::transient, "fail", 1, 1, "a running"},
    {RestartType::transient, "crash", 1, 1, "a running"},
    {RestartType::temporary, "stop", 0, 0, ""},
    {RestartType::temporary, "shutdown", 0, 0, ""},
    {RestartType::temporary, "kill", 0, 0, ""},
    {RestartType::temporary, "fail", 0, 0, ""},
    {RestartType::temporary, "crash", 0, 0, ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string{to_string(row.type)} + ", " + row.what);
    *nursery = {};
    start({spec("a", of_type(row.type))});
    tell("a", row.what);
    time.advance(1s);
    EXPECT_EQ(counts().specs, row.specs);
    EXPECT_EQ(counts().active, row.active);
    EXPECT_EQ(states(), row.state);
    EXPECT_EQ(nursery->births["a"], row.active == 1 ? 2 : 1);
    EXPECT_FALSE(*ended);
    time.stop(supervisor);
    time.run();
  }
}

TEST_F(RestartTypes, a_temporary_bystander_is_ended_with_the_group_and_never_comes_back) {
  for (const auto strategy : {Strategy::one_for_all, Strategy::rest_for_one}) {
    SCOPED_TRACE(std::string{to_string(strategy)});
    *nursery = {};
    SupervisorOptions options;
    options.strategy = strategy;
    start({spec("a"), spec("b", of_type(RestartType::temporary)), spec("c")}, options);
    news();
    tell("a", "crash");
    time.advance(1s);
    EXPECT_THAT(news(), ElementsAre("a1 ended", "c1 ended", "b1 ended", "a2 up", "c2 up"));
    EXPECT_EQ(states(), "a running, c running");
    EXPECT_FALSE(*ended);
    time.stop(supervisor);
    time.run();
  }
}

TEST_F(RestartTypes, the_failure_of_a_temporary_child_leaves_its_group_alone) {
  SupervisorOptions options;
  options.strategy = Strategy::one_for_all;
  start({spec("a"), spec("b", of_type(RestartType::temporary))}, options);
  news();
  tell("b", "crash");
  time.advance(1h);
  EXPECT_THAT(news(), ElementsAre("b1 ended"));
  EXPECT_EQ(states(), "a running");
}

TEST_F(RestartTypes, a_transient_child_that_was_done_comes_back_with_its_group) {
  SupervisorOptions options;
  options.strategy = Strategy::one_for_all;
  start({spec("a"), spec("b", of_type(RestartType::transient))}, options);
  tell("b", "stop");
  time.advance(1h);
  EXPECT_EQ(states(), "a running, b stopped");
  news();
  tell("a", "crash");
  time.advance(1s);
  EXPECT_THAT(news(), ElementsAre("a1 ended", "a2 up", "b2 up"));
}

TEST_F(RestartTypes, a_child_that_was_terminated_stays_down_when_its_group_is_restarted) {
  SupervisorOptions options;
  options.strategy = Strategy::one_for_all;
  start(specs("ab"), options);
  EXPECT_EQ(*control(TerminateChild{"b"}), "ok");
  tell("a", "crash");
  time.advance(1s);
  EXPECT_EQ(states(), "a running, b stopped");
}

} // namespace
} // namespace backoff_actor::actor_test
