// What a sender is called, and where it says so.

#include "fixture.hpp"

#include "through_the_network.hpp"

#include <caf/behavior.hpp>

#include <set>

namespace backoff_actor::actor_test {

class HTTPWorker : public Echo {
public:
  using Echo::Echo;
};

template <class T>
class WorkerOf : public Echo {
public:
  using Echo::Echo;
};

namespace {

class HiddenWorker : public Echo {
public:
  using Echo::Echo;
};

ChildFactory a_function() {
  return [](caf::event_based_actor* self) -> caf::actor { return self->spawn<Echo>(); };
}

ChildFactory a_late_function() {
  return [](caf::event_based_actor* self, const ChildPromise& child) {
    child.deliver(self->spawn<Echo>());
  };
}

SenderOptions called(const std::string& name) {
  SenderOptions options;
  options.name = name;
  return options;
}

} // namespace

class Names : public SenderTest {
protected:
  /// Keeps the names in all events.
  SenderOptions noting(SenderOptions options) {
    options.on_event = told.hook();
    return options;
  }

  std::set<std::string> told_by() const {
    std::set<std::string> result;
    for (const auto& event : told.take())
      result.insert(to_string(event.of));
    return result;
  }

  static std::string problem_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "none";
  }

  SharedQueue<Event> told; // senders end after it
};

// -- what it is called -----------------------------------------------------------------------

TEST_F(Names, come_from_the_class_of_the_worker_unless_there_is_none_or_the_options_say_more) {
  EXPECT_EQ(SenderBlueprint{child_of<Echo>()}.name(), "echo");
  EXPECT_EQ((SenderBlueprint{child_of<HTTPWorker, caf::detached>()}.name()), "http_worker");
  EXPECT_EQ(SenderBlueprint{child_of<WorkerOf<Echo>>()}.name(), "worker_of");
  EXPECT_EQ(SenderBlueprint{child_of<HiddenWorker>()}.name(), "hidden_worker");
  EXPECT_EQ(SenderBlueprint{a_function()}.name(), "sender");
  EXPECT_EQ(SenderBlueprint{a_late_function()}.name(), "sender");
  EXPECT_EQ((SenderBlueprint{child_of<Echo>(), called("billing")}.name()), "billing");
  EXPECT_EQ((SenderBlueprint{a_function(), called("billing")}.name()), "billing");
}

TEST_F(Names, are_known_to_the_factory_and_kept_when_it_is_wrapped_or_copied) {
  const auto same = [](caf::event_based_actor*, const caf::actor& child) { return child; };
  EXPECT_EQ(child_of<Echo>().wrapped(same).kind(), "echo");
  EXPECT_EQ(a_late_function().kind(), "");
  EXPECT_EQ(a_late_function().with_kind(std::make_shared<std::string>("late")).wrapped(same).kind(),
            "late");
  EXPECT_EQ(ChildFactory{}.kind(), "");
  auto first = child_of<Echo>();
  const auto second = first;
  first = a_function();
  EXPECT_EQ(first.kind(), "");
  EXPECT_EQ(second.kind(), "echo");
}

TEST_F(Names, of_a_sender_whose_child_is_a_sender_are_those_of_the_child_unless_it_is_told) {
  const SenderBlueprint inner{child_of<Echo>(), called("billing")};
  EXPECT_EQ(child_of(inner).kind(), "billing");
  EXPECT_EQ(SenderBlueprint{child_of(inner)}.name(), "billing");
  EXPECT_EQ((SenderBlueprint{child_of(inner), called("outer")}.name()), "outer");
}

// -- where it says so --------------------------------------------------------------------------

TEST_F(Names, are_in_every_event_with_the_id_that_caf_has_given) {
  danger = DangerousActor{"crash, ok, ok"};
  start_with(danger.factory(), noting(called("billing")));
  ask("a");
  time.advance(1h);
  tell(Pause{});
  time.stop(sender);
  time.run();

  EXPECT_GE(told.size(), 10U);
  for (const auto& event : told.take())
    EXPECT_EQ(event.of, (ActorName{"billing", sender.id()}));
  EXPECT_EQ(log.all<event::SenderStopped>().size(), 1U);
}

