// Children that cannot be started, or take their time.

#include "supervisor_fixture.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>

namespace backoff_actor::actor_test {
namespace {

class SupervisorStarts : public SupervisorTest {
protected:
  // A child that is up when somebody says so: `up`, or `not up`.
  class Slow : public caf::event_based_actor {
  public:
    Slow(caf::actor_config& config, std::shared_ptr<Nursery> nursery, std::string id)
      : caf::event_based_actor(config), nursery_(std::move(nursery)), id_(std::move(id)) {
      nursery_->diary.push_back(id_ + " made");
      if (++nursery_->alive[id_] > 1)
        nursery_->twins.push_back(id_);
    }

    caf::behavior make_behavior() override {
      return {
        [this](const AwaitUp&) {
          up_ = make_response_promise();
          return up_;
        },
        [this](const std::string& what) {
          if (what == "up")
            compat::answer(up_, caf::make_message());
          else if (what == "not up")
            compat::refuse(up_, caf::make_error(caf::sec::runtime_error, std::string{"no route"}));
          else
            quit(caf::make_error(caf::sec::runtime_error, what));
        },
      };
    }

    void on_exit() override {
      compat::refuse(up_, caf::make_error(caf::sec::runtime_error, std::string{"gone"}));
      nursery_->diary.push_back(id_ + " ended");
      --nursery_->alive[id_];
    }

  private:
    std::shared_ptr<Nursery> nursery_;
    std::string id_;
    caf::response_promise up_;
  };

