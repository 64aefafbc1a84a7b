// Delays, order and restarts, as the clients and the children of a whole sender see them.

#include "fixture.hpp"

#include <algorithm>
#include <set>

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

TEST_F(Backoff, has_one_timer_whatever_the_backlog_and_the_crashes) { // D1
  start({testing::times(50, testing::crash())});
  for (int i = 0; i < 100; ++i)
    time.tell(sender, std::to_string(i));
  for (int i = 0; i < 100; ++i) {
    time.advance(20ms);
    EXPECT_LE(time.timers(), 1u);
  }
  time.advance(1h);
  EXPECT_EQ(log.count<event::Acknowledged>(), 100u);
  EXPECT_EQ(time.timers(), 0u);
  EXPECT_EQ(log.count<event::DelayEnded>(), 50u) << "one tick a crash";
}

TEST_F(Backoff, makes_no_duplicate_at_a_living_child) { // D2
  start({{testing::crash(), testing::silence()}});
  for (int i = 0; i < 50; ++i) {
    time.tell(sender, std::to_string(i));
    time.advance(2ms);
  }
  time.advance(1h);

  std::set<std::pair<std::uint32_t, std::string>> different;
  for (const auto& seen : danger.seen())
    EXPECT_TRUE(different.insert({seen.incarnation, seen.text}).second)
      << seen.text << " twice to child " << seen.incarnation;
  EXPECT_EQ(crashes(), 1u);
}

TEST_F(Backoff, keeps_the_order_of_submission_across_crashes) { // D3
  start("(crash, ok*2)*20");
  for (int i = 0; i < 100; ++i) {
    time.tell(sender, std::to_string(i));
    time.advance(3ms);
  }
  time.advance(1h);

  std::vector<std::uint64_t> order;
  for (const auto& x : log.all<event::Acknowledged>())
    order.push_back(x.delivery);
  ASSERT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
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

TEST_F(Backoff,
       a_crash_with_an_empty_outbox_holds_up_the_next_message_no_longer_than_its_delay) { // D9
  start({});
  ask("a");
  caf::anon_send_exit(danger.child(), caf::exit_reason::kill);
  time.advance(10ms);
  ASSERT_EQ(retries(), 1u);

  EXPECT_EQ(ask("b")->value, "b")
    << "at once, although there was no acknowledgement since the crash";
}

TEST_F(Backoff, recreates_the_child_at_once_by_default) {
  start({{testing::crash()}});
  ask("a");

  EXPECT_EQ(danger.started(), 2u);
  EXPECT_EQ(danger.seen().size(), 1u);
}

TEST_F(Backoff, recreates_the_child_at_the_tick_on_request) {
  auto options = default_options();
  options.restart = RestartTiming::at_tick;
  start({{testing::crash()}}, options);
  const auto answer = ask("a");
  EXPECT_EQ(danger.started(), 1u);

  time.advance(10ms);

  EXPECT_EQ(danger.started(), 2u);
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

TEST_F(Backoff, ten_hours_with_thousands_of_crashes_pass_in_a_moment) {
  start({testing::times(30'000, testing::crash())});
  ask("a");
  time.advance(10h);

  EXPECT_EQ(danger.seen().size(), 30'001u);
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

TEST_F(Backoff, two_senders_with_the_same_seed_do_not_march_in_step) {
  SenderOptions options;
  options.seed = 1;
  options.backoff = RandomSlots{.stay_at_ceiling = true};
  start({testing::times(30, testing::crash())}, options);
  const auto one = std::exchange(sender, nullptr);
  EventLog first = std::exchange(log, EventLog{});
  start({testing::times(30, testing::crash())}, options);
  time.tell(one, std::string{"a"});
  time.tell(sender, std::string{"a"});
  time.advance(1h);

  int equal = 0;
  const auto a = first.all<event::RetryScheduled>();
  const auto b = log.all<event::RetryScheduled>();
  ASSERT_EQ(a.size(), 30u);
  ASSERT_EQ(b.size(), 30u);
  for (std::size_t i = 0; i < 30; ++i)
    equal += a[i].delay == b[i].delay ? 1 : 0;
  EXPECT_LT(equal, 20);
}

TEST_F(Backoff, without_a_seed_it_draws_one) {
  start({{testing::crash()}}, SenderOptions{});
  ask("a");

  EXPECT_NE(log.all<event::RetryScheduled>().at(0).backoff.seed(), 0u);
}

} // namespace backoff_actor::actor_test
