// A sender that is stopped with a grace: its children finish what is in flight.

#include "durable_fixture.hpp"

#include <backoff_actor/caf/messages/internal/own_words.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace backoff_actor::actor_test {

class StopWithGrace : public DurableTest {
protected:
  // One delivery at a time, and 5 s for a child that is killed.
  static SenderOptions one_at_a_time() {
    auto options = default_options();
    options.max_in_flight = 1;
    options.kill_grace = 5s;
    return options;
  }

  std::shared_ptr<testing::Answer<Stopped>> stop(Duration grace) {
    auto answer = time.ask<Stopped>(sender, Stop{grace});
    time.run();
    return answer;
  }
};

TEST_F(StopWithGrace, finishes_what_is_in_flight_and_says_what_became_of_the_rest) {
  auto options = one_at_a_time();
  options.max_in_flight = 2;
  start({{testing::slow(1s), testing::slow(2s)}}, options);
  const auto first = ask("a");
  const auto second = ask("b");
  const auto third = ask("c");
  const auto stopped = stop(30s);
  EXPECT_EQ(status().phase, Phase::finishing);
  EXPECT_EQ(log.count<event::Finishing>(), 1u);
  EXPECT_EQ(*ask("d")->error, make_error(SenderError::draining));

  time.advance(1s);
  EXPECT_EQ(first->value, "a");
  EXPECT_FALSE(stopped->is_ready());
  time.advance(1s);
  EXPECT_EQ(second->value, "b");
  EXPECT_EQ(*third->error, make_error(SenderError::stopped));
  EXPECT_EQ(stopped->value, (Stopped{2, 0, 1, 0}));
  EXPECT_THAT(danger.texts(), ElementsAre("a", "b"));
  EXPECT_EQ(danger.alive(), 0u);
  EXPECT_EQ(time.timers(), 0u);
}

TEST_F(StopWithGrace, does_not_count_what_was_before) {
  start({{testing::ok(), testing::reject(), testing::slow(1s)}});
  ask("a");
  ask("b");
  ask("c");
  const auto stopped = stop(30s);
  time.advance(1s);
  EXPECT_EQ(stopped->value, (Stopped{1, 0, 0, 0}));
}

TEST_F(StopWithGrace, leaves_what_waits_and_what_fails_in_a_durable_outbox) {
  start_durable({{testing::slow(1s), testing::ok()}}, one_at_a_time());
  submit_durably("a");
  submit_durably("b");
  const auto stopped = stop(30s);
  EXPECT_FALSE(stopped->is_ready());
  time.tell(danger.child(), caf::exit_msg{{}, caf::make_error(caf::sec::runtime_error)});
  time.run();
  EXPECT_EQ(stopped->value, (Stopped{0, 2, 0, 0}));
  EXPECT_EQ(danger.started(), 1u) << "no other child was made";

  start({}, with(outbox));
  time.run();
  EXPECT_THAT(danger.texts(), ElementsAre("a", "b")) << "the next sender delivers them";
}

TEST_F(StopWithGrace, gives_a_crash_to_the_delivery_that_caused_it_and_retries_nothing) {
  auto options = one_at_a_time();
  std::vector<DeadLetter> letters;
  options.on_dead_letter = [&](const DeadLetter& x) { letters.push_back(x); };
  start({{testing::silence()}}, options);
  const auto answer = ask("a");
  ask("b");
  const auto stopped = stop(30s);
  time.tell(danger.child(), caf::exit_msg{{}, caf::make_error(caf::sec::runtime_error)});
  time.run();
  EXPECT_EQ(*answer->error, make_error(SenderError::stopped));
  EXPECT_EQ(stopped->value, (Stopped{0, 0, 2, 0}));
  ASSERT_EQ(letters.size(), 2u);
  EXPECT_EQ(letters[0].attempts, 1u);
  EXPECT_EQ(letters[1].attempts, 0u);
  EXPECT_EQ(danger.started(), 1u);
}

// The actor system waits for such a worker, too.
TEST_F(StopWithGrace, counts_a_worker_that_was_abandoned_before_and_still_lives) {
  auto options = one_at_a_time();
  options.ack_timeout = 1s;
  start({{testing::silence()}, {testing::slow(1s)}}, options);
  const auto answer = ask("a");
  const auto first = danger.child();
  time.freeze(first);
  time.advance(1min);
  EXPECT_EQ(status().abandoned, 1u);
  const auto stopped = stop(3s);
  time.advance(1min);
  EXPECT_EQ(stopped->value.value_or(Stopped{}).abandoned, 1u);
  time.thaw(first);
}

TEST_F(StopWithGrace, has_no_limit_if_the_grace_has_none) {
  start({{testing::slow(1000h)}}, one_at_a_time());
  const auto answer = ask("a");
  const auto stopped = stop(Duration::max());
  time.advance(1000h - 1ns);
  EXPECT_FALSE(stopped->is_ready());
  time.advance(1ns);
  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(stopped->value, (Stopped{1, 0, 0, 0}));
}

TEST_F(StopWithGrace, is_a_stop_without_one_if_the_grace_is_negative) {
  start({{testing::silence()}});
  ask("a");
  const auto stopped = time.ask<SenderStatus>(sender, Stop{-1s});
  time.run();
  ASSERT_TRUE(stopped->value);
  EXPECT_EQ(stopped->value->phase, Phase::stopped);
}