  ChildSpec slow(const std::string& id, std::optional<Duration> timeout = {}) {
    auto result = spec(id);
    result.make = [nursery = nursery, id](caf::event_based_actor* self) {
      return nursery->actors[id] = self->spawn<Slow>(nursery, id);
    };
    result.options.readiness = Readiness::when_it_is_up;
    result.options.start_timeout = timeout;
    return result;
  }
};

TEST_F(SupervisorStarts, a_first_child_that_cannot_be_started_ends_those_before_it_in_reverse) {
  nursery->barren.insert("c");
  start(specs("abcd"));
  EXPECT_THAT(news(), ElementsAre("a1 up", "b1 up", "c1 not made", "b1 ended", "a1 ended"));
  EXPECT_EQ(reason(), "start_failed: a child could not be started (" + name()
                        + ", child c: stillbirth of c1)");
  time.advance(1h);
  EXPECT_THAT(news(), IsEmpty()) << "it is not tried again";
}

TEST_F(SupervisorStarts, a_supervisor_without_children_is_up_at_once) {
  start(std::vector<ChildSpec>{});
  EXPECT_TRUE(ask_for<Children>(WhichChildren{})->value);
  EXPECT_EQ(*control(AwaitUp{}), "ok");
}

TEST_F(SupervisorStarts, a_child_that_cannot_be_started_when_it_is_added_is_not_kept) {
  start(specs("a"));
  nursery->barren.insert("b");
  const auto answer = ask_for<StartedChild>(StartChild{spec("b")});
  EXPECT_EQ(answer->error_text,
            "start_failed: a child could not be started (child b: stillbirth of b1)");
  EXPECT_EQ(states(), "a running");
  nursery->barren.clear();
  EXPECT_EQ(*control(StartChild{spec("b")}), "ok");
}

TEST_F(SupervisorStarts, a_child_that_cannot_be_restarted_by_hand_stays_down) {
  start(specs("a"));
  control(TerminateChild{"a"});
  nursery->barren.insert("a");
  EXPECT_EQ(*control(RestartChild{"a"}), "start_failed");
  EXPECT_EQ(states(), "a stopped");
  time.advance(1h);
  EXPECT_EQ(nursery->births["a"], 2);
}

TEST_F(SupervisorStarts, a_factory_that_returns_nobody_has_failed) {
  auto nobody = spec("a");
  nobody.make = [](caf::event_based_actor*) { return caf::actor{}; };
  start({nobody});
  EXPECT_THAT(reason(), HasSubstr("child a: the factory returned no actor"));
}

TEST_F(SupervisorStarts, the_next_is_started_when_the_one_before_it_is_up) {
  start({slow("a"), spec("b")});
  EXPECT_THAT(news(), ElementsAre("a made"));
  EXPECT_EQ(states(), "a starting, b waiting");
  tell("a", "up");
  EXPECT_THAT(news(), ElementsAre("b1 up"));
  EXPECT_EQ(states(), "a running, b running");
}

TEST_F(SupervisorStarts, a_supervisor_is_up_when_its_last_child_is) {
  start({spec("a"), slow("b")});
  const auto up = control(AwaitUp{});
  EXPECT_EQ(*up, "no answer");
  tell("b", "up");
  EXPECT_EQ(*up, "ok");
}

TEST_F(SupervisorStarts, an_address_leads_to_its_child_once_that_is_up) {
  const ChildRef ref{time.system()};
  auto child = slow("a");
  child.address = ref;
  start({child});
  EXPECT_FALSE(ref.current());
  tell("a", "up");
  EXPECT_EQ(ref.current(), nursery->actors["a"]);
}

TEST_F(SupervisorStarts, a_first_child_that_says_no_is_a_failed_start) {
  start({spec("a"), slow("b")});
  tell("b", "not up");
  EXPECT_THAT(news(), ElementsAre("a1 up", "b made", "b ended", "a1 ended"));
  EXPECT_THAT(reason(), HasSubstr("child b: no route"));
}

TEST_F(SupervisorStarts, a_child_that_ends_before_it_is_up_has_failed_to_start) {
  start({spec("a"), slow("b")});
  tell("b", "broken");
  EXPECT_THAT(reason(), HasSubstr("child b: broken"));
}

TEST_F(SupervisorStarts, a_child_that_is_not_up_in_time_is_ended_and_started_after_a_delay) {
  start({spec("a")});
  auto answer = control(StartChild{slow("b", 3s)});
  EXPECT_EQ(*answer, "no answer");
  tell("b", "up");
  EXPECT_EQ(*answer, "ok");
  news();
  tell("b", "broken");
  time.advance(1s); // its delay
  EXPECT_EQ(states(), "a running, b starting");
  time.advance(3s);
  EXPECT_EQ(states(), "a running, b waiting");
  EXPECT_EQ(status("b").cause, "not up within 3s");
  EXPECT_EQ(status("b").due_in, 2s);
  EXPECT_THAT(news(), ElementsAre("b ended", "b made", "b ended"));
}

TEST_F(SupervisorStarts, an_actor_that_knows_nothing_of_being_up_is_a_failed_start) {
  auto options = plain();
  options.readiness = Readiness::when_it_is_up;
  start({spec("a", options)});
  EXPECT_THAT(reason(), HasSubstr("start_failed"));
}

TEST_F(SupervisorStarts, a_group_goes_back_to_its_beginning_when_another_child_fails_to_restart) {
  SupervisorOptions options;
  options.strategy = Strategy::one_for_all;
  start(specs("ab"), options);
  nursery->failing_births.insert("b2");
  news();
  tell("a", "crash");
  time.advance(1s);
  EXPECT_THAT(news(), ElementsAre("a1 ended", "b1 ended", "a2 up", "b2 not made", "a2 ended"));
  time.advance(1s);
  EXPECT_THAT(news(), ElementsAre("a3 up", "b3 up"));
}

TEST_F(SupervisorStarts, the_rest_goes_on_where_it_failed_to_restart) {
  SupervisorOptions options;
  options.strategy = Strategy::rest_for_one;
  start(specs("ab"), options);
  nursery->failing_births.insert("b2");
  news();
  tell("a", "crash");
  time.advance(1s);
  EXPECT_THAT(news(), ElementsAre("a1 ended", "b1 ended", "a2 up", "b2 not made"));
  time.advance(1s);
  EXPECT_THAT(news(), ElementsAre("b3 up"));
}

TEST_F(SupervisorStarts, a_failing_first_child_of_a_supervisor_below_is_a_failed_start_of_that) {
  nursery->barren.insert("b");
  start({spec("a"), supervisor_spec("inner", {spec("b")})});
  EXPECT_THAT(reason(), HasSubstr("child inner: start_failed"));
  EXPECT_THAT(reason(), HasSubstr("child b: stillbirth of b1"));
  EXPECT_THAT(news(), ElementsAre("a1 up", "b1 not made", "a1 ended"));
}

TEST_F(SupervisorStarts, a_factory_that_returns_an_actor_that_is_a_child_already_has_failed) {
  auto second = spec("b");
  second.make = [this](caf::event_based_actor*) { return nursery->actors["a"]; };
  start({spec("a")});
  const auto answer = ask_for<StartedChild>(StartChild{second});
  EXPECT_THAT(answer->error_text,
              HasSubstr("the factory returned an actor that is already a child"));
  EXPECT_EQ(states(), "a running");
  tell("a", "crash");
  time.advance(1s);
  EXPECT_EQ(states(), "a running") << "the other child's end is not lost";
}

TEST_F(SupervisorStarts, a_factory_that_returns_the_supervisor_itself_has_failed) {
  auto itself = spec("a");
  itself.make = [](caf::event_based_actor* self) { return caf::actor_cast<caf::actor>(self); };
  start({itself});
  EXPECT_THAT(reason(), HasSubstr("the factory returned the supervisor itself"));
}

} // namespace
} // namespace backoff_actor::actor_test
