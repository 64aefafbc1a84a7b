// What an operator asks of a supervisor, in every state of a child.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class SupervisorControl : public SupervisorTest {
protected:
  // A child that is never up, and does not end while it is frozen.
  class Starting : public caf::event_based_actor {
  public:
    using caf::event_based_actor::event_based_actor;
    caf::behavior make_behavior() override {
      return {[this](const AwaitUp&) {
        up_ = make_response_promise();
        return up_;
      }};
    }

    // The promise of 0.17.6 keeps the actor alive that holds it.
    void on_exit() override { up_ = {}; }

  private:
    caf::response_promise up_;
  };

  // Brings the child `a` into a state; an actor of it that is to answer nothing is frozen.
  void bring_into(const std::string& state) {
    *nursery = {};
    if (state == "starting") {
      start(std::vector<ChildSpec>{});
      auto never = spec("a");
      never.make = [nursery = nursery](caf::event_based_actor* self) -> caf::actor {
        ++nursery->births["a"];
        return nursery->actors["a"] = self->spawn<Starting>();
      };
      never.options.readiness = Readiness::when_it_is_up;
      control(StartChild{never});
      return;
    }
    start(state == "unknown" ? std::vector<ChildSpec>{} : specs("a"));
    if (state == "waiting") {
      tell("a", "crash");
    } else if (state == "stopped") {
      control(TerminateChild{"a"});
    } else if (state == "ending") {
      frozen = nursery->actors["a"];
      time.freeze(frozen);
      control(TerminateChild{"a"});
    }
    ASSERT_EQ(states(), state == "unknown" ? "" : "a " + state);
  }

  void clear_away() {
    if (frozen)
      time.thaw(frozen);
    frozen = nullptr;
    time.stop(supervisor);
    time.run();
  }

  std::shared_ptr<std::string> ask_control(const std::string& call) {
    if (call == "start")
      return control(StartChild{spec("a")});
    if (call == "terminate")
      return control(TerminateChild{"a"});
    if (call == "restart")
      return control(RestartChild{"a"});
    if (call == "delete")
      return control(DeleteChild{"a"});
    return control(RetryChildNow{"a"});
  }

  caf::actor frozen;
};

TEST_F(SupervisorControl, call_by_state) {
  struct Row {
    std::string call;
    std::string state;
    std::string answer;
    std::string after; // of all children
  };
  const std::vector<Row> rows{
    {"start", "unknown", "ok", "a running"},
    {"start", "stopped", "already_present", "a stopped"},
    {"start", "waiting", "already_present", "a waiting"},
    {"start", "starting", "already_started", "a starting"},
    {"start", "running", "already_started", "a running"},
    {"start", "ending", "already_started", "a ending"},

    {"terminate", "unknown", "not_found", ""},
    {"terminate", "stopped", "ok", "a stopped"},
    {"terminate", "waiting", "ok", "a stopped"},
    {"terminate", "starting", "ok", "a stopped"},
    {"terminate", "running", "ok", "a stopped"},
    {"terminate", "ending", "no answer", "a ending"}, // which comes with its end

    {"restart", "unknown", "not_found", ""},
    {"restart", "stopped", "ok", "a running"},
    {"restart", "waiting", "restarting", "a waiting"},
    {"restart", "starting", "restarting", "a starting"},
    {"restart", "running", "running", "a running"},
    {"restart", "ending", "ending", "a ending"},

    {"delete", "unknown", "not_found", ""},
    {"delete", "stopped", "ok", ""},
    {"delete", "waiting", "restarting", "a waiting"},
    {"delete", "starting", "restarting", "a starting"},
    {"delete", "running", "running", "a running"},
    {"delete", "ending", "ending", "a ending"},

    {"retry_now", "unknown", "not_found", ""},
    {"retry_now", "stopped", "not_running", "a stopped"},
    {"retry_now", "waiting", "ok", "a running"},
    {"retry_now", "starting", "restarting", "a starting"},
    {"retry_now", "running", "running", "a running"},
    {"retry_now", "ending", "ending", "a ending"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.call + ", " + row.state);
    bring_into(row.state);
    EXPECT_EQ(*ask_control(row.call), row.answer);
    EXPECT_EQ(states(), row.after);
    clear_away();
  }
}

TEST_F(SupervisorControl, counts_and_specs_by_state) {
  struct Row {
    std::string state;
    ChildCounts counts;
    bool has_spec;
    bool has_actor;
  };
  const std::vector<Row> rows{
    {"unknown", {}, false, false},
    {"stopped", {.specs = 1, .stopped = 1}, true, false},
    {"waiting", {.specs = 1, .waiting = 1}, true, false},
    {"starting", {.specs = 1, .active = 1}, true, true},
    {"running", {.specs = 1, .active = 1, .running = 1}, true, true},
    {"ending", {.specs = 1, .active = 1}, true, true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.state);
    bring_into(row.state);
    EXPECT_EQ(counts(), row.counts);
    const auto spec = ask_for<ChildSpec>(GetSpec{"a"});
    EXPECT_EQ(spec->value.has_value(), row.has_spec);
    EXPECT_EQ(spec->value ? spec->value->id : "none", row.has_spec ? "a" : "none");
    const auto list = children().list;
    EXPECT_EQ(list.size(), row.counts.specs);
    EXPECT_EQ(!list.empty() && list[0].actor, row.has_actor);
    clear_away();
  }
}

