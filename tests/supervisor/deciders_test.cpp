// What the decider says of failures.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class SupervisorDeciders : public SupervisorTest {
protected:
  static SupervisorOptions saying(Directive directive, Strategy strategy = Strategy::one_for_one) {
    SupervisorOptions options;
    options.decider = [directive](const std::string&, const caf::error&) { return directive; };
    options.strategy = strategy;
    return options;
  }
};

TEST_F(SupervisorDeciders, directive_by_type) {
  struct Row {
    Directive directive;
    RestartType type;
    std::string at_once; // of all children, after a crash of the first
    std::string later;
    bool ends;
  };
  const std::vector<Row> rows{
    {Directive::resume, RestartType::permanent, "a running, b running", "a running, b running",
     false},
    {Directive::resume, RestartType::transient, "a running, b running", "a running, b running",
     false},
    {Directive::resume, RestartType::temporary, "b running", "b running", false},
    {Directive::restart, RestartType::permanent, "a waiting, b running", "a running, b running",
     false},
    {Directive::restart, RestartType::transient, "a waiting, b running", "a running, b running",
     false},
    {Directive::restart, RestartType::temporary, "b running", "b running", false},
    {Directive::stop, RestartType::permanent, "a stopped, b running", "a stopped, b running",
     false},
    {Directive::stop, RestartType::transient, "a stopped, b running", "a stopped, b running",
     false},
    {Directive::stop, RestartType::temporary, "b running", "b running", false},
    {Directive::escalate, RestartType::permanent, "", "", true},
    {Directive::escalate, RestartType::transient, "", "", true},
    {Directive::escalate, RestartType::temporary, "", "", true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::to_string(static_cast<int>(row.directive)) + ", "
                 + std::string{to_string(row.type)});
    *nursery = {};
    start({spec("a", of_type(row.type)), spec("b")}, saying(row.directive));
    tell("a", "crash");
    EXPECT_EQ(ended->has_value(), row.ends);
    if (row.ends) {
      EXPECT_EQ(**ended, caf::sec::runtime_error) << "the failure itself is the reason";
      EXPECT_THAT(reason(), HasSubstr("boom of a1"));
      EXPECT_EQ(nursery->alive["b"], 0);
      continue;
    }
    EXPECT_EQ(states(), row.at_once);
    time.advance(1s);
    EXPECT_EQ(states(), row.later);
    time.stop(supervisor);
    time.run();
  }
}

TEST_F(SupervisorDeciders, are_asked_which_child_and_why) {
  SupervisorOptions options;
  Strings asked;
  options.decider = [&](const std::string& id, const caf::error& error) {
    asked.push_back(id + ": " + (error == SupervisorError::start_failed ? "start" : "other"));
    return id == "a" ? Directive::restart : Directive::stop;
  };
  start(specs("ab"), options);
  asked.clear(); // it was asked about starts that take too long
  tell("a", "crash");
  tell("b", "fail");
  nursery->barren.insert("a");
  time.advance(1s);
  EXPECT_THAT(asked, ElementsAre("a: other", "b: other", "a: start"));
  EXPECT_EQ(states(), "a waiting, b stopped");
}

TEST_F(SupervisorDeciders, are_not_asked_about_clean_ends) {
  start(specs("a"), saying(Directive::escalate));
  tell("a", "stop");
  EXPECT_EQ(states(), "a waiting");
}

TEST_F(SupervisorDeciders, resuming_counts_nothing_and_leaves_the_group_alone) {
  auto options = saying(Directive::resume, Strategy::one_for_all);
  options.restart_limit = RestartLimit{0, 1h};
  start(specs("ab"), options);
  news();
  for (auto i = 0; i < 5; ++i)
    tell("a", "crash");
  EXPECT_EQ(states(), "a running, b running");
  EXPECT_EQ(nursery->births["a"], 6);
  EXPECT_EQ(nursery->births["b"], 1);
  EXPECT_EQ(status("a").failures, 0u);
}

TEST_F(SupervisorDeciders, a_start_that_failed_is_not_resumed_for_it_would_spin) {
  start(specs("a"), saying(Directive::resume));
  nursery->barren.insert("a");
  tell("a", "crash");
  EXPECT_EQ(nursery->births["a"], 2);
  EXPECT_EQ(states(), "a waiting");
  EXPECT_EQ(status("a").due_in, 1s);
}

TEST_F(SupervisorDeciders, the_stopping_decider_stops_whatever_failed) {
  SupervisorOptions options;
  options.decider = stopping_decider;
  start(specs("ab"), options);
  tell("a", "crash");
  time.advance(1h);
  EXPECT_EQ(states(), "a stopped, b running");
  EXPECT_EQ(to_string(status("a")), "a: stopped (decided), child 1, last: boom of a1");
}

TEST_F(SupervisorDeciders, one_that_throws_restarts) {
  SupervisorOptions options;
  options.decider = [](const std::string&, const caf::error&) -> Directive {
    throw std::runtime_error("undecided");
  };
  start(specs("a"), options);
  tell("a", "crash");
  time.advance(1s);
  EXPECT_EQ(states(), "a running");
}

} // namespace
} // namespace backoff_actor::actor_test
