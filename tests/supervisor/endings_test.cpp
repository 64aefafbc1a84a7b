// How children are ended, and what becomes of those that do not end.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class SupervisorEndings : public SupervisorTest {
protected:
  // A worker that refuses to go unless it is killed.
  class Stubborn : public caf::event_based_actor {
  public:
    Stubborn(caf::actor_config& config, std::shared_ptr<Nursery> nursery, std::string id)
      : caf::event_based_actor(config), nursery_(std::move(nursery)), id_(std::move(id)) {
      ++nursery_->alive[id_];
    }

    caf::behavior make_behavior() override {
      const auto refuse = compat::on_exit_message(
        *this, [this](const caf::exit_msg&) { nursery_->diary.push_back(id_ + " refuses"); });
      return {refuse, [](const std::string& text) { return text; }};
    }

    void on_exit() override {
      nursery_->diary.push_back(id_ + " killed");
      --nursery_->alive[id_];
    }

  private:
    std::shared_ptr<Nursery> nursery_;
    std::string id_;
  };

  ChildSpec stubborn(const std::string& id, Shutdown shutdown) {
    auto result = spec(id);
    result.make = [nursery = nursery, id](caf::event_based_actor* self) {
      return nursery->actors[id] = self->spawn<Stubborn>(nursery, id);
    };
    result.options.shutdown = shutdown;
    return result;
  }

  ChildSpec ended_by(const std::string& id, Shutdown shutdown) {
    auto result = spec(id);
    result.options.shutdown = shutdown;
    return result;
  }
};

TEST_F(SupervisorEndings, a_child_that_does_not_go_is_killed_when_its_time_is_over) {
  start({spec("a"), stubborn("b", Shutdown::within(2s))});
  news();
  const auto stopped = ask_for<ChildCounts>(Stop{});
  EXPECT_THAT(news(), ElementsAre("b refuses"));
  time.advance(2s - 1ns);
  EXPECT_THAT(news(), IsEmpty());
  time.advance(1ns);
  EXPECT_THAT(news(), ElementsAre("b killed", "a1 ended"));
  EXPECT_TRUE(stopped->value);
}

TEST_F(SupervisorEndings, a_stranger_who_says_that_a_living_child_is_down_is_not_believed) {
  start({spec("a")});
  news();
  time.tell(supervisor, caf::down_msg{nursery->actors["a"].address(), caf::exit_reason::kill});
  time.advance(1h);
  EXPECT_THAT(news(), IsEmpty()) << "no second actor of the child";
  EXPECT_EQ(states(), "a running");
  ask_for<ChildCounts>(Stop{});
  EXPECT_THAT(news(), ElementsAre("a1 ended")) << "it does not outlive its supervisor";
}

TEST_F(SupervisorEndings, a_child_is_killed_at_once_if_its_spec_says_so) {
  start({stubborn("a", Shutdown::at_once())});
  ask_for<ChildCounts>(Stop{});
  EXPECT_THAT(news(), ElementsAre("a killed"));
  EXPECT_TRUE(*ended);
}

TEST_F(SupervisorEndings, a_child_is_waited_for_without_limit_if_its_spec_says_so) {
  start({stubborn("a", Shutdown::wait())});
  ask_for<ChildCounts>(Stop{});
  time.advance(24h);
  EXPECT_THAT(news(), ElementsAre("a refuses"));
  EXPECT_EQ(states(), "a ending");
  time.tell(nursery->actors["a"], caf::exit_msg{{}, caf::exit_reason::kill});
  time.run();
  EXPECT_TRUE(*ended);
}

TEST_F(SupervisorEndings, a_child_that_hangs_is_abandoned_after_the_grace_and_made_again) {
  SupervisorOptions options;
  options.strategy = Strategy::one_for_all;
  options.kill_grace = 3s;
  start({spec("a"), ended_by("b", Shutdown::within(2s))}, options);
  const auto hanging = nursery->actors["b"];
  time.freeze(hanging);
  tell("a", "crash");
  time.advance(5s - 1ns);
  EXPECT_EQ(states(), "a waiting, b ending");
  nursery->alive["b"] = 0; // it is about to be abandoned
  time.advance(1ns);
  EXPECT_EQ(states(), "a running, b running");
  EXPECT_EQ(counts().abandoned, 1u);
  EXPECT_EQ(nursery->births["b"], 2);
  time.thaw(hanging);
  nursery->alive["b"] = 2;
  time.run();
  EXPECT_EQ(counts().abandoned, 0u);
  EXPECT_EQ(log.count<supervisor_event::AbandonedChildEnded>(), 1u);
  EXPECT_EQ(states(), "a running, b running") << "it is heard no more";
}

