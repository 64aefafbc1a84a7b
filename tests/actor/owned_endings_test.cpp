// How the actor of an outbox that several processes want ends: while it stands by, and while its
// process owns the outbox.

#include "owned_fixture.hpp"

#include <caf/exit_reason.hpp>

namespace backoff_actor::actor_test {

class OwnedEndings : public OwnedTest {
protected:
  // Node A owns, and node B stands by.
  void start_both(FaultPlan faults = {}) {
    start_process("node-a", std::move(faults));
    start_process("node-b");
  }

  void tell_to_end(const std::string& node, caf::exit_reason reason) {
    caf::anon_send_exit(processes.at(node).sender, reason);
    time.run();
  }

  // Whether the process takes the outbox once the other one gives it up, if only for a moment.
  bool wants_the_outbox(const std::string& node) {
    die("node-a");
    time.advance(20s);
    return server.owner()->node == node;
  }
};

TEST_F(OwnedEndings, a_stop_ends_a_process_that_stands_by) {
  start_both();
  const auto& b = processes.at("node-b").sender;
  const auto end = watch_end_of(b);

  const auto status = time.ask<SenderStatus>(b, Stop{});
  time.run();

  ASSERT_TRUE(status->value);
  EXPECT_EQ(status->value->phase, Phase::stopped);
  EXPECT_EQ(status->value->name.kind, "sender");
  ASSERT_TRUE(*end);
  EXPECT_FALSE(**end);
  EXPECT_FALSE(wants_the_outbox("node-b"));
}

TEST_F(OwnedEndings, a_stop_with_a_grace_does_it_too) {
  start_both();
  const auto& b = processes.at("node-b").sender;
  const auto end = watch_end_of(b);

  const auto stopped = time.ask<Stopped>(b, Stop{10s});
  time.run();

  ASSERT_TRUE(stopped->value);
  EXPECT_EQ(stopped->value->acknowledged, 0u);
  EXPECT_TRUE(*end);
  EXPECT_FALSE(wants_the_outbox("node-b"));
}

TEST_F(OwnedEndings, an_exit_message_ends_a_process_that_stands_by_for_its_reason) {
  start_both();
  const auto end = watch_end_of(processes.at("node-b").sender);
  tell_to_end("node-b", caf::exit_reason::user_shutdown);
  ASSERT_TRUE(*end);
  EXPECT_EQ(**end, caf::error{caf::exit_reason::user_shutdown});
  EXPECT_FALSE(wants_the_outbox("node-b"));
}

TEST_F(OwnedEndings, a_killed_process_that_stood_by_wants_nothing) {
  start_both();
  const auto end = watch_end_of(processes.at("node-b").sender);
  tell_to_end("node-b", caf::exit_reason::kill);
  EXPECT_TRUE(*end);
  EXPECT_FALSE(wants_the_outbox("node-b"));
}

TEST_F(OwnedEndings, an_exit_message_ends_the_sender_of_an_owner_and_its_child) {
  start_both({testing::hang()});
  const auto& a = processes.at("node-a");
  EXPECT_TRUE(submit_to(a, "x")->value);
  const auto end = watch_end_of(a.sender);

  tell_to_end("node-a", caf::exit_reason::user_shutdown);
  time.advance(1s);

  ASSERT_TRUE(*end);
  EXPECT_EQ(**end, caf::error{caf::exit_reason::user_shutdown});
  EXPECT_EQ(a.danger.alive(), 0u);
  EXPECT_EQ(owner(), "node-b, epoch 2");
  EXPECT_THAT(processes.at("node-b").danger.texts(), ElementsAre("x"));
}

TEST_F(OwnedEndings, a_killed_owner_takes_its_sender_and_its_child_along) {
  start_both({testing::hang()});
  const auto& a = processes.at("node-a");
  EXPECT_TRUE(submit_to(a, "x")->value);

  tell_to_end("node-a", caf::exit_reason::kill);
  time.advance(1s);

  EXPECT_EQ(a.danger.alive(), 0u);
  EXPECT_EQ(owner(), "node-b, epoch 2");
  EXPECT_THAT(processes.at("node-b").danger.texts(), ElementsAre("x"));
}

TEST_F(OwnedEndings, a_stop_that_comes_while_a_lost_outbox_is_given_up_ends_the_process) {
  start_both({testing::hang()});
  const auto& a = processes.at("node-a");
  EXPECT_TRUE(submit_to(a, "x")->value);
  const auto child = a.danger.child();
  time.freeze(child); // it takes a while to end
  server.cut_off("node-a");
  time.advance(10s);
  server.connect_again("node-a");
  const auto end = watch_end_of(a.sender);
  const auto is_ending = [&] {
    const auto answer = time.ask<SenderStatus>(a.sender, Status{});
    time.run();
    return answer->value && answer->value->phase == Phase::stopping;
  };
  while (!is_ending() && time.now() < Instant{30s})
    time.advance(100ms);
  ASSERT_TRUE(is_ending());
  const auto status = time.ask<SenderStatus>(a.sender, Stop{});
  time.thaw(child);
  time.advance(1min);

  EXPECT_TRUE(status->is_ready());
  ASSERT_TRUE(*end);
  EXPECT_FALSE(**end);
  EXPECT_EQ(owner(), "node-b, epoch 2");
}

TEST_F(OwnedEndings, a_sender_that_gives_up_ends_its_process_for_the_same_reason) {
  auto options = default_options();
  options.restart_limit = RestartLimit{1, 10s};
  start_process("node-a", {testing::times(10, testing::crash())}, options);
  const auto& a = processes.at("node-a");
  const auto end = watch_end_of(a.sender);
  EXPECT_TRUE(submit_to(a, "x")->value);
  time.advance(1min);
  ASSERT_TRUE(*end);
  EXPECT_THAT(text_of(*end), HasSubstr("gave_up"));
  EXPECT_EQ(owner(), "(node-a, epoch 1)");
}

TEST_F(OwnedEndings, a_process_that_stands_by_without_a_handle_ends) {
  start_process("node-a");
  auto outbox = shared("node-b");
  auto options = default_options();
  options.on_event = log.hook("node-b");
  {
    const auto forgotten =
      spawn_owned_sender(time.system(), DangerousActor{}.factory(), options, std::move(outbox));
    time.run();
  }
  EXPECT_FALSE(wants_the_outbox("node-b"));
}

TEST_F(OwnedEndings, a_supervisor_starts_and_ends_it) {
  SupervisorOptions options;
  ChildSpec spec;
  spec.id = "orders";
  const DangerousActor worker{FaultPlan{testing::hang()}};
  caf::actor made;
  spec.make = [&](caf::event_based_actor* self) {
    made = spawn_owned_sender(self->home_system(), worker.factory(), default_options(),
                              shared("node-a"));
    return made;
  };
  const auto supervisor =
    time.keep(spawn_supervisor(time.system(), {std::move(spec)}, std::move(options)));
  time.run();
  EXPECT_EQ(owner(), "node-a, epoch 1");

  caf::anon_send_exit(made, caf::exit_reason::kill);
  time.advance(10s);
  EXPECT_EQ(owner(), "node-a, epoch 2") << "the next one has a store of its own";
  EXPECT_EQ(worker.alive(), 1u);

  const auto end = watch_end_of(made);
  made = nullptr;
  time.stop(supervisor);
  time.advance(1min);
  EXPECT_TRUE(*end);
  EXPECT_EQ(worker.alive(), 0u);
  EXPECT_EQ(owner(), "(node-a, epoch 2)");
}

} // namespace backoff_actor::actor_test
