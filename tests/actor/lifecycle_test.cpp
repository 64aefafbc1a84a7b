// Births and deaths: of children, of clients, of the sender, of the actor system.

#include "fixture.hpp"

#include <ostream>

#include <caf/sec.hpp>

namespace backoff_actor::actor_test {

class Lifecycle : public SenderTest {};

// -- children ------------------------------------------------------------------------------

struct BadBirth {
  const char* name;
  Birth birth;
  const char* cause;

  friend void PrintTo(const BadBirth& row, std::ostream* out) { *out << row.name; }
};

class LifecycleWithBadBirths : public Lifecycle, public ::testing::WithParamInterface<BadBirth> {};

TEST_P(LifecycleWithBadBirths, waits_and_tries_again_until_a_child_is_there) {
  const auto birth = GetParam().birth;
  start({}, {birth, birth, birth});
  const auto answer = ask("a");
  EXPECT_EQ(danger.started(), 1u) << "it does not spin";
  EXPECT_FALSE(answer->is_ready());
  time.advance(110ms); // 10 + 30 + 70

  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(danger.started(), 4u);
  EXPECT_THAT(log.timeline(), ::testing::HasSubstr(GetParam().cause));
}

INSTANTIATE_TEST_SUITE_P(
  table, LifecycleWithBadBirths,
  ::testing::Values(BadBirth{"the_factory_throws", Birth::factory_throws,
                             "child 1 failed to start: no voltage"},
                    BadBirth{"the_factory_returns_nothing", Birth::no_actor,
                             "child 1 failed to start: the factory returned no actor"}),
  [](const auto& row) { return std::string{row.param.name}; });

TEST_F(Lifecycle, a_factory_that_returns_the_sender_itself_has_failed_and_says_so) {
  start_with([](caf::event_based_actor* self) { return caf::actor{self}; });
  const auto answer = ask("a");
  time.advance(1h);

  EXPECT_FALSE(answer->is_ready());
  EXPECT_EQ(status().counters.accepted, 1u) << "the message does not come back to the sender";
  EXPECT_EQ(log.count<event::ChildStarted>(), 0u);
  EXPECT_THAT(log.timeline(),
              HasSubstr("child 1 failed to start: the factory returned the sender itself"));
}

TEST_F(Lifecycle, a_child_that_dies_at_birth_is_tried_again_after_the_delay) {
  start({}, "dies_at_birth*2");
  const auto answer = ask("a");
  time.advance(1h);

  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(danger.texts(), (Strings{"a"}));
}

TEST_F(Lifecycle, each_end_of_a_child_has_the_text_of_its_own_reason) {
  const std::vector<caf::error> reasons{
    caf::make_error(caf::sec::runtime_error),
    caf::make_error(caf::sec::runtime_error),
    caf::make_error(caf::sec::runtime_error, std::string{"no voltage"}),
    caf::make_error(caf::sec::runtime_error),
    caf::make_error(caf::sec::cannot_open_file),
    caf::make_error(caf::exit_reason::kill),
    caf::make_error(caf::sec::runtime_error),
  };
  const auto next = std::make_shared<std::size_t>(0);
  start_with([=](caf::event_based_actor* parent) -> caf::actor {
    return parent->spawn<Behaving>([=](caf::event_based_actor* self) -> caf::behavior {
      return {[=](const std::string& text) {
        auto client = self->make_response_promise<std::string>();
        if (*next < reasons.size())
          self->quit(reasons[(*next)++]);
        else
          client.deliver(text);
        return client;
      }};
    });
  });
  ask("a");
  time.advance(1h);

  Strings texts;
  for (const auto& down : log.all<event::ChildDown>())
    texts.push_back(down.cause.text);
  Strings expected;
  for (const auto& reason : reasons)
    expected.push_back(render(time.system(), reason));
  expected[2] = "no voltage";
  EXPECT_EQ(texts, expected);
  EXPECT_EQ(texts[0], texts[3]);
  EXPECT_NE(texts[0], texts[4]);
}

TEST_F(Lifecycle, a_normal_stop_with_nothing_owed_is_no_failure) {
  start({{testing::ok()}});
  ask("a");
  caf::anon_send_exit(danger.child(), caf::exit_reason::user_shutdown);
  time.run();
  EXPECT_EQ(retries(), 1u) << "that was no normal stop";
  time.advance(10ms);

  log = EventLog{};
  start_with([](caf::event_based_actor* self) -> caf::behavior {
    return {[self](const std::string& text) {
      self->quit();
      return text;
    }};
  });
  EXPECT_EQ(ask("a")->value, "a");
  EXPECT_EQ(ask("b")->value, "b");
  EXPECT_EQ(retries(), 0u);
  EXPECT_EQ(log.count<event::ChildStarted>(), 2u);
}

TEST_F(Lifecycle, what_waited_behind_a_normal_stop_is_owed_although_caf_answers_it_with_errors) {
  start({{testing::stop()}});
  std::vector<std::shared_ptr<testing::Answer<std::string>>> answers;
  for (const auto* text : {"a", "b", "c"})
    answers.push_back(time.ask<std::string>(sender, std::string{text}));
  time.advance(10ms);

  for (const auto& answer : answers)
    EXPECT_TRUE(answer->value);
  EXPECT_EQ(danger.texts(), (Strings{"a", "a", "b", "c"}));
}

// -- clients -----------------------------------------------------------------------------------

TEST_F(Lifecycle, a_client_that_dies_before_its_answer_does_no_harm) {
  start({{testing::crash()}});
  const auto client = time.spawn<Caller>([to = sender](caf::event_based_actor* self) {
    compat::request(*self, to, std::string{"a"}).then([](const std::string&) {});
  });
  time.run();
  caf::anon_send_exit(client, caf::exit_reason::kill);
  time.advance(10ms);

  EXPECT_EQ(danger.texts(), (Strings{"a", "a"}));
  EXPECT_EQ(log.count<event::Acknowledged>(), 1u);
  EXPECT_EQ(ask("b")->value, "b");
}

// -- the sender -----------------------------------------------------------------------------------

TEST_F(Lifecycle, stopping_tells_those_who_made_a_request_and_ends_the_child) { // D14
  start({{testing::silence()}});
  const auto a = ask("a");
  const auto b = ask("b");
  ASSERT_TRUE(b->value);

  time.stop(sender);
  time.run();

  ASSERT_TRUE(a->error);
  EXPECT_EQ(*a->error, make_error(SenderError::stopped));
  EXPECT_EQ(render(time.system(), *a->error),
            "stopped: the sender was stopped before this delivery was acknowledged");
  EXPECT_EQ(danger.alive(), 0u);
  EXPECT_EQ(log.count<event::DeadLettered>(), 1u);
}

TEST_F(Lifecycle, stopping_during_a_delay_leaves_no_timer_and_no_child) { // D14
  start({{testing::crash()}});
  const auto answer = ask("a");
  ASSERT_EQ(time.timers(), 1u);

  time.stop(sender);
  time.run();

  EXPECT_EQ(time.timers(), 0u);
  EXPECT_EQ(danger.alive(), 0u);
  EXPECT_TRUE(answer->error);
  time.advance(1h);
  EXPECT_EQ(danger.started(), 2u) << "the second was there when the sender was stopped";
}

TEST_F(Lifecycle, stopping_skips_what_waits_in_the_childs_mailbox) {
  start({});
  for (int i = 0; i < 10; ++i)
    time.tell(sender, std::to_string(i));
  time.stop(sender); // the child has not had the floor yet
  time.run();

  EXPECT_EQ(log.count<event::HandedOver>(), 10u);
  EXPECT_THAT(danger.texts(), IsEmpty());
  EXPECT_EQ(log.count<event::DeadLettered>(), 10u);
}

TEST_F(Lifecycle, a_sender_that_nobody_holds_lives_while_it_owes_something) {
  DangerousActor children{{testing::times(5, testing::crash())}};
  auto options = default_options();
  options.on_event = log.hook();
  {
    const auto unheld = spawn_back_off_sender(time.system(), children.factory(), options);
    time.tell(unheld, std::string{"a"});
  }
  time.run();
  EXPECT_EQ(children.alive(), 1u);
  time.advance(1h);

  EXPECT_EQ(log.count<event::Acknowledged>(), 1u);
  EXPECT_EQ(log.count<event::SenderStopped>(), 1u) << "and then it goes";
  EXPECT_EQ(children.alive(), 0u);
}

TEST_F(Lifecycle, a_sender_that_nobody_holds_and_that_owes_nothing_does_not_wait_for_its_tick) {
  DangerousActor children{{}};
  auto options = default_options();
  options.backoff = RandomSlots{.slot_time = 1h};
  options.on_event = log.hook();
  auto held = spawn_back_off_sender(time.system(), children.factory(), options);
  time.run();
  caf::anon_send_exit(children.child(), caf::exit_reason::kill);
  time.run();
  ASSERT_EQ(retries(), 1u);
  ASSERT_EQ(time.timers(), 1u);

  held = nullptr;
  time.run();

  EXPECT_EQ(log.count<event::SenderStopped>(), 1u);
  EXPECT_EQ(time.timers(), 0u);
}

TEST_F(Lifecycle, functions_that_hold_the_sender_keep_nothing_alive_after_the_stop) {
  auto box = std::make_shared<caf::actor>();
  auto options = default_options();
  options.on_event = [box](const Event&) {};
  options.on_dead_letter = [box](const DeadLetter&) {};
  *box = spawn_back_off_sender(
    time.system(),
    [box, make = danger.factory()](caf::event_based_actor* self) { return make(self); }, options);
  options = {};
  time.run();
  time.stop(*box);
  time.run();

  EXPECT_EQ(danger.alive(), 0u);
  EXPECT_EQ(box.use_count(), 1);
}

TEST_F(Lifecycle, a_bare_error_does_not_end_the_sender) {
  start({});
  time.tell(sender, make_error(SenderError::stopped));
  time.run();

  EXPECT_EQ(ask("a")->value, "a");
}

TEST_F(Lifecycle, a_factory_may_throw_anything) {
  bool first = true;
  start_with([&, make = danger.factory()](caf::event_based_actor* self) {
    if (std::exchange(first, false))
      throw 42; // NOLINT: what is tested
    return make(self);
  });
  time.advance(10ms);

  EXPECT_EQ(log.all<event::StartFailed>().at(0).cause.text,
            "the factory threw an exception of unknown type");
  EXPECT_EQ(ask("a")->value, "a");
}

TEST_F(Lifecycle, a_factory_may_make_requests_of_its_own) {
  const auto echo = time.keep(time.system().spawn<Echo>());
  std::string got;
  start_with([&, make = danger.factory()](caf::event_based_actor* self) {
    self->request(echo, caf::infinite, std::string{"own"}).then([&](const std::string& text) {
      got = text;
    });
    return make(self);
  });

  EXPECT_EQ(ask("a")->value, "a");
  EXPECT_EQ(got, "own");
}

// -- options --------------------------------------------------------------------------------------

TEST_F(Lifecycle, tells_which_child_is_there) {
  auto options = default_options();
  options.restart = RestartTiming::at_tick;
  start({{testing::crash()}}, options);
  const auto child = [&] {
    const auto answer = time.ask<ChildHandle>(sender, CurrentChild{});
    time.run();
    return answer->value.value();
  };
  EXPECT_EQ(child().child, danger.child());
  EXPECT_EQ(child().incarnation, 1u);
  ask("a");
  EXPECT_FALSE(child().child);
  EXPECT_EQ(child().incarnation, 0u);
  time.advance(10ms);
  EXPECT_EQ(child().child, danger.child());
  EXPECT_EQ(child().incarnation, 2u);
}

} // namespace backoff_actor::actor_test