TEST_F(SupervisorEndings, a_child_that_hangs_is_waited_for_by_option_and_others_are_answered) {
  SupervisorOptions options;
  options.strategy = Strategy::one_for_all;
  options.after_grace = AfterGrace::wait;
  start({spec("a"), ended_by("b", Shutdown::at_once())}, options);
  const auto hanging = nursery->actors["b"];
  time.freeze(hanging);
  tell("a", "crash");
  time.advance(24h);
  const auto added = control(StartChild{spec("c")});
  EXPECT_EQ(states(), "a waiting, b ending, c waiting");
  EXPECT_EQ(*control(RetryChildNow{"a"}), "ok");
  time.thaw(hanging);
  time.run();
  EXPECT_EQ(states(), "a running, b running, c running");
  EXPECT_EQ(*added, "ok");
}

TEST_F(SupervisorEndings, a_supervisor_that_stops_gives_up_a_child_that_hangs) {
  start({ended_by("a", Shutdown::within(1s)), spec("b")});
  const auto hanging = nursery->actors["a"];
  time.freeze(hanging);
  ask_for<ChildCounts>(Stop{});
  time.advance(1s + 5s - 1ns);
  EXPECT_FALSE(*ended);
  time.advance(1ns);
  EXPECT_TRUE(*ended && !**ended);
  time.thaw(hanging);
}

TEST_F(SupervisorEndings, a_child_that_ends_by_itself_meanwhile_does_not_hold_up_the_end) {
  for (const std::string what : {"stop", "crash", "kill", "fail"}) {
    SCOPED_TRACE(what);
    *nursery = {};
    start(specs("abc"));
    time.tell(nursery->actors["a"], what);
    time.tell(nursery->actors["b"], what);
    time.tell(supervisor, Stop{});
    time.run();
    EXPECT_TRUE(*ended && !**ended);
    EXPECT_EQ(nursery->births["a"], 1);
    EXPECT_EQ(nursery->births["b"], 1);
  }
}

TEST_F(SupervisorEndings, an_exit_message_stops_it_in_order_and_with_that_reason) {
  start(specs("ab"));
  news();
  time.tell(supervisor, caf::exit_msg{{}, caf::exit_reason::user_shutdown});
  time.run();
  EXPECT_THAT(news(), ElementsAre("b1 ended", "a1 ended"));
  EXPECT_EQ(**ended, caf::exit_reason::user_shutdown);
}

TEST_F(SupervisorEndings, a_supervisor_that_is_killed_kills_its_children) {
  start({spec("a"), stubborn("b", Shutdown::wait())});
  news();
  time.tell(supervisor, caf::exit_msg{{}, caf::exit_reason::kill});
  time.run();
  EXPECT_EQ(nursery->alive["a"], 0);
  EXPECT_EQ(nursery->alive["b"], 0);
  EXPECT_EQ(**ended, caf::exit_reason::kill);
  EXPECT_EQ(log.count<supervisor_event::Stopped>(), 1u);
}

TEST_F(SupervisorEndings, whoever_waits_for_a_supervisor_that_is_killed_is_told) {
  start({spec("a")});
  time.freeze(nursery->actors["a"]);
  const auto terminated = control(TerminateChild{"a"});
  const auto stopped = control(Stop{});
  time.tell(supervisor, caf::exit_msg{{}, caf::exit_reason::kill});
  time.run();
  EXPECT_EQ(*terminated, "stopping");
  EXPECT_EQ(*stopped, "stopping");
  time.thaw(nursery->actors["a"]);
}

