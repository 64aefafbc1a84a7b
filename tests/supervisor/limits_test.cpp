// How often children may be restarted, and what follows.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class SupervisorLimits : public SupervisorTest {
protected:
  static SupervisorOptions bearing(std::uint32_t restarts, Duration within,
                                   Strategy strategy = Strategy::one_for_one) {
    SupervisorOptions options;
    options.restart_limit = RestartLimit{restarts, within};
    options.strategy = strategy;
    return options;
  }

  // Failures do not add up to longer delays.
  static ChildOptions steady() {
    auto options = plain();
    options.backoff = Fixed{100ms};
    return options;
  }

  void crash_and_wait(const std::string& id) {
    tell(id, "crash");
    time.advance(100ms);
  }
};

TEST_F(SupervisorLimits, one_restart_more_than_is_borne_ends_the_supervisor_and_is_not_done) {
  start(specs("abc", steady()), bearing(2, 1h));
  crash_and_wait("a");
  crash_and_wait("b");
  EXPECT_EQ(states(), "a running, b running, c running");
  news();
  crash_and_wait("c");
  EXPECT_THAT(news(), ElementsAre("c1 ended", "b2 ended", "a2 ended"));
  EXPECT_EQ(reason(), "limit_reached: children needed more restarts than the restart limit allows ("
                        + name() + ", child c: boom of c1)");
}

TEST_F(SupervisorLimits, the_restart_of_a_group_counts_once) {
  start(specs("abcde", steady()), bearing(2, 1h, Strategy::one_for_all));
  crash_and_wait("c");
  crash_and_wait("c");
  EXPECT_FALSE(*ended);
  EXPECT_EQ(nursery->births["a"], 3);
  crash_and_wait("c");
  EXPECT_TRUE(*ended);
}

// A window from the last restart only would have ended at the sixth.
TEST_F(SupervisorLimits, the_window_slides) {
  start(specs("a", steady()), bearing(5, 5s));
  for (auto i = 0; i < 100; ++i) {
    tell("a", "crash");
    time.advance(4s);
  }
  EXPECT_FALSE(*ended);
  EXPECT_EQ(counts().restarts, 100u);
}

TEST_F(SupervisorLimits, a_flaky_child_with_a_limit_of_its_own_does_not_end_its_siblings) {
  auto flaky = steady();
  flaky.restart_limit = RestartLimit{2, 1h};
  start({spec("a", flaky), spec("b")}, bearing(5, 1h));
  for (auto i = 0; i < 3; ++i)
    crash_and_wait("a");
  time.advance(1h);
  EXPECT_EQ(states(), "a stopped, b running");
  EXPECT_EQ(to_string(status("a")),
            "a: stopped (given_up), child 3, 3 failures in a row, last: boom of a3");
  EXPECT_EQ(log.count<supervisor_event::ChildGivenUp>(), 1u);
  EXPECT_FALSE(*ended);
  EXPECT_EQ(*control(RestartChild{"a"}), "ok");
  EXPECT_EQ(states(), "a running, b running");
}

TEST_F(SupervisorLimits, a_child_that_is_given_up_ends_the_supervisor_if_its_options_say_so) {
  auto vital = steady();
  vital.restart_limit = RestartLimit{0, 1h};
  vital.when_given_up = GivenUp::escalate;
  start({spec("a", vital), spec("b")});
  tell("a", "crash");
  EXPECT_THAT(reason(), HasSubstr("limit_reached"));
  EXPECT_EQ(
    render(time.system(), root_cause_of(**ended)),
    render(time.system(), caf::make_error(caf::sec::runtime_error, std::string{"boom of a1"})));
}

TEST_F(SupervisorLimits, the_end_of_a_supervisor_keeps_the_root_cause_through_two_others) {
  auto flaky = steady();
  const auto inner = supervisor_spec("inner", {spec("a", flaky)}, bearing(0, 1h));
  const auto middle = supervisor_spec("middle", {inner}, bearing(0, 1h));
  start({middle}, bearing(0, 1h));
  tell("a", "crash");
  EXPECT_EQ(
    render(time.system(), root_cause_of(**ended)),
    render(time.system(), caf::make_error(caf::sec::runtime_error, std::string{"boom of a1"})));
  EXPECT_THAT(reason(), HasSubstr("child middle: "));
  EXPECT_THAT(reason(), HasSubstr("child inner: "));
  EXPECT_THAT(reason(), HasSubstr("child a: boom of a1"));
}

TEST_F(SupervisorLimits, a_transient_supervisor_that_has_reached_its_limit_is_restarted) {
  auto inner = supervisor_spec("inner", specs("ab", steady()), bearing(1, 1h));
  inner.options.restart = RestartType::transient;
  inner.options.backoff = Fixed{1s};
  start({inner, spec("c")});
  news();
  crash_and_wait("a");
  crash_and_wait("a");
  EXPECT_EQ(states(), "inner waiting, c running");
  news();
  time.advance(1s);
  EXPECT_THAT(news(), ElementsAre("a3 up", "b2 up"));
  EXPECT_EQ(states(), "inner running, c running");
}

// The table of docs/how-to/limit_restarts.md.
TEST_F(SupervisorLimits, end_a_child_that_always_fails_after_its_first_delays_or_never) {
  struct Row {
    std::uint32_t restarts;
    Duration within;
    std::optional<Duration> ends_after;
  };
  const std::vector<Row> rows{
    {3, 1s, 700ms},          //
    {5, 5s, 3100ms},         //
    {5, 3s, std::nullopt},   //
    {10, 5min, 81'100ms},    //
    {20, 5min, std::nullopt} //
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::to_string(row.restarts) + " within " + to_string(row.within));
    *nursery = {};
    auto options = plain();
    options.backoff = parse_policy("exponential(100ms, x2, cap 30s)");
    start({spec("a", options)}, bearing(row.restarts, row.within));
    nursery->barren.insert("a");
    const auto begin = time.now();
    tell("a", "crash");
    std::optional<Duration> end;
    while (!end && time.now() - begin < 1h) {
      time.advance_to_next_timer();
      if (*ended)
        end = time.now() - begin;
    }
    EXPECT_EQ(end, row.ends_after);
    time.stop(supervisor);
    time.run();
  }
}

TEST_F(SupervisorLimits, failed_restarts_count) {
  start(specs("a", steady()), bearing(3, 1h));
  nursery->barren.insert("a");
  tell("a", "crash");
  time.advance(1s);
  EXPECT_THAT(reason(), HasSubstr("child a: stillbirth of a4"));
  EXPECT_EQ(nursery->births["a"], 4);
}

TEST_F(SupervisorLimits, the_root_cause_is_not_that_of_an_earlier_failure) {
  start(specs("a", steady()), bearing(1, 1h));
  crash_and_wait("a");
  const auto name = "supervisor#" + std::to_string(supervisor.id());
  tell("a", "stop");
  EXPECT_EQ(reason(), "limit_reached: children needed more restarts than the restart limit allows ("
                        + name + ", child a)");
  EXPECT_EQ(root_cause_of(**ended), SupervisorError::limit_reached);
}

} // namespace
} // namespace backoff_actor::actor_test
