// What a supervisor is called, and where it says so.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class Adder : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](int a, int b) { return a + b; }};
  }
};

class SupervisorNames : public SupervisorTest {
protected:
  static SupervisorOptions called(const std::string& name) {
    SupervisorOptions options;
    options.name = name;
    return options;
  }

  /// The names in all events so far.
  std::set<std::string> told_by() const {
    std::set<std::string> result;
    for (const auto& entry : log.entries())
      result.insert(to_string(entry.supervisor_event()->of));
    return result;
  }

  /// The name of a child's present actor, whose kind is this.
  std::string with_number(const std::string& kind, std::size_t child) {
    return kind + "#" + std::to_string(children().list.at(child).actor.id());
  }

  std::string named(const std::string& kind) const {
    return kind + "#" + std::to_string(supervisor.id());
  }
};

TEST_F(SupervisorNames, are_in_every_event_with_the_id_that_caf_has_given) {
  start(specs("ab"), called("root"));
  tell("a", "crash");
  time.advance(1s);
  control(StartChild{spec("c")});
  ask_for<ChildCounts>(Stop{});

  EXPECT_GE(log.entries().size(), 10U);
  EXPECT_EQ(told_by(), std::set{named("root")});
}

TEST_F(SupervisorNames, are_supervisor_unless_the_options_say_more) {
  start(specs("a"));
  EXPECT_EQ(told_by(), std::set{named("supervisor")});
}

TEST_F(SupervisorNames, of_dynamic_supervisors_come_from_the_options_inside) {
  DynamicSupervisorOptions options;
  options.make = dynamic_child_of<Adder>();
  options.supervisor = called("sessions");
  start(options);
  ask_for<StartedChild>(AddChild{});
  EXPECT_EQ(told_by(), std::set{named("sessions")});
}

TEST_F(SupervisorNames, are_in_what_the_supervisor_says_beside_its_engine) {
  start(specs("a"), called("root"));
  time.keep(time.system().spawn<Bystander>(
    [to = supervisor](caf::event_based_actor* self) { self->send(to, RestartChild{"nobody"}); },
    std::make_shared<Strings>()));
  time.run();
  EXPECT_EQ(log.count<supervisor_event::ControlRefused>(), 1U);
  EXPECT_EQ(told_by(), std::set{named("root")});
}

TEST_F(SupervisorNames, are_shown_in_trees_with_those_of_the_actors_below) {
  SenderOptions billing;
  billing.name = "billing";
  start({{.id = "add", .make = child_of<Adder>()},
         sender_spec("pay", child_of<Adder>(), billing),
         supervisor_spec("more", {{.id = "below", .make = child_of<Adder>()}}, called("pool")),
         spec("kid")},
        called("root"));
  const auto tree = ask_for<SupervisionTree>(GetTree{})->value.value();
  EXPECT_EQ(tree.name, (ActorName{"root", supervisor.id()}));
  const auto below = tree.children.at(2).children.at(0).status.name;
  EXPECT_EQ(below.kind, "adder");
  EXPECT_EQ(to_string(tree), named("root")
                               + " running, 4 children: 4 running; 0 restarts\n"
                                 "|- add ("
                               + with_number("adder", 0)
                               + "): running, child 1\n"
                                 "|- pay ("
                               + with_number("billing", 1)
                               + "): running, child 1\n"
                                 "|- more ("
                               + with_number("pool", 2)
                               + "): running, child 1\n"
                                 "|  `- below ("
                               + to_string(below)
                               + "): running, child 1\n"
                                 "`- kid: running, child 1");
}

TEST_F(SupervisorNames, of_children_are_not_shown_while_they_are_down) {
  auto child = spec("a");
  child.make = std::move(child.make).with_kind(std::make_shared<std::string>("kid"));
  start({child});
  const auto first = status("a").name;
  EXPECT_EQ(first, (ActorName{"kid", nursery->actors["a"].id()}));
  tell("a", "crash");
  EXPECT_EQ(status("a").name, ActorName{});
  time.advance(1s);
  EXPECT_EQ(status("a").name, (ActorName{"kid", nursery->actors["a"].id()}));
  EXPECT_NE(status("a").name, first);
}

TEST_F(SupervisorNames, are_in_exit_reasons_of_each_level) {
  nursery->barren.insert("a");
  start({supervisor_spec("inner", specs("a"), called("pool"))}, called("root"));
  EXPECT_THAT(reason(),
              HasSubstr("start_failed: a child could not be started (" + named("root")
                        + ", child inner: start_failed: a child could not be started (pool#"));
  EXPECT_THAT(reason(), HasSubstr(", child a: stillbirth of a1)"));
}

TEST_F(SupervisorNames, of_a_supervisor_that_nobody_holds_are_said_and_stay_to_its_end) {
  auto options = called("root");
  options.on_event = log.supervisor_hook();
  supervisor = spawn_supervisor(time.system(), specs("ab"), options);
  time.run();
  const auto name = named("root");
  ::testing::internal::CaptureStderr();
  supervisor = nullptr;
  time.run();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "backoff_actor: no handle to " + name
              + " (of a, b) is left: it ends its children, and then itself\n");
  EXPECT_EQ(log.count<supervisor_event::Stopped>(), 1U);
  EXPECT_EQ(told_by(), std::set{name}) << "though another actor ends the children";
}

TEST_F(SupervisorNames, are_in_each_line_about_wrong_options) {
  const auto problem_of = [](auto call) -> std::string {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "none";
  };
  auto options = called("root");
  options.kill_grace = -1s;
  auto child = spec("d\nb");
  child.make = nullptr;
  EXPECT_EQ(problem_of([&] { supervisor_spec("s", {child}, options); }),
            "SupervisorOptions of root: kill_grace: got -1s, allowed 0ns or more\n"
            "SupervisorOptions of root: children[0] (d\\nb).make: got an empty function, allowed a "
            "function that returns a fresh actor");
  EXPECT_EQ(to_string(check(child)), "ChildSpec of d\\nb: make: got an empty function, allowed a "
                                     "function that returns a fresh actor");
  DynamicSupervisorOptions sessions;
  sessions.make = dynamic_child_of<Adder>();
  sessions.supervisor.name = "Sessions";
  EXPECT_EQ(
    problem_of([&] { supervisor_spec("s", sessions); }),
    "DynamicSupervisorOptions: supervisor.name: got Sessions, allowed 1 to 64 characters of "
    "a-z, 0-9, _, . and -");
  sessions.supervisor.name = "sessions";
  sessions.max_children = 0;
  EXPECT_EQ(problem_of([&] { supervisor_spec("s", sessions); }),
            "DynamicSupervisorOptions of sessions: max_children: got 0, allowed 1..1000000000");
}

} // namespace
} // namespace backoff_actor::actor_test
