// Supervisors whose children come and go.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class DynamicSupervisors : public SupervisorTest {
protected:
  // Children are named by their arguments.
  DynamicSupervisorOptions of_kids(ChildOptions child = plain()) {
    DynamicSupervisorOptions options;
    options.make = [this](caf::event_based_actor* self, const caf::message& arguments) {
      return kid(arguments.get_as<std::string>(0))(self);
    };
    options.child = std::move(child);
    return options;
  }

  static AddChild add(const std::string& name, std::string id = {}) {
    return {caf::make_message(name), std::move(id)};
  }
};

TEST_F(DynamicSupervisors, make_all_children_of_one_template) {
  start(of_kids());
  const auto first = ask_for<StartedChild>(add("x"));
  const auto second = ask_for<StartedChild>(add("y", "the second"));
  EXPECT_EQ(first->value->id, "1");
  EXPECT_EQ(second->value->id, "the second");
  EXPECT_EQ(ask<std::string>(second->value->actor, std::string{"who"})->value, "y1");
  EXPECT_EQ(states(), "1 running, the second running");
  EXPECT_EQ(*control(add("z", "1")), "already_started");
}

TEST_F(DynamicSupervisors, make_workers_of_a_class_of_the_arguments_that_it_takes) {
  class Greeter : public caf::event_based_actor {
  public:
    Greeter(caf::actor_config& config, std::string greeting, std::uint64_t times)
      : caf::event_based_actor(config), greeting_(std::move(greeting)), times_(times) {}
    caf::behavior make_behavior() override {
      return {
        [this](const std::string& name) { return greeting_ + std::to_string(times_) + name; }};
    }

  private:
    std::string greeting_;
    std::uint64_t times_;
  };
  DynamicSupervisorOptions options;
  options.make = dynamic_child_of<Greeter, std::string, std::uint64_t>();
  start(options);
  const auto child =
    ask_for<StartedChild>(AddChild{caf::make_message(std::string{"hello "}, std::uint64_t{2})});
  EXPECT_EQ(ask<std::string>(child->value->actor, std::string{" you"})->value, "hello 2 you");
  EXPECT_THAT(ask_for<StartedChild>(AddChild{caf::make_message(std::string{"hello"})})->error_text,
              HasSubstr("the arguments do not have the types that the template takes"));
  EXPECT_EQ(*control(AddChild{}), "start_failed");
  EXPECT_EQ(counts().specs, 1u);
}

TEST_F(DynamicSupervisors, make_a_child_again_with_its_own_arguments) {
  start(of_kids());
  control(add("x"));
  control(add("y"));
  tell("y", "crash");
  time.advance(1s);
  EXPECT_EQ(nursery->births["x"], 1);
  EXPECT_EQ(nursery->births["y"], 2);
}

TEST_F(DynamicSupervisors, forget_a_child_that_was_terminated_or_is_done) {
  auto options = of_kids(of_type(RestartType::transient));
  start(options);
  control(add("x"));
  control(add("y"));
  control(add("z"));
  EXPECT_EQ(*control(TerminateChild{"1"}), "ok");
  tell("y", "stop");
  EXPECT_EQ(states(), "3 running");
  EXPECT_EQ(*control(RestartChild{"1"}), "not_found");
  EXPECT_EQ(*control(TerminateChild{"1"}), "not_found");
}

TEST_F(DynamicSupervisors, have_no_more_children_than_they_may_those_that_wait_included) {
  auto options = of_kids();
  options.max_children = 2;
  start(options);
  EXPECT_EQ(*control(add("x")), "ok");
  EXPECT_EQ(*control(add("y")), "ok");
  tell("x", "crash");
  EXPECT_EQ(*control(add("z")), "max_children");
  control(TerminateChild{"1"});
  EXPECT_EQ(*control(add("z")), "ok");
  EXPECT_EQ(states(), "2 running, 3 running");
}

TEST_F(DynamicSupervisors, end_all_children_at_the_same_time) {
  auto child = plain();
  child.shutdown = Shutdown::within(2s);
  auto options = of_kids(child);
  options.supervisor.kill_grace = 0s;
  start(options);
  for (const std::string name : {"x", "y", "z"}) {
    control(add(name));
    time.freeze(nursery->actors[name]);
  }
  ask_for<ChildCounts>(Stop{});
  EXPECT_FALSE(*ended);
  time.advance(2s); // and not six
  EXPECT_TRUE(*ended && !**ended);
}

TEST_F(DynamicSupervisors, do_not_keep_a_child_that_cannot_be_started) {
  start(of_kids());
  nursery->barren.insert("x");
  const auto answer = ask_for<StartedChild>(add("x"));
  EXPECT_EQ(answer->error_text,
            "start_failed: a child could not be started (child 1: stillbirth of x1)");
  EXPECT_EQ(states(), "");
}

TEST_F(DynamicSupervisors, say_with_what_they_are_asked_for_children) {
  start(of_kids());
  EXPECT_THAT(ask_for<StartedChild>(StartChild{spec("a")})->error_text, HasSubstr("send AddChild"));
  time.stop(supervisor);
  time.run();
  start(specs("a"));
  EXPECT_THAT(ask_for<StartedChild>(add("x"))->error_text, HasSubstr("send StartChild"));
}

TEST_F(DynamicSupervisors, forget_a_child_that_is_given_up) {
  auto child = plain();
  child.restart_limit = RestartLimit{1, 1h};
  start(of_kids(child));
  control(add("x"));
  control(add("y"));
  tell("x", "crash");
  time.advance(1s);
  tell("x", "crash");
  EXPECT_EQ(states(), "2 running");
}

} // namespace
} // namespace backoff_actor::actor_test