TEST_F(SupervisorControl, whoever_waits_for_the_end_of_a_child_is_told_when_it_comes) {
  bring_into("ending");
  const auto second = control(TerminateChild{"a"});
  const auto third = control(TerminateChild{"a"});
  EXPECT_EQ(*second, "no answer");
  time.thaw(std::exchange(frozen, nullptr));
  time.run();
  EXPECT_EQ(*second, "ok");
  EXPECT_EQ(*third, "ok");
  EXPECT_EQ(states(), "a stopped");
}

TEST_F(SupervisorControl, a_child_that_waits_for_its_restart_is_terminated_at_once_and_for_good) {
  bring_into("waiting");
  EXPECT_EQ(*control(TerminateChild{"a"}), "ok");
  time.advance(1h);
  EXPECT_EQ(nursery->births["a"], 1) << "no late start";
  EXPECT_EQ(*control(DeleteChild{"a"}), "ok");
  EXPECT_EQ(states(), "");
}

TEST_F(SupervisorControl, whoever_waits_for_the_start_of_a_child_is_told_that_it_was_terminated) {
  start(std::vector<ChildSpec>{});
  auto never = spec("a");
  never.make = [nursery = nursery](caf::event_based_actor* self) -> caf::actor {
    return nursery->actors["a"] = self->spawn<Starting>();
  };
  never.options.readiness = Readiness::when_it_is_up;
  const auto starter = control(StartChild{never});
  EXPECT_EQ(*starter, "no answer");
  EXPECT_EQ(*control(TerminateChild{"a"}), "ok");
  EXPECT_EQ(*starter, "terminated");
}

TEST_F(SupervisorControl, a_child_that_is_added_comes_last_in_order) {
  SupervisorOptions options;
  options.strategy = Strategy::rest_for_one;
  start(specs("cb"), options);
  EXPECT_EQ(*control(StartChild{spec("a")}), "ok");
  news();
  tell("b", "crash");
  time.advance(1s);
  EXPECT_THAT(news(), ElementsAre("b1 ended", "a1 ended", "b2 up", "a2 up"));
}

TEST_F(SupervisorControl, a_spec_that_is_wrong_is_refused_with_all_that_is_wrong) {
  start(specs("a"));
  auto wrong = spec("");
  wrong.options.shutdown = Shutdown::within(0s);
  wrong.options.is_significant = true;
  const auto answer = ask_for<StartedChild>(StartChild{wrong});
  EXPECT_THAT(answer->error_text,
              HasSubstr("id: got an empty text, allowed a text that names the child"));
  EXPECT_THAT(answer->error_text, HasSubstr("options.shutdown: got within 0ns"));
  EXPECT_THAT(answer->error_text, HasSubstr("options.is_significant: got true"));
  EXPECT_EQ(states(), "a running");
}

TEST_F(SupervisorControl, messages_that_it_does_not_know_leave_the_supervisor_alone) {
  start(specs("a"));
  time.tell(supervisor, std::string{"hello"});
  time.tell(supervisor, caf::make_error(caf::sec::runtime_error));
  EXPECT_EQ(ask_for<std::string>(std::string{"hello"})->error, caf::sec::unexpected_message);
  EXPECT_EQ(states(), "a running");
}

TEST_F(SupervisorControl, while_it_stops_nothing_is_started) {
  start(specs("ab"));
  const auto a = nursery->actors["a"];
  time.freeze(a);
  const auto stopped = ask_for<ChildCounts>(Stop{});
  EXPECT_EQ(*control(StartChild{spec("c")}), "stopping");
  EXPECT_EQ(*control(RestartChild{"b"}), "stopping");
  EXPECT_EQ(states(), "a ending, b stopped");
  EXPECT_FALSE(stopped->value);
  time.thaw(a);
  time.run();
  EXPECT_TRUE(stopped->value);
  EXPECT_TRUE(*ended && !**ended);
}

TEST_F(SupervisorControl, a_child_with_the_address_of_another_is_refused) {
  const ChildRef ref{time.system()};
  auto first = spec("a");
  first.address = ref;
  start({first});
  auto second = spec("b");
  second.address = ref;
  const auto refused = ask_for<StartedChild>(StartChild{second});
  EXPECT_THAT(refused->error_text,
              HasSubstr("address: got that of another child, allowed an address of its own"));
  EXPECT_EQ(*control(StartChild{first}), "already_started");
  control(TerminateChild{"a"});
  EXPECT_EQ(*control(DeleteChild{"a"}), "ok");
  EXPECT_EQ(*control(StartChild{second}), "ok") << "it is free again";
  EXPECT_EQ(ref.current(), nursery->actors["b"]);
}

} // namespace
} // namespace backoff_actor::actor_test
