// How long a restart is waited for, alone and in a group.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class SupervisorDelays : public SupervisorTest {
protected:
  // When a child was started, since the beginning.
  std::vector<Duration> starts_of(const std::string& id) {
    std::vector<Duration> result;
    for (const auto& x : log.all<supervisor_event::ChildStarted>())
      if (x.child == id)
        result.push_back(log.since_start(x.at));
    return result;
  }

  static SupervisorOptions with(Strategy strategy) {
    SupervisorOptions options;
    options.strategy = strategy;
    return options;
  }

  static ChildOptions after(Duration delay) {
    auto options = plain();
    options.backoff = Fixed{delay};
    return options;
  }
};

TEST_F(SupervisorDelays, grow_with_each_failure_in_a_row) {
  start(specs("a"));
  for (auto i = 0; i < 6; ++i) {
    tell("a", "crash");
    time.advance(8s);
  }
  EXPECT_THAT(starts_of("a"), ElementsAre(0s, 1s, 10s, 20s, 32s, 40s, 48s));
  // 8 s apart they failed; 1, 2, 4 and then 8 s the restarts were waited for.
}

TEST_F(SupervisorDelays, begin_anew_after_the_stated_time_of_health) {
  auto options = plain();
  options.healthy_after = 1min;
  start({spec("a", options)});
  tell("a", "crash");
  time.advance(1s);
  tell("a", "crash");
  time.advance(2s);
  EXPECT_EQ(status("a").failures, 2u);
  time.advance(1min - 1ns);
  tell("a", "crash"); // one nanosecond too early
  EXPECT_EQ(status("a").due_in, 4s);
  time.advance(4s + 1min);
  tell("a", "crash");
  EXPECT_EQ(status("a").due_in, 1s);
  EXPECT_EQ(status("a").failures, 1u);
  time.advance(1s + 1min - 1ns);
  EXPECT_EQ(status("a").failures, 1u);
  time.advance(1ns);
  EXPECT_EQ(status("a").failures, 0u) << "it is healthy";
}

TEST_F(SupervisorDelays, grow_for_a_child_that_always_lives_a_little_longer_than_the_first) {
  start(specs("a")); // 8 s is its longest delay, and it lives for 7 s each time
  for (const auto delay : {1s, 2s, 4s, 8s}) {
    tell("a", "crash");
    EXPECT_EQ(status("a").due_in, delay);
    time.advance(delay + 7s);
  }
}

TEST_F(SupervisorDelays, grow_while_the_restart_fails_and_are_set_again_each_time) {
  start(specs("a"));
  nursery->barren.insert("a");
  tell("a", "crash");
  time.advance(1s + 2s + 4s + 8s);
  EXPECT_EQ(nursery->births["a"], 5);
  EXPECT_EQ(states(), "a waiting");
  nursery->barren.clear();
  time.advance(8s);
  EXPECT_EQ(states(), "a running");
}

TEST_F(SupervisorDelays, a_group_waits_for_the_last_of_its_delays_and_restarts_once_in_order) {
  start({spec("a", after(2s)), spec("b", after(5s)), spec("c", after(1s))},
        with(Strategy::one_for_all));
  news();
  tell_all("abc", "crash"); // before the supervisor hears of any
  EXPECT_EQ(states(), "a waiting, b waiting, c waiting");
  EXPECT_EQ(status("c").due_in, 5s);
  news();
  time.advance(5s - 1ns);
  EXPECT_THAT(news(), IsEmpty());
  time.advance(1ns);
  EXPECT_THAT(news(), ElementsAre("a2 up", "b2 up", "c2 up"));
  time.advance(1h);
  EXPECT_THAT(news(), IsEmpty());
}

TEST_F(SupervisorDelays, a_failure_before_the_group_widens_it_and_may_lengthen_its_delay) {
  start({spec("a", after(3s)), spec("b"), spec("c", after(1s))}, with(Strategy::rest_for_one));
  news();
  tell("c", "crash");
  time.advance(500ms);
  tell("a", "crash");
  EXPECT_THAT(news(), ElementsAre("c1 ended", "a1 ended", "b1 ended"));
  time.advance(3s - 1ns);
  EXPECT_THAT(news(), IsEmpty());
  time.advance(1ns);
  EXPECT_THAT(news(), ElementsAre("a2 up", "b2 up", "c2 up"));
}

TEST_F(SupervisorDelays, a_failure_joins_the_restart_of_its_group_without_being_counted_again) {
  auto options = with(Strategy::one_for_all);
  options.restart_limit = RestartLimit{1, 1h};
  start(specs("abc"), options);
  tell_all("abc", "crash");
  time.advance(1s);
  EXPECT_EQ(states(), "a running, b running, c running");
  EXPECT_FALSE(*ended);
}

TEST_F(SupervisorDelays, the_supervisor_answers_while_it_waits) {
  start(specs("a"));
  tell("a", "crash");
  EXPECT_EQ(counts().waiting, 1u);
  EXPECT_EQ(to_string(status("a")),
            "a: waiting, restart in 1s, child 1, 1 failure, last: boom of a1");
  EXPECT_EQ(*control(StartChild{spec("b")}), "ok");
}

TEST_F(SupervisorDelays, are_over_when_somebody_says_that_the_cause_is_gone) {
  start(specs("a"));
  for (auto i = 0; i < 4; ++i) {
    tell("a", "crash");
    time.advance(8s);
  }
  tell("a", "crash");
  EXPECT_EQ(status("a").due_in, 8s);
  EXPECT_EQ(*control(RetryChildNow{"a"}), "ok");
  EXPECT_EQ(states(), "a running");
}

TEST_F(SupervisorDelays, of_a_group_are_over_for_all_of_it) {
  start(specs("ab"), with(Strategy::one_for_all));
  tell("a", "crash");
  EXPECT_EQ(*control(RetryChildNow{"b"}), "ok");
  EXPECT_EQ(states(), "a running, b running");
}

TEST_F(SupervisorDelays, spread_children_that_went_down_together) {
  std::vector<ChildSpec> children;
  std::string all;
  for (auto id = 'a'; id <= 'z'; ++id) {
    auto options = ChildOptions{}; // the defaults: 50 to 100 ms at first
    children.push_back(spec(std::string{id}, options));
    all += id;
  }
  SupervisorOptions options;
  options.seed = 1;
  start(std::move(children), options);
  tell_all(all, "crash");
  time.advance(49ms);
  EXPECT_EQ(counts().running, 0u);
  time.advance(51ms);
  EXPECT_EQ(counts().running, 26u);
  std::set<Duration> moments;
  for (auto id = 'a'; id <= 'z'; ++id)
    moments.insert(starts_of(std::string{id}).back());
  EXPECT_EQ(moments.size(), 26u);
  EXPECT_GT(*moments.rbegin() - *moments.begin(), 30ms);
}

TEST_F(SupervisorDelays, never_overflow) {
  auto options = plain();
  options.backoff = Exponential{.first = 1s, .factor = 1000, .cap = 24h};
  start({spec("a", options)});
  for (auto i = 0; i < 1000; ++i) {
    tell("a", "crash");
    time.advance(24h);
  }
  EXPECT_EQ(status("a").restarts, 1000u);
}

} // namespace
} // namespace backoff_actor::actor_test
