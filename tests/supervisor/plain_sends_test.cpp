// What a supervisor answers to who makes no request.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class PlainSends : public SupervisorTest {
protected:
  // Somebody says it by a plain send; returns what comes back, then and later.
  template <class Message>
  std::shared_ptr<Strings> say(Message message) {
    auto heard = std::make_shared<Strings>();
    time.keep(time.system().spawn<Bystander>(
      [to = supervisor, message](caf::event_based_actor* self) { self->send(to, message); },
      heard));
    time.run();
    return heard;
  }

  // The last event, in words.
  std::string last_event() const {
    const auto entries = log.entries();
    return entries.empty() ? "" : to_string(entries.back());
  }

  // An error is told here, and neither given to the client nor kept from everybody.
  template <class Message>
  void expect_refused(Message message, const std::string& event) {
    EXPECT_THAT(*say(message), IsEmpty()) << event;
    EXPECT_THAT(last_event(), HasSubstr(event));
  }
};

TEST_F(PlainSends, are_answered_by_plain_sends) {
  start(specs("ab"));
  EXPECT_THAT(*say(GetTree{}), ElementsAre("tree of 2"));
  EXPECT_THAT(*say(WhichChildren{}), ElementsAre("children 2"));
  EXPECT_THAT(*say(CountChildren{}), ElementsAre("specs 2"));
  EXPECT_THAT(*say(GetSpec{"b"}), ElementsAre("spec of b"));
  EXPECT_THAT(*say(StartChild{spec("c")}), ElementsAre("started c"));
  control(TerminateChild{"c"});
  EXPECT_THAT(*say(RestartChild{"c"}), ElementsAre("started c"));
  EXPECT_THAT(*say(Stop{}), ElementsAre("specs 3"));
  EXPECT_TRUE(*ended && !**ended);
}

TEST_F(PlainSends, that_add_children_are_answered_when_these_are_up) {
  DynamicSupervisorOptions options;
  options.make = [this](caf::event_based_actor* self, const caf::message&) {
    return kid("a")(self);
  };
  start(options);
  EXPECT_THAT(*say(AddChild{{}, "one"}), ElementsAre("started one"));
}

TEST_F(PlainSends, of_what_is_answered_with_nothing_are_obeyed) {
  start(specs("ab"));
  tell("a", "crash");
  EXPECT_THAT(*say(RetryChildNow{"a"}), IsEmpty());
  EXPECT_THAT(*say(AwaitUp{}), IsEmpty());
  EXPECT_THAT(*say(TerminateChild{"b"}), IsEmpty());
  EXPECT_EQ(states(), "a running, b stopped");
  EXPECT_THAT(*say(DeleteChild{"b"}), IsEmpty());
  EXPECT_EQ(states(), "a running");
}

TEST_F(PlainSends, that_are_refused_are_events) {
  nursery->barren = {"d"};
  start(specs("ab"));
  control(TerminateChild{"b"});
  expect_refused(GetSpec{"c"}, "control of child c refused: not_found");
  expect_refused(TerminateChild{"c"}, "control of child c refused: not_found");
  expect_refused(RestartChild{"a"}, "control of child a refused: running");
  expect_refused(DeleteChild{"a"}, "control of child a refused: running");
  expect_refused(RetryChildNow{"b"}, "control of child b refused: not_running");
  expect_refused(StartChild{spec("b")}, "control of child b refused: already_present");
  expect_refused(StartChild{ChildSpec{.id = "e"}}, "make: got an empty function");
  expect_refused(AddChild{{}, "e"}, "this supervisor has no template: send StartChild");
  EXPECT_EQ(log.count<supervisor_event::ControlRefused>(), 8u);
  expect_refused(StartChild{spec("d")}, "child d removed");
  EXPECT_EQ(log.count<supervisor_event::StartFailed>(), 1u) << "which says why";
  EXPECT_EQ(states(), "a running, b stopped");
}

TEST_F(PlainSends, that_wait_when_the_supervisor_is_killed_are_events) {
  start(specs("a"));
  time.freeze(nursery->actors["a"]);
  const auto terminating = say(TerminateChild{"a"});
  const auto stopping = say(Stop{});
  time.tell(supervisor, caf::exit_msg{{}, caf::exit_reason::kill});
  time.run();
  EXPECT_THAT(*terminating, IsEmpty());
  EXPECT_THAT(*stopping, IsEmpty());
  std::vector<std::string> last;
  for (const auto& entry : log.entries())
    last.push_back(to_string(entry));
  last.erase(last.begin(), last.end() - 3);
  EXPECT_THAT(last, ElementsAre("control refused: stopping: the supervisor is ending",
                                "control of child a refused: stopping: the supervisor is ending",
                                "supervisor stopped"));
  time.thaw(nursery->actors["a"]);
}

TEST_F(PlainSends, of_nobody_are_obeyed_and_that_is_all) {
  start(specs("a"));
  const auto before = log.entries().size();
  time.tell(supervisor, GetTree{});
  time.tell(supervisor, WhichChildren{});
  time.tell(supervisor, CountChildren{});
  time.tell(supervisor, GetSpec{"a"});
  time.tell(supervisor, AwaitUp{});
  for (const std::string id : {"a", "b"})
    time.tell(supervisor, RestartChild{id});
  time.tell(supervisor, StartChild{ChildSpec{}});
  time.run();
  EXPECT_EQ(log.entries().size(), before);
  time.tell(supervisor, StartChild{spec("b")});
  time.run();
  EXPECT_EQ(states(), "a running, b running");
  time.tell(supervisor, Stop{});
  time.run();
  EXPECT_TRUE(*ended && !**ended);
}

} // namespace
} // namespace backoff_actor::actor_test
