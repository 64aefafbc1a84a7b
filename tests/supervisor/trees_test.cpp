// Supervisors below supervisors, senders among the children, and addresses that stay.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class SupervisionTrees : public SupervisorTest {
protected:
  SupervisionTree tree() { return ask_for<SupervisionTree>(GetTree{})->value.value(); }

  ChildSpec sender_of(const std::string& id, SenderOptions options = {}) {
    auto result = spec(id);
    options.seed = 1;
    result.make = [this, id, options](caf::event_based_actor* self) -> caf::actor {
      return nursery->actors[id] = child_of(SenderBlueprint{danger.factory(), options})(self);
    };
    return result;
  }

  DangerousActor danger;
};

TEST_F(SupervisionTrees, are_started_depth_first_and_ended_in_reverse) {
  start(
    {spec("a"), supervisor_spec("s", {spec("b"), supervisor_spec("t", {spec("c")})}), spec("d")});
  EXPECT_THAT(news(), ElementsAre("a1 up", "b1 up", "c1 up", "d1 up"));
  ask_for<ChildCounts>(Stop{});
  EXPECT_THAT(news(), ElementsAre("d1 ended", "c1 ended", "b1 ended", "a1 ended"));
}

TEST_F(SupervisionTrees, come_back_as_they_were_specified_without_what_was_added) {
  SupervisorOptions options;
  options.restart_limit = RestartLimit{0, 1h};
  auto inner = supervisor_spec("inner", specs("a"), options);
  inner.options.backoff = Fixed{1s};
  start({inner});
  const auto below = children().list[0].actor;
  EXPECT_TRUE(ask<StartedChild>(below, StartChild{spec("added")})->value);
  news();
  tell("a", "crash");
  time.advance(1s);
  EXPECT_THAT(news(), ElementsAre("a1 ended", "added1 ended", "a2 up"));
}

TEST_F(SupervisionTrees, are_shown_to_people) {
  start({spec("front"), supervisor_spec("pool", {spec("w1"), spec("w2")}), spec("cache")});
  tell("w2", "crash");
  const auto pool = "supervisor#" + std::to_string(children().list[1].actor.id());
  EXPECT_EQ(to_string(tree()),
            name()
              + " running, 3 children: 3 running; 0 restarts\n"
                "|- front: running, child 1\n"
                "|- pool ("
              + pool
              + "): running, child 1\n"
                "|  |- w1: running, child 1\n"
                "|  `- w2: waiting, restart in 1s, child 1, 1 failure, last: boom of w21\n"
                "`- cache: running, child 1");
}

TEST_F(SupervisionTrees, are_shown_to_machines) {
  start({supervisor_spec("pool", {spec("w\"1")})});
  tell("w\"1", "crash");
  const auto pool = "supervisor#" + std::to_string(children().list[0].actor.id());
  EXPECT_EQ(
    to_json(tree()),
    R"({"name":")" + name()
      + R"(","phase":"running","restarts":0,"children":[)"
        R"({"id":"pool","name":")"
      + pool
      + R"(","kind":"supervisor",)"
        R"("state":"running","restart":"permanent","stopped":null,"incarnation":1,"restarts":0,)"
        R"("failures":0,"due_in_seconds":null,"up_seconds":0.000000000,"cause":null,"children":[)"
        R"({"id":"w\"1","name":null,"kind":"worker","state":"waiting","restart":"permanent",)"
        R"("stopped":null,)"
        R"("incarnation":1,"restarts":0,"failures":1,"due_in_seconds":1.000000000,)"
        R"("up_seconds":0.000000000,"cause":"boom of w\"11","children":[]}]}]})");
}

TEST_F(SupervisionTrees, are_shown_without_a_supervisor_that_ends_meanwhile) {
  start({supervisor_spec("pool", specs("a")), spec("b")});
  const auto pool = children().list[0].actor;
  time.freeze(pool);
  const auto shown = ask_for<SupervisionTree>(GetTree{});
  EXPECT_FALSE(shown->value);
  time.tell(pool, caf::exit_msg{{}, caf::exit_reason::kill});
  time.thaw(pool);
  time.run();
  EXPECT_TRUE(shown->value);
}

TEST_F(SupervisionTrees, have_senders_as_children_like_any_other) {
  danger = DangerousActor{"crash, ok..."};
  start({sender_of("s"), spec("b")});
  const auto answer = ask<std::string>(nursery->actors["s"], std::string{"order"});
  time.advance(1s);
  EXPECT_EQ(answer->value, "order");
  EXPECT_THAT(danger.texts(), ElementsAre("order", "order"));
  EXPECT_EQ(states(), "s running, b running") << "the sender sees to its child itself";
  ask_for<ChildCounts>(Stop{});
  EXPECT_EQ(danger.alive(), 0u);
}

TEST_F(SupervisionTrees, make_a_sender_again_that_gave_up) {
  danger = DangerousActor{"crash*3, ok..."};
  SenderOptions options;
  options.restart_limit = RestartLimit{1, 1h};
  start({sender_of("s", options)});
  const auto answer = ask<std::string>(nursery->actors["s"], std::string{"order"});
  time.advance(500ms);
  EXPECT_EQ(states(), "s waiting");
  EXPECT_THAT(answer->error_text, HasSubstr("gave_up"));
  EXPECT_THAT(status("s").cause, HasSubstr("gave_up"));
  time.advance(1s);
  EXPECT_EQ(states(), "s running");
}