TEST_F(Names, of_all_senders_of_a_blueprint_differ_by_the_number) {
  auto options = noting(default_options());
  const SenderBlueprint blueprint{child_of<Echo>(), options};
  const auto one = time.keep(blueprint.spawn(time.system()));
  const auto other = time.keep(blueprint.spawn(time.system()));
  time.run();

  EXPECT_NE(one.id(), other.id());
  EXPECT_EQ(told_by(),
            (std::set{"echo#" + std::to_string(one.id()), "echo#" + std::to_string(other.id())}));
}

TEST_F(Names, begin_the_status) {
  start_with(child_of<Echo>());
  EXPECT_EQ(status().name, (ActorName{"echo", sender.id()}));
  EXPECT_EQ(to_string(status()),
            "echo#" + std::to_string(sender.id()) + ": running, 0 owed, child 1");
  const auto last = time.ask<SenderStatus>(sender, Stop{});
  time.run();
  EXPECT_EQ(last->value.value().name, (ActorName{"echo", sender.id()}));
}

TEST_F(Names, cross_the_network_in_the_status) {
  start_with(child_of<Echo>());
  const auto sent = status();
  EXPECT_EQ(through_the_network(time.system(), sent), sent);
}

TEST_F(Names, are_in_the_exit_reason_and_in_errors_that_have_a_cause) {
  auto options = default_options();
  options.name = "billing";
  options.restart_limit = RestartLimit{0, 1h};
  start({testing::crash("bang")}, options);
  const auto reason = watch_sender();
  const auto answer = ask("a");
  time.advance(1h);

  const auto text = "gave_up: the worker failed too often or for too long, and the sender ended "
                    "(billing#"
                    + std::to_string(sender.id()) + ", last: bang)";
  ASSERT_TRUE(*reason);
  EXPECT_EQ(text_of(**reason), text);
  EXPECT_EQ(text_of(answer->error), text);
}

// A sender that is flooded refuses thousands of messages a second, and one that is stopped may owe
// a million.
TEST_F(Names, are_in_no_error_that_has_no_text_without_them) {
  auto options = default_options();
  options.capacity = 1;
  start({testing::silence()}, options);
  const auto owed = ask("a");
  EXPECT_EQ(text_of(ask("b")->error),
            "outbox_full: the sender did not accept the message, because its outbox is full");
  tell(Stop{});
  EXPECT_EQ(text_of(owed->error),
            "stopped: the sender was stopped before this delivery was acknowledged");
}

// -- what is wrong with options -----------------------------------------------------------------

TEST_F(Names, are_in_each_line_about_wrong_options) {
  auto options = called("billing");
  options.max_attempts = 0;
  options.capacity = 0;
  EXPECT_EQ(problem_of([&] {
              SenderBlueprint{child_of<Echo>(), options};
            }),
            "SenderOptions of billing: max_attempts: got 0, allowed 1..1000000000\n"
            "SenderOptions of billing: capacity: got 0, allowed 1..268435455");
  options.name.clear();
  options.capacity = 1;
  EXPECT_EQ(problem_of([&] {
              SenderBlueprint{child_of<Echo>(), options};
            }),
            "SenderOptions of echo: max_attempts: got 0, allowed 1..1000000000");
  EXPECT_EQ(to_string(check(options)), "SenderOptions: max_attempts: got 0, allowed 1..1000000000");
}

TEST_F(Names, that_are_wrong_are_refused_before_anything_is_started) {
  time.run(); // some versions of CAF have actors of their own
  EXPECT_EQ(problem_of([&] {
              static_cast<void>(
                spawn_back_off_sender(time.system(), child_of<Echo>(), called("Billing")));
            }),
            "SenderOptions: name: got Billing, allowed 1 to 64 characters of a-z, 0-9, _, . and -");
  EXPECT_EQ(time.run(), 0U);
}

} // namespace backoff_actor::actor_test