TEST_F(StopWithGrace, is_cut_short_by_a_stop_without_and_both_are_answered) {
  start({{testing::silence()}}, one_at_a_time());
  ask("a");
  const auto graceful = stop(30s);
  const auto at_once = time.ask<SenderStatus>(sender, Stop{});
  time.run();
  EXPECT_EQ(graceful->value, (Stopped{0, 0, 1, 0}));
  ASSERT_TRUE(at_once->value);
  EXPECT_EQ(at_once->value->counters.dead_lettered, 1u);
}

TEST_F(StopWithGrace, ends_as_always_when_somebody_sends_an_exit_message_meanwhile) {
  start({{testing::silence()}}, one_at_a_time());
  ask("a");
  const auto reason = watch_sender();
  const auto stopped = stop(30s);
  time.stop(sender);
  time.run();
  EXPECT_EQ(stopped->value, (Stopped{0, 0, 1, 0}));
  ASSERT_TRUE(*reason);
  EXPECT_EQ(**reason, caf::exit_reason::user_shutdown);
}

TEST_F(StopWithGrace, is_answered_also_when_the_sender_is_killed_meanwhile) {
  start({{testing::silence()}}, one_at_a_time());
  ask("a");
  const auto stopped = stop(30s);
  time.tell(sender, caf::exit_msg{{}, caf::exit_reason::kill});
  time.run();
  EXPECT_EQ(stopped->value, (Stopped{0, 0, 1, 0}));
  EXPECT_EQ(danger.alive(), 0u);
}

TEST_F(StopWithGrace, lets_a_drain_end_too) {
  start({{testing::slow(1s)}}, one_at_a_time());
  ask("a");
  ask("b");
  const auto drained = time.ask<Drained>(sender, Drain{});
  const auto stopped = stop(30s);
  time.advance(1s);
  EXPECT_TRUE(stopped->is_ready());
  EXPECT_EQ(drained->value->left, 0u);
}

TEST_F(StopWithGrace, is_answered_by_a_plain_send_if_it_was_one) {
  start({{testing::slow(1s)}}, one_at_a_time());
  ask("a");
  const auto heard = std::make_shared<Strings>();
  time.keep(time.system().spawn<Bystander>(
    [receiver = sender](auto* self) { self->send(receiver, Stop{30s}); }, heard));
  time.advance(1s);
  EXPECT_THAT(*heard, ElementsAre("stopped, 1"));
}

TEST_F(StopWithGrace, is_obeyed_and_not_answered_if_nobody_sent_it) {
  start({{testing::slow(1s)}}, one_at_a_time());
  const auto answer = ask("a");
  const auto end = watch_sender();
  tell(Stop{30s});
  time.advance(1s);
  EXPECT_EQ(answer->value, "a");
  EXPECT_TRUE(*end && !**end);
}

TEST_F(StopWithGrace, keeps_a_sender_alive_that_nobody_holds) {
  DangerousActor children{{{testing::slow(1s)}}};
  std::shared_ptr<testing::Answer<std::string>> answer;
  {
    auto options = one_at_a_time();
    options.on_event = log.hook();
    const auto unheld = spawn_back_off_sender(time.system(), children.factory(), options);
    answer = time.ask<std::string>(unheld, std::string{"a"});
    time.run();
    time.tell(unheld, Stop{30s});
    time.run();
  }
  time.advance(1s);
  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(log.count<event::SenderStopped>(), 1u);
}

// The outer sender waits for what the inner one still retries.
TEST_F(StopWithGrace, of_a_sender_of_senders_lets_the_inner_one_work_until_the_outer_has_finished) {
  danger = DangerousActor{{{testing::crash(), testing::slow(1s)}}};
  start_with(child_of(SenderBlueprint{danger.factory(), default_options()}), one_at_a_time());
  const auto answer = ask("a");
  const auto stopped = stop(30s);
  time.advance(2s);
  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(stopped->value, (Stopped{1, 0, 0, 0}));
  EXPECT_EQ(danger.alive(), 0u);
}

// -- other nodes ------------------------------------------------------------------------

TEST_F(StopWithGrace, has_the_same_parts_on_another_node) {
  std::vector<std::byte> bytes;
  compat::save(Stop{30s}, bytes);
  compat::save(Stopped{1, 2, 3, 4}, bytes);
  std::span<const std::byte> rest{bytes};
  EXPECT_EQ(compat::load<Stop>(rest).grace, 30s);
  EXPECT_EQ(compat::load<Stopped>(rest), (Stopped{1, 2, 3, 4}));
  EXPECT_TRUE(rest.empty());
}

// -- strangers --------------------------------------------------------------------------

TEST_F(StopWithGrace, is_not_begun_by_a_stranger_who_uses_a_supervisors_word) {
  start({{testing::slow(1s)}}, one_at_a_time());
  const auto first = ask("a");
  const auto refused = time.ask<Stopped>(sender, FinishWork{Instant{}, true});
  tell(FinishWork{Instant{}, true});
  EXPECT_EQ(*refused->error, caf::sec::unexpected_message);
  const auto second = ask("b");
  time.advance(1s);
  EXPECT_EQ(first->value, "a");
  EXPECT_EQ(second->value, "b");
  EXPECT_THAT(danger.texts(), ElementsAre("a", "b")) << "the word is not for the worker";
}

} // namespace backoff_actor::actor_test