TEST_F(SupervisionTrees, can_be_the_child_of_a_sender) {
  auto inner = supervisor_spec("inner", specs("a"));
  const auto sender = start_sender(inner.make);
  EXPECT_EQ(ask<ChildCounts>(sender, CountChildren{})->value->running, 1u);
  time.tell(sender, Stop{});
  time.run();
  EXPECT_EQ(nursery->alive["a"], 0);
}

// -- addresses ------------------------------------------------------------------------

TEST_F(SupervisionTrees, a_child_ref_reaches_the_present_actor_and_says_when_there_is_none) {
  ChildRef ref{time.system()};
  EXPECT_EQ(ask<std::string>(ref.actor(), std::string{"who"})->error, SupervisorError::no_child);
  auto child = spec("a");
  child.address = ref;
  start({child});
  const auto who = [&] { return ask<std::string>(ref.actor(), std::string{"who"}); };
  EXPECT_EQ(who()->value, "a1");
  tell("a", "crash");
  EXPECT_FALSE(ref.current());
  EXPECT_EQ(who()->error_text, "no_child: there is no child at this address now");
  time.tell(ref.actor(), std::string{"lost"});
  EXPECT_EQ(ref.undelivered(), 1u);
  time.advance(1s);
  EXPECT_EQ(who()->value, "a2");
  EXPECT_EQ(ref.current(), nursery->actors["a"]);
  ask_for<ChildCounts>(Stop{});
  EXPECT_EQ(who()->error, SupervisorError::no_child);
}

TEST_F(SupervisionTrees, a_child_ref_is_known_before_its_child_and_to_its_siblings) {
  class Asker : public caf::event_based_actor {
  public:
    Asker(caf::actor_config& config, ChildRef other)
      : caf::event_based_actor(config), other_(std::move(other)) {}
    caf::behavior make_behavior() override {
      return {[this](const std::string& text) {
        auto promise = make_response_promise();
        promise.delegate(other_.actor(), text);
        return promise;
      }};
    }
    ChildRef other_;
  };
  const ChildRef ref{time.system()};
  caf::actor asker;
  auto first = spec("asker");
  first.make = [&asker, ref](caf::event_based_actor* self) {
    return asker = self->spawn<Asker>(ref);
  };
  auto second = spec("a");
  second.address = ref;
  start({first, second});
  EXPECT_EQ(ask<std::string>(asker, std::string{"who"})->value, "a1");
  tell("a", "crash");
  time.advance(1s);
  EXPECT_EQ(ask<std::string>(asker, std::string{"who"})->value, "a2");
}

TEST_F(SupervisionTrees, a_child_ref_does_not_keep_its_supervisor_alive) {
  ChildRef ref{time.system()};
  auto child = spec("a");
  child.address = ref;
  ended = std::make_shared<std::optional<caf::error>>();
  {
    const auto alone = spawn_supervisor(time.system(), {child});
    watch(alone);
    time.run();
  }
  time.run();
  EXPECT_TRUE(*ended);
  EXPECT_EQ(nursery->alive["a"], 0);
  EXPECT_FALSE(ref.current());
}

// As when the first had been abandoned.
TEST_F(SupervisionTrees, a_child_ref_stays_with_its_child_when_a_supervisor_before_ends_late) {
  const ChildRef ref{time.system()};
  auto child = spec("a");
  child.address = ref;
  auto inner = supervisor_spec("inner", {child});
  inner.options.shutdown = Shutdown::within(1s);
  start({inner});
  const auto first = children().list[0].actor;
  const auto first_child = nursery->actors["a"];
  time.freeze(first);
  const auto terminated = control(TerminateChild{"inner"});
  time.advance(1s + 5s);
  EXPECT_EQ(*terminated, "ok");
  nursery->alive["a"] = 0; // of the one that was abandoned with its supervisor
  EXPECT_EQ(*control(RestartChild{"inner"}), "ok");
  EXPECT_EQ(ref.current(), nursery->actors["a"]);
  time.thaw(first);
  time.run();
  nursery->alive["a"] = 1;
  EXPECT_NE(nursery->actors["a"], first_child);
  EXPECT_EQ(ref.current(), nursery->actors["a"]);
}

TEST_F(SupervisionTrees, are_shown_without_a_child_that_ends_and_has_not_answered) {
  class Mute : public Kid {
  public:
    using Kid::Kid;
    caf::behavior make_behavior() override {
      return {[](const GetTree&) { return caf::delegated<SupervisionTree>{}; },
              [](const std::string&) { throw std::runtime_error("gone"); }};
    }
  };
  auto mute = spec("a");
  mute.kind = ChildKind::supervisor;
  mute.make = [nursery = nursery](caf::event_based_actor* self) -> caf::actor {
    return nursery->actors["a"] = self->spawn<Mute>(nursery, "a", ++nursery->births["a"]);
  };
  start({mute, spec("b")});
  const auto shown = ask_for<SupervisionTree>(GetTree{});
  EXPECT_FALSE(shown->value);
  tell("a", "crash");
  ASSERT_TRUE(shown->value);
  EXPECT_EQ(shown->value->children.size(), 2u);
}

} // namespace
} // namespace backoff_actor::actor_test
