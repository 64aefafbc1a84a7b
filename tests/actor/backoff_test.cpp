// Delays and stray down messages, as the clients and the children of a whole sender see them.

#include "fixture.hpp"

namespace backoff_actor::actor_test {

class Backoff : public SenderTest {};

TEST_F(Backoff, resends_after_the_delay_and_not_a_nanosecond_earlier) {
  start({testing::times(3, testing::crash())});
  const auto answer = ask("a");
  for (const Duration wait : {10ms, 30ms, 70ms}) {
    const auto seen = danger.seen().size();
    time.advance(wait - 1ns);
    EXPECT_EQ(danger.seen().size(), seen);
    time.advance(1ns);
    EXPECT_EQ(danger.seen().size(), seen + 1);
  }
  EXPECT_EQ(answer->value, "a");
}

TEST_F(Backoff, takes_no_notice_of_a_down_message_that_is_not_its_childs) { // D8
  start({});
  const auto stranger = time.keep(time.system().spawn<caf::event_based_actor>());

  time.tell(sender, caf::down_msg{stranger.address(), caf::exit_reason::kill});
  time.run();

  EXPECT_EQ(danger.started(), 1u);
  EXPECT_EQ(retries(), 0u);
  EXPECT_EQ(ask("a")->value, "a");
}

TEST_F(Backoff, takes_no_notice_of_a_down_message_about_its_child_while_that_lives) {
  start("silence, ok...");
  const auto answer = ask("a");

  time.tell(sender, caf::down_msg{danger.child().address(), caf::exit_reason::kill});
  time.advance(1h);

  EXPECT_EQ(danger.started(), 1u) << "no second child beside the living one";
  EXPECT_EQ(danger.texts(), (Strings{"a"})) << "nor is the message worked on twice";
  EXPECT_EQ(crashes(), 0u);

  caf::anon_send_exit(danger.child(), caf::exit_reason::kill);
  time.advance(1h);
  EXPECT_EQ(crashes(), 1u) << "its own end is heard";
  EXPECT_EQ(answer->value, "a");
}

TEST_F(Backoff, a_zero_delay_is_neither_inline_nor_a_timer) {
  auto options = default_options();
  options.backoff = RandomSlots{.ceiling = 1}; // never waits
  start({testing::times(1000, testing::crash())}, options);

  const auto answer = ask("a");

  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(crashes(), 1000u);
  EXPECT_EQ(time.timers(), 0u);
}

TEST_F(Backoff, waits_as_any_policy_says) {
  auto options = default_options();
  options.backoff = parse_policy("exponential(100ms, x2, cap 300ms)");
  start({testing::times(4, testing::crash())}, options);
  const auto answer = ask("a");
  time.advance(899ms);
  EXPECT_FALSE(answer->value);
  time.advance(1ms);

  EXPECT_EQ(answer->value, "a");
  std::vector<Duration> delays;
  for (const auto& retry : log.all<event::RetryScheduled>())
    delays.push_back(retry.delay);
  EXPECT_THAT(delays, ::testing::ElementsAre(100ms, 200ms, 300ms, 300ms));
}

TEST_F(Backoff, without_a_seed_it_draws_one) {
  start({{testing::crash()}}, SenderOptions{});
  ask("a");

  EXPECT_NE(log.all<event::RetryScheduled>().at(0).backoff.seed(), 0u);
}

} // namespace backoff_actor::actor_test
