// Supervisors that end when their work is done.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class SignificantChildren : public SupervisorTest {
protected:
  static ChildOptions significant(RestartType type) {
    auto options = of_type(type);
    options.is_significant = true;
    return options;
  }

  static SupervisorOptions ending_with(AutoShutdown which) {
    SupervisorOptions options;
    options.auto_shutdown = which;
    return options;
  }
};

TEST_F(SignificantChildren, end_their_supervisor_by_what_they_do) {
  struct Row {
    AutoShutdown auto_shutdown;
    RestartType type;
    std::string what;
    bool ends;
  };
  const std::vector<Row> rows{
    {AutoShutdown::any_significant, RestartType::transient, "stop", true},
    {AutoShutdown::any_significant, RestartType::transient, "shutdown", true},
    {AutoShutdown::any_significant, RestartType::transient, "crash", false},
    {AutoShutdown::any_significant, RestartType::temporary, "stop", true},
    {AutoShutdown::any_significant, RestartType::temporary, "crash", true},
    {AutoShutdown::all_significant, RestartType::transient, "stop", false},
    {AutoShutdown::all_significant, RestartType::temporary, "crash", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    *nursery = {};
    start({spec("a", significant(row.type)), spec("b", significant(row.type)), spec("c")},
          ending_with(row.auto_shutdown));
    tell("a", row.what);
    EXPECT_EQ(ended->has_value(), row.ends);
    EXPECT_EQ(nursery->alive["c"], row.ends ? 0 : 1);
    time.stop(supervisor);
    time.run();
  }
}

TEST_F(SignificantChildren, end_their_supervisor_with_the_last_of_them) {
  start({spec("a", significant(RestartType::transient)),
         spec("b", significant(RestartType::temporary)), spec("c")},
        ending_with(AutoShutdown::all_significant));
  tell("b", "crash");
  EXPECT_FALSE(*ended);
  tell("a", "stop");
  EXPECT_TRUE(*ended && !**ended);
}

TEST_F(SignificantChildren, that_wait_for_a_restart_are_not_done) {
  start({spec("a", significant(RestartType::transient)),
         spec("b", significant(RestartType::transient))},
        ending_with(AutoShutdown::all_significant));
  tell("a", "crash");
  tell("b", "stop");
  EXPECT_FALSE(*ended);
  time.advance(1s);
  tell("a", "stop");
  EXPECT_TRUE(*ended);
}

TEST_F(SignificantChildren, that_are_terminated_or_ended_with_their_group_end_nothing) {
  auto options = ending_with(AutoShutdown::any_significant);
  options.strategy = Strategy::one_for_all;
  start({spec("a", significant(RestartType::temporary)), spec("b"),
         spec("c", significant(RestartType::transient))},
        options);
  EXPECT_EQ(*control(TerminateChild{"c"}), "ok");
  tell("b", "crash");
  time.advance(1s);
  EXPECT_EQ(states(), "b running, c stopped");
  EXPECT_FALSE(*ended);
}

TEST_F(SignificantChildren, pass_it_on_through_supervisors_that_are_significant) {
  auto inner = supervisor_spec("inner", {spec("a", significant(RestartType::transient))},
                               ending_with(AutoShutdown::any_significant));
  inner.options.restart = RestartType::transient;
  inner.options.is_significant = true;
  start({inner, spec("b")}, ending_with(AutoShutdown::any_significant));
  tell("a", "stop");
  EXPECT_TRUE(*ended && !**ended);
  EXPECT_EQ(nursery->alive["b"], 0);
}

} // namespace
} // namespace backoff_actor::actor_test