TEST_F(SupervisorEndings,
       what_a_child_did_by_itself_when_it_was_told_to_end_lengthens_the_delay_of_its_group) {
  class Sore : public Kid {
  public:
    using Kid::Kid;
    caf::behavior make_behavior() override {
      auto result = Kid::make_behavior();
      auto fail = compat::on_exit_message(*this, [this](const caf::exit_msg&) {
        quit(caf::make_error(caf::sec::runtime_error, std::string{"sore"}));
      });
      return {fail, [](const std::string& text) { return text; }};
    }
  };
  auto sore = spec("b");
  sore.options.backoff = Fixed{7s};
  sore.make = [nursery = nursery](caf::event_based_actor* self) -> caf::actor {
    return nursery->actors["b"] = self->spawn<Sore>(nursery, "b", ++nursery->births["b"]);
  };
  SupervisorOptions options;
  options.strategy = Strategy::one_for_all;
  options.restart_limit = RestartLimit{1, 1h};
  start({spec("a"), sore}, options);
  tell("a", "crash");
  EXPECT_EQ(status("a").due_in, 7s);
  EXPECT_EQ(status("b").cause, "sore");
  time.advance(7s);
  EXPECT_EQ(states(), "a running, b running");
  EXPECT_FALSE(*ended) << "it joined the restart";
}

TEST_F(SupervisorEndings, that_of_a_linked_actor_without_a_failure_is_nothing_to_a_supervisor) {
  start(specs("a"));
  time.tell(supervisor, caf::exit_msg{{}, caf::exit_reason::normal});
  time.run();
  EXPECT_FALSE(*ended);
  EXPECT_EQ(states(), "a running");
}

TEST_F(SupervisorEndings, that_a_stranger_tells_of_a_living_child_are_nothing_to_a_supervisor) {
  start(specs("a"));
  time.tell(supervisor, caf::exit_msg{nursery->actors["a"].address(), caf::sec::runtime_error});
  time.run();
  EXPECT_FALSE(*ended);
  EXPECT_EQ(states(), "a running");
}

// Lets the first of two children crash, which is linked to its supervisor.
class SupervisorLinks : public SupervisorEndings {
protected:
  void expect_made_again(ChildSpec linked) {
    start({std::move(linked), spec("b")});
    tell("a", "crash");
    EXPECT_EQ(states(), "a waiting, b running");
    time.advance(1s);
    EXPECT_EQ(states(), "a running, b running");
    EXPECT_FALSE(*ended);
  }
};

TEST_F(SupervisorLinks, of_a_factory_do_not_end_the_supervisor) {
  auto linked = spec("a");
  linked.make = [nursery = nursery](caf::event_based_actor* self) -> caf::actor {
    return nursery->actors["a"] =
             self->spawn<Kid, caf::linked>(nursery, "a", ++nursery->births["a"]);
  };
  expect_made_again(linked);
}

TEST_F(SupervisorLinks, of_a_child_do_not_end_the_supervisor) {
  class Clinging : public Kid {
  public:
    Clinging(caf::actor_config& config, std::shared_ptr<Nursery> nursery, int number,
             caf::actor parent)
      : Kid(config, std::move(nursery), "a", number), parent_(std::move(parent)) {}
    caf::behavior make_behavior() override {
      link_to(std::exchange(parent_, nullptr));
      return Kid::make_behavior();
    }

  private:
    caf::actor parent_;
  };
  auto clinging = spec("a");
  clinging.make = [nursery = nursery](caf::event_based_actor* self) -> caf::actor {
    return nursery->actors["a"] =
             self->spawn<Clinging>(nursery, ++nursery->births["a"], caf::actor{self});
  };
  expect_made_again(clinging);
}

TEST_F(SupervisorEndings, a_supervisor_below_another_has_all_the_time_that_its_children_have) {
  start({supervisor_spec("below", {stubborn("a", Shutdown::within(1h))})});
  const auto stopped = ask_for<ChildCounts>(Stop{});
  EXPECT_THAT(news(), ElementsAre("a refuses"));
  time.advance(1h - 1ns);
  EXPECT_THAT(news(), IsEmpty());
  time.advance(1ns);
  EXPECT_THAT(news(), ElementsAre("a killed"));
  EXPECT_TRUE(stopped->value);
}

TEST_F(SupervisorEndings, an_address_leads_to_nobody_from_when_its_child_is_told_to_end) {
  const ChildRef ref{time.system()};
  auto child = stubborn("a", Shutdown::within(2s));
  child.address = ref;
  start({child});
  EXPECT_TRUE(ref.current());
  control(TerminateChild{"a"});
  EXPECT_FALSE(ref.current());
  time.advance(2s);
}

} // namespace
} // namespace backoff_actor::actor_test
