// Children of a supervisor that come later, or are shared with others.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class SupervisorLaterChildren : public SupervisorTest {
protected:
  ChildSpec later(const std::string& id, ChildOptions options = plain()) {
    auto result = spec(id, std::move(options));
    result.make = [desk = desk](caf::event_based_actor*, ChildPromise child) {
      desk->push_back(std::move(child));
    };
    return result;
  }

  caf::actor worker(const std::string& id) {
    const auto number = ++nursery->births[id];
    return nursery->actors[id] = time.system().spawn<Kid>(nursery, id, number);
  }

  void deliver(std::size_t which, const std::string& id, Ownership ownership = Ownership::sole) {
    desk->at(which).deliver(worker(id), ownership);
    time.run();
  }

  std::shared_ptr<std::vector<ChildPromise>> desk = std::make_shared<std::vector<ChildPromise>>();
};

TEST_F(SupervisorLaterChildren, the_next_one_is_started_when_it_has_come) {
  start({later("a"), spec("b")});
  time.advance(1h);
  EXPECT_EQ(states(), "a starting, b waiting") << "the supervisor answers meanwhile";
  EXPECT_THAT(news(), IsEmpty());
  deliver(0, "a");
  EXPECT_EQ(news(), (Strings{"a1 up", "b1 up"}));
  EXPECT_EQ(states(), "a running, b running");
}

TEST_F(SupervisorLaterChildren, it_restarts_after_its_delay_each_time_it_fails_to_come) {
  start({later("a")});
  deliver(0, "a");
  tell("a", "crash");
  time.advance(1s);
  ASSERT_EQ(desk->size(), 2u);
  desk->at(1).fail("connection refused");
  time.advance(2s);
  ASSERT_EQ(desk->size(), 3u);
  EXPECT_THAT(status("a").cause, HasSubstr("connection refused"));
  deliver(2, "a");
  EXPECT_EQ(states(), "a running");
  EXPECT_EQ(news(), (Strings{"a1 up", "a1 ended", "a2 up"}));
}

TEST_F(SupervisorLaterChildren, a_first_one_that_fails_ends_the_supervisor_naming_child_and_cause) {
  start({spec("a"), later("b")});
  desk->at(0).fail("worker-1:4711: connection refused");
  time.run();
  EXPECT_EQ(news(), (Strings{"a1 up", "a1 ended"}));
  EXPECT_THAT(reason(), HasSubstr("child b: worker-1:4711: connection refused"));
}

TEST_F(SupervisorLaterChildren, one_that_is_terminated_meanwhile_is_called_off) {
  start({spec("a")});
  const auto started = control(StartChild{later("b")});
  EXPECT_EQ(*control(TerminateChild{"b"}), "ok");
  EXPECT_EQ(*started, "terminated");
  EXPECT_EQ(states(), "a running, b stopped");
  EXPECT_FALSE(desk->at(0).is_wanted());
  deliver(0, "b");
  EXPECT_EQ(news(), (Strings{"a1 up", "b1 up", "b1 ended"}));
  EXPECT_EQ(*control(RestartChild{"b"}), "no answer");
  ASSERT_EQ(desk->size(), 2u);
}

TEST_F(SupervisorLaterChildren, one_that_does_not_come_in_time_has_failed_to_start) {
  auto options = plain();
  options.readiness = Readiness::when_it_is_up;
  options.start_timeout = 3s;
  start({spec("a")});
  const auto started = control(StartChild{later("b", options)});
  time.advance(3s);
  EXPECT_EQ(*started, "start_failed");
  EXPECT_FALSE(desk->at(0).is_wanted());
  EXPECT_EQ(states(), "a running");
}

TEST_F(SupervisorLaterChildren, one_that_has_come_is_asked_whether_it_is_up) {
  auto options = plain();
  options.readiness = Readiness::when_it_is_up;
  start({later("a", options)});
  deliver(0, "a"); // which has no answer to that
  EXPECT_EQ(news(), (Strings{"a1 up", "a1 ended"}));
  EXPECT_TRUE(ended->has_value());
}

TEST_F(SupervisorLaterChildren, a_stop_calls_off_what_has_not_come) {
  start({later("a"), spec("b")});
  time.tell(supervisor, Stop{});
  time.run();
  EXPECT_TRUE(ended->has_value());
  EXPECT_FALSE(desk->at(0).is_wanted());
}

TEST_F(SupervisorLaterChildren, a_kill_calls_off_what_has_not_come) {
  start({later("a")});
  caf::anon_send_exit(supervisor, caf::exit_reason::kill);
  time.run();
  EXPECT_FALSE(desk->at(0).is_wanted());
}

TEST_F(SupervisorLaterChildren, one_that_is_shared_is_let_go_of_and_lives) {
  start({later("a"), spec("b")});
  deliver(0, "a", Ownership::shared);
  EXPECT_EQ(*control(TerminateChild{"a"}), "ok");
  EXPECT_EQ(states(), "a stopped, b running");
  EXPECT_EQ(*control(RestartChild{"a"}), "no answer");
  desk->at(1).deliver(nursery->actors["a"], Ownership::shared);
  time.run();
  EXPECT_EQ(states(), "a running, b running") << "the same actor may come again";

  time.tell(supervisor, Stop{});
  time.run();
  EXPECT_TRUE(ended->has_value());
  EXPECT_EQ(news(), (Strings{"a1 up", "b1 up", "b1 ended"}));
}

TEST_F(SupervisorLaterChildren, one_that_is_shared_outlives_a_supervisor_that_is_killed) {
  start({later("a"), spec("b")});
  deliver(0, "a", Ownership::shared);
  caf::anon_send_exit(supervisor, caf::exit_reason::kill);
  time.run();
  EXPECT_EQ(news(), (Strings{"a1 up", "b1 up", "b1 ended"}));
}

} // namespace
} // namespace backoff_actor::actor_test
