// Children that other nodes have published. Real sockets, real time.

#include "common/patience.hpp"
#include "system/remote/remote_fixture.hpp"

#include <backoff_actor/caf/calendar/internal/sender_calendar.hpp>
#include <backoff_actor/caf/calendar/repeat.hpp>
#include <backoff_actor/caf/messages/internal/own_words.hpp>
#include <backoff_actor/caf/offered/internal/offer_messages.hpp>
#include <backoff_actor/caf/owned/internal/standby_hand.hpp>
#include <backoff_actor/testing/proxy/tcp_proxy.hpp>

#include <caf/exit_reason.hpp>

namespace backoff_actor::remote_child_test {
namespace {

class RemoteChild : public Remote {};

TEST_F(RemoteChild, that_answers_with_an_error_and_lives_has_refused) {
  Node there;
  start(remote_child({at(there.publish_worker("w"))}, patient_steps()));
  const auto outcome = ask("refuse");
  EXPECT_EQ(outcome.error, caf::sec::invalid_argument);
  EXPECT_THAT(outcome.error_text, HasSubstr("refused by w"));
  EXPECT_EQ(ask("a").value, "w:a");
  EXPECT_EQ(diary().lines(), (Strings{"w up", "w refuse", "w a"}));
}

TEST_F(RemoteChild, is_waited_for_with_the_backoff_until_somebody_listens) {
  const auto port = free_port();
  start(remote_child({at(port)}, patient_steps()));
  ASSERT_TRUE(becomes_true([&] { return log.count<event::StartFailed>() >= 3; }));
  const auto address = "127.0.0.1:" + std::to_string(port);
  EXPECT_EQ(log.all<event::StartFailed>().front().cause.text,
            address + ": connection refused: nothing listens there");

  Node there;
  there.publish_worker("w", port);
  EXPECT_EQ(ask("a").value, "w:a");
}

TEST_F(RemoteChild, of_several_nodes_the_next_one_is_tried_at_once) {
  const auto nobody = free_port();
  Node there;
  start(remote_child({at(nobody), at(there.publish_worker("w"))}, patient_steps()));
  EXPECT_EQ(ask("a").value, "w:a");
  EXPECT_EQ(log.count<event::StartFailed>(), 0u);
}

// CAF's middleman takes a connection whose handshake is under way when it looks at the heartbeats
// for one that has been silent for ever.
TEST_F(RemoteChild,
       a_start_over_a_slow_line_does_not_fail_since_heartbeats_are_looked_at_meanwhile) {
  const auto configure = [](caf::actor_system_config& config) {
    init_network<>(config, {.heartbeat_interval = 1s, .connection_timeout = test::patience});
  };
  Node near{configure};
  Node there{configure};
  const auto port = there.publish_worker("w");
  std::vector<std::unique_ptr<testing::TcpProxy>> lines;
  std::vector<caf::actor> senders;
  auto options = default_options();
  options.on_event = log.hook();
  // The greeting takes the delay once, and the answer to it once more: one is under way at almost
  // any time of an interval.
  for (const auto* delay :
       {"slow 30ms...", "slow 60ms...", "slow 125ms...", "slow 250ms...", "slow 500ms..."}) {
    lines.push_back(std::make_unique<testing::TcpProxy>("127.0.0.1", port, delay));
    senders.push_back(spawn_back_off_sender(
      *near.system, remote_child({at(lines.back()->port())}, patient_steps()), options));
  }
  EXPECT_TRUE(becomes_true(
    [&] { return log.count<event::ChildStarted>() + log.count<event::StartFailed>() >= 5; }));
  EXPECT_EQ(log.count<event::StartFailed>(), 0u) << log.timeline();
  for (const auto& x : senders)
    caf::anon_send_exit(x, caf::exit_reason::kill);
}

TEST_F(RemoteChild, a_failed_start_says_what_is_wrong_with_each_node) {
  const auto one = free_port();
  const auto two = free_port();
  start(remote_child({at(one), at(two)}, patient_steps()));
  ASSERT_TRUE(becomes_true([&] { return log.count<event::StartFailed>() >= 1; }));
  EXPECT_EQ(log.all<event::StartFailed>().front().cause.text,
            "127.0.0.1:" + std::to_string(one) + ": connection refused: nothing listens there; "
              + "127.0.0.1:" + std::to_string(two) + ": connection refused: nothing listens there");
}

TEST_F(RemoteChild, a_limit_ends_the_sender_with_what_is_wrong_with_the_node) {
  auto options = default_options();
  options.restart_limit = RestartLimit{.max_restarts = 2, .within = 1h};
  start(remote_child({at(free_port())}, patient_steps()), options);
  const auto outcome = ask("a");
  EXPECT_EQ(outcome.error, make_error(SenderError::gave_up));
  EXPECT_THAT(outcome.error_text, HasSubstr("connection refused: nothing listens there"));
}

TEST_F(RemoteChild, that_ends_is_down_and_the_next_node_takes_over) {
  Node one;
  Node two;
  start(
    remote_child({at(one.publish_worker("one")), at(two.publish_worker("two"))}, patient_steps()));
  EXPECT_EQ(ask("a").value, "one:a");
  one.end_worker();
  EXPECT_EQ(ask("b").value, "two:b");
  EXPECT_EQ(log.count<event::ChildDown>(), 1u);
}

TEST_F(RemoteChild, whose_node_goes_down_is_down_and_what_it_held_is_made_once_more) {
  auto one = std::make_unique<Node>();
  Node two;
  start(
    remote_child({at(one->publish_worker("one")), at(two.publish_worker("two"))}, patient_steps()));
  EXPECT_EQ(ask("a").value, "one:a");
  std::thread client{[&] { EXPECT_EQ(ask("silence").error, make_error(SenderError::stopped)); }};
  ASSERT_TRUE(becomes_true([] { return diary().count("one silence") == 1; }));
  one = nullptr;
  EXPECT_TRUE(becomes_true([] { return diary().count("two silence") == 1; }));
  EXPECT_EQ(stop().value, "stopped");
  client.join();
  auto failures = log.all<event::ChildDown>();
  std::erase_if(failures, [](const event::ChildDown& x) { return !x.is_failure; });
  ASSERT_EQ(failures.size(), 1u);
}

TEST_F(RemoteChild, a_line_that_is_cut_is_a_crash_and_the_delivery_comes_again) {
  Node there;
  testing::TcpProxy line{"127.0.0.1", there.publish_worker("w")};
  start(remote_child({at(line.port())}, patient_steps()));
  EXPECT_EQ(ask("a").value, "w:a");
  line.go_down();
  ASSERT_TRUE(becomes_true([&] { return log.count<event::StartFailed>() >= 1; }));
  EXPECT_EQ(log.count<event::ChildDown>(), 1u);
  EXPECT_THAT(log.all<event::ChildDown>().front().cause.text, HasSubstr("remote_link_unreachable"));
  line.go_up();
  EXPECT_EQ(ask("b").value, "w:b");
}

TEST_F(RemoteChild, the_sender_answers_while_a_node_does_not) {
  testing::TcpProxy silent{"127.0.0.1", free_port(), "drop..."};
  auto options = default_options();
  options.time_to_live = 50ms;
  start(remote_child({at(silent.port())}, {.step_timeout = 1h}), options);
  EXPECT_EQ(ask("a").error, make_error(SenderError::expired));
  caf::scoped_actor self{*here.system};
  self->request(sender, caf::timespan{test::patience}, Status{})
    .receive([](const SenderStatus& status) { EXPECT_EQ(status.owed, 0u); },
             [](const caf::error&) { FAIL() << "it does not answer"; });
  // And the actor system goes down at once, although the step may take an hour.
}

TEST_F(RemoteChild, that_is_shared_outlives_its_sender) {
  Node there;
  start(remote_child({at(there.publish_worker("w"))}, patient_steps()));
  EXPECT_EQ(ask("a").value, "w:a");
  stop();
  EXPECT_EQ(remote_child_test::ask(*there.system, there.worker, std::string{"b"}).value, "w:b");
}

TEST_F(RemoteChild, that_is_the_senders_alone_ends_with_it) {
  Node there;
  start(remote_child({at(there.publish_worker("w"))}, {.published = Ownership::sole}));
  EXPECT_EQ(ask("a").value, "w:a");
  stop();
  EXPECT_TRUE(becomes_true([] { return diary().count("w ended") == 1; }));
}

TEST_F(RemoteChild, that_hangs_is_let_go_of_and_the_next_node_takes_over) {
  Node one;
  Node two;
  auto options = default_options();
  options.ack_timeout = 100ms;
  start(
    remote_child({at(one.publish_worker("one")), at(two.publish_worker("two"))}, patient_steps()),
    options);
  std::thread client{[&] { ask("silence"); }};
  ASSERT_TRUE(becomes_true([] { return diary().count("one silence") >= 1; }));
  ASSERT_TRUE(becomes_true([] { return diary().count("two silence") >= 1; }));
  EXPECT_EQ(remote_child_test::ask(*one.system, one.worker, std::string{"b"}).value, "one:b")
    << "it lives, for others";
  stop();
  client.join();
}

TEST_F(RemoteChild, on_a_node_of_somebody_else_is_refused_unless_types_are_not_checked) {
  Node there{[](caf::actor_system_config& config) {
    init(config);
    compat::register_types<caf::id_block::backoff_actor>(config);
    config.load<caf::io::middleman>();
  }};
  there.worker = there.system->spawn<Worker>("w");
  const auto port = there.system->middleman().publish(there.worker, 0, "127.0.0.1").value();
  start(remote_child({at(port)}, patient_steps()));
  ASSERT_TRUE(becomes_true([&] { return log.count<event::StartFailed>() >= 1; }));
  EXPECT_THAT(log.all<event::StartFailed>().front().cause.text, HasSubstr("init_network"));
  stop();

  start(remote_child({at(port)}, {.checks_types = false}));
  EXPECT_EQ(ask("a").value, "w:a");
}

TEST_F(RemoteChild, cannot_be_had_without_a_middleman) {
  caf::actor_system_config config;
  init(config);
  caf::actor_system alone{config};
  SenderOptions options = default_options();
  options.on_event = log.hook();
  const auto lonely =
    spawn_back_off_sender(alone, remote_child({at(4711)}, patient_steps()), options);
  EXPECT_TRUE(becomes_true([&] { return log.count<event::StartFailed>() >= 1; }));
  EXPECT_THAT(log.all<event::StartFailed>().front().cause.text, HasSubstr("init_network"));
  caf::anon_send_exit(lonely, caf::exit_reason::user_shutdown);
}

// -- how much it holds ------------------------------------------------------------------

TEST_F(RemoteChild, holds_64_by_default_as_much_as_a_frozen_one_may_do_again) {
  Node there;
  auto options = default_options();
  start(remote_child({at(there.publish_worker("w"))}, patient_steps()), options);
  for (int i = 0; i < 100; ++i)
    caf::anon_send(sender, std::string{"silence"});
  EXPECT_TRUE(becomes_true([] { return diary().count("w silence") == 64; }));
  caf::scoped_actor self{*here.system};
  self->request(sender, caf::timespan{test::patience}, Status{})
    .receive([](const SenderStatus& status) { EXPECT_EQ(status.in_flight, 64u); },
             [](const caf::error&) { FAIL(); });
  EXPECT_EQ(diary().count("w silence"), 64u);
  there.end_worker();
}

// -- bad input --------------------------------------------------------------------------

TEST(RemoteChildInput, all_that_is_wrong_is_said_before_anything_starts) {
  const auto text = problems_of([] {
    remote_child({{"", 4711}, {"worker-1", 0}}, {.step_timeout = Duration{0}});
  });
  EXPECT_THAT(text, HasSubstr("nodes[0].host"));
  EXPECT_THAT(text, HasSubstr("nodes[1].port"));
  EXPECT_THAT(text, HasSubstr("1..65535"));
  EXPECT_THAT(text, HasSubstr("step_timeout"));
  EXPECT_THAT(problems_of([] { remote_child({}); }), HasSubstr("nodes"));
  EXPECT_THAT(problems_of([] { remote_spawn({{"worker-1", 4711}}, ""); }), HasSubstr("worker"));
}

} // namespace
} // namespace backoff_actor::remote_child_test
