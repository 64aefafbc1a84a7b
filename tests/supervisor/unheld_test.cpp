// Supervisors to which nobody holds a handle any more.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class UnheldSupervisors : public SupervisorTest {
protected:
  // Starts one that only this test holds.
  void start_alone(std::vector<ChildSpec> children, SupervisorOptions options = {}) {
    options.on_event = log.supervisor_hook();
    supervisor = spawn_supervisor(time.system(), std::move(children), std::move(options));
    watch(supervisor);
    time.run();
    news();
  }

  // Returns what is said on the error stream.
  std::string let_go() {
    who = name();
    ::testing::internal::CaptureStderr();
    supervisor = nullptr;
    time.run();
    return ::testing::internal::GetCapturedStderr();
  }

  std::string who; // the last that was let go

  Strings events_since(std::size_t first) const {
    Strings result;
    const auto entries = log.entries();
    for (auto i = first; i < entries.size(); ++i)
      result.push_back(to_string(entries[i]));
    return result;
  }
};

TEST_F(UnheldSupervisors, end_their_children_in_reverse_each_when_the_one_behind_it_is_down) {
  start_alone(specs("abc"));
  const auto last = nursery->actors["c"];
  time.freeze(last);
  let_go();
  EXPECT_THAT(news(), IsEmpty()) << "the last one has not ended";
  time.thaw(last);
  time.run();
  EXPECT_THAT(news(), ElementsAre("c1 ended", "b1 ended", "a1 ended"));
}

TEST_F(UnheldSupervisors, say_so_in_one_line_and_by_events) {
  start_alone(specs("ab"));
  const auto before = log.entries().size();
  const auto said = let_go();
  EXPECT_EQ(said, "backoff_actor: no handle to " + who
                    + " (of a, b) is left: it ends its children, and then itself\n");
  EXPECT_THAT(events_since(before),
              ElementsAre("supervisor stopping: no handle to it is left", "child b 1 told to end",
                          "child b 1 ended", "child a 1 told to end", "child a 1 ended",
                          "supervisor stopped"));
  EXPECT_EQ(**ended, caf::exit_reason::unreachable);
}

TEST_F(UnheldSupervisors, name_no_more_than_a_few_of_their_children) {
  start_alone(specs("abcdef"));
  EXPECT_THAT(let_go(), HasSubstr(" (of a, b, c and 3 others) is left:"));
  start_alone({});
  EXPECT_THAT(let_go(), HasSubstr(" (without children) is left:"));
}

TEST_F(UnheldSupervisors, give_children_the_time_of_their_specs) {
  auto slow = spec("b");
  slow.options.shutdown = Shutdown::within(2s);
  start_alone({spec("a"), slow});
  const auto hanging = nursery->actors["b"];
  time.freeze(hanging);
  let_go();
  time.advance(2s + 5s - 1ns);
  EXPECT_THAT(news(), IsEmpty());
  time.advance(1ns);
  EXPECT_THAT(news(), ElementsAre("a1 ended"));
  EXPECT_EQ(log.count<supervisor_event::ChildAbandoned>(), 1u);
  time.thaw(hanging);
}

TEST_F(UnheldSupervisors, end_whole_trees_from_below) {
  start_alone({spec("a"), supervisor_spec("below", specs("bc")), spec("d")});
  let_go();
  EXPECT_THAT(news(), ElementsAre("d1 ended", "c1 ended", "b1 ended", "a1 ended"));
}

TEST_F(UnheldSupervisors, that_were_never_held_start_their_children_and_end_them) {
  ::testing::internal::CaptureStderr();
  static_cast<void>(spawn_supervisor(time.system(), specs("ab")));
  time.run();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("no handle to supervisor#"));
  EXPECT_THAT(news(), ElementsAre("a1 up", "b1 up", "b1 ended", "a1 ended"));
}

TEST_F(UnheldSupervisors, do_not_restart_what_has_failed) {
  start_alone(specs("ab"));
  tell("a", "crash");
  let_go();
  time.advance(1h);
  EXPECT_THAT(news(), ElementsAre("a1 ended", "b1 ended"));
}

TEST_F(UnheldSupervisors, answer_whoever_waits_for_the_end_of_a_child) {
  start_alone(specs("ab"));
  const auto last = nursery->actors["b"];
  time.freeze(last);
  const auto terminated = control(TerminateChild{"b"});
  let_go();
  EXPECT_EQ(*terminated, "no answer");
  time.thaw(last);
  time.run();
  EXPECT_EQ(*terminated, "ok");
  EXPECT_THAT(news(), ElementsAre("b1 ended", "a1 ended"));
}

TEST_F(UnheldSupervisors, call_off_the_start_of_a_child_that_comes_later) {
  std::optional<ChildPromise> promise;
  auto later = spec("b");
  later.make =
    ChildFactory{[&](caf::event_based_actor*, ChildPromise given) { promise = std::move(given); }};
  start_alone({spec("a"), later});
  let_go();
  EXPECT_THAT(news(), ElementsAre("a1 ended"));
  promise->deliver(time.system().spawn<Kid>(nursery, "b", 1));
  time.run();
  EXPECT_THAT(news(), ElementsAre("b1 up", "b1 ended"));
}

TEST_F(UnheldSupervisors, with_children_that_have_no_order_end_them_together) {
  DynamicSupervisorOptions options;
  options.make = [this](caf::event_based_actor* self, const caf::message& id) {
    return kid(id.get_as<std::string>(0))(self);
  };
  supervisor = spawn_supervisor(time.system(), options);
  for (const std::string id : {"a", "b"})
    control(AddChild{caf::make_message(id), id});
  news();
  const auto last = nursery->actors["b"];
  time.freeze(last);
  let_go();
  EXPECT_THAT(news(), ElementsAre("a1 ended"));
  time.thaw(last);
  time.run();
  EXPECT_THAT(news(), ElementsAre("b1 ended"));
}

} // namespace
} // namespace backoff_actor::actor_test
