// Workers that fail too often or for too long: the end of the sender, or the fallback.

#include "fixture.hpp"

#include <caf/sec.hpp>

namespace backoff_actor::actor_test {

class Limits : public SenderTest {
protected:
  static SenderOptions bearing(std::uint32_t max_restarts, Duration within) {
    auto options = default_options();
    options.restart_limit = RestartLimit{max_restarts, within};
    return options;
  }
};

// -- how often -----------------------------------------------------------------------------

TEST_F(Limits, one_failure_more_than_is_borne_is_the_end) {
  start({testing::times(9, testing::crash("bang"))}, bearing(3, 10s));
  const auto reason = watch_sender();
  const auto a = ask("a");
  const auto b = ask("b");
  time.advance(110ms - 1ns); // 10 + 30 + 70
  EXPECT_EQ(crashes(), 3u);
  EXPECT_FALSE(*reason);
  time.advance(1ns);

  EXPECT_EQ(crashes(), 4u);
  ASSERT_TRUE(*reason);
  EXPECT_EQ(**reason, make_error(SenderError::gave_up));
  const auto text = "gave_up: the worker failed too often or for too long, and the sender ended ("
                    + name() + ", last: bang)";
  EXPECT_EQ(text_of(**reason), text);
  EXPECT_EQ(text_of(a->error), text);
  EXPECT_EQ(text_of(b->error), text);
  EXPECT_EQ(danger.alive(), 0u);
  EXPECT_EQ(time.timers(), 0u);
}

TEST_F(Limits, failed_starts_count) {
  danger = DangerousActor{{}, "factory_throws*9"};
  auto options = bearing(2, 10s);
  options.on_event = log.hook();
  sender = time.keep(spawn_back_off_sender(time.system(), danger.factory(), options));
  const auto reason = watch_sender();
  time.advance(40ms);

  EXPECT_EQ(danger.started(), 3u);
  ASSERT_TRUE(*reason);
  EXPECT_THAT(text_of(**reason), ::testing::HasSubstr("no voltage"));
}

// -- how long ------------------------------------------------------------------------------

TEST_F(Limits, a_retry_that_begins_in_time_to_the_nanosecond_is_made) {
  auto options = default_options();
  options.max_elapsed = 110ms;
  start({testing::times(9, testing::crash())}, options);
  const auto reason = watch_sender();
  ask("a");
  time.advance(110ms - 1ns);
  EXPECT_FALSE(*reason);
  time.advance(1ns); // the fourth failure

  EXPECT_TRUE(*reason);
  EXPECT_EQ(crashes(), 4u);
}

// -- the fallback --------------------------------------------------------------------------

class WithFallback : public Limits {
protected:
  void start_two(FaultPlan faults, FaultPlan of_fallback, SenderOptions options = one_chance()) {
    start_two(std::move(faults), {}, std::move(of_fallback), {}, std::move(options));
  }

  void start_two(FaultPlan faults, BirthPlan births, FaultPlan of_fallback,
                 BirthPlan births_of_fallback, SenderOptions options = one_chance()) {
    fallback = DangerousActor{std::move(of_fallback), std::move(births_of_fallback)};
    options.rare.fallback = fallback.factory();
    start(std::move(faults), std::move(births), std::move(options));
  }

  // One failure, and the fallback takes over.
  static SenderOptions one_chance() { return bearing(0, 1h); }

  DangerousActor fallback;
};

TEST_F(WithFallback, it_takes_over_at_once_when_the_limit_is_reached) {
  start_two({{testing::crash()}}, {});
  const auto reason = watch_sender();

  const auto answer = ask("a");

  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(fallback.texts(), (Strings{"a"}));
  EXPECT_EQ(log.count<event::FellBack>(), 1u);
  EXPECT_TRUE(status().is_on_fallback);
  EXPECT_EQ(status().restarts, 0u);
  EXPECT_FALSE(*reason);
}

TEST_F(WithFallback,
       the_child_is_made_with_the_next_message_after_its_delay_and_probed_with_one_more) {
  start_two({{testing::crash()}}, {});
  ask("a");
  time.advance(10ms - 1ns);
  ask("b");
  EXPECT_EQ(danger.started(), 1u);
  time.advance(1ns);
  EXPECT_EQ(danger.started(), 1u) << "there is nothing to probe it with";
  ask("c");
  EXPECT_EQ(danger.started(), 2u);
  EXPECT_EQ(fallback.texts(), (Strings{"a", "b", "c"}));

  const auto answer = ask("d");

  EXPECT_EQ(answer->value, "d");
  EXPECT_EQ(danger.seen(), (std::vector<DangerousActor::Seen>{{1, "a"}, {2, "d"}}));
  EXPECT_EQ(log.count<event::CameBack>(), 1u);
  EXPECT_EQ(fallback.alive(), 0u);
  EXPECT_FALSE(status().is_on_fallback);
  EXPECT_EQ(ask("e")->value, "e");
  EXPECT_EQ(danger.texts(), (Strings{"a", "d", "e"}));
}

TEST_F(WithFallback, a_fallback_that_fails_is_made_again_without_limit) {
  start_two("crash", "healthy, factory_throws*2", "crash*5", "factory_throws, no_actor");
  const auto reason = watch_sender();
  const auto answer = ask("a");
  time.advance(10s);

  EXPECT_EQ(answer->value, "a");
  EXPECT_FALSE(*reason);
}

TEST_F(WithFallback, stopping_ends_both_children) {
  start_two({{testing::crash(), testing::silence()}}, {testing::times(2, testing::silence())});
  const auto a = ask("a");
  time.advance(10ms);
  const auto b = ask("b");
  const auto c = ask("c");
  ASSERT_EQ(danger.texts(), (Strings{"a", "c"}));
  ASSERT_EQ(danger.alive(), 1u);
  ASSERT_EQ(fallback.alive(), 1u);

  time.stop(sender);
  time.run();

  EXPECT_EQ(danger.alive(), 0u);
  EXPECT_EQ(fallback.alive(), 0u);
  for (const auto& answer : {a, b, c}) {
    ASSERT_TRUE(answer->error);
    EXPECT_EQ(*answer->error, make_error(SenderError::stopped));
  }
}

TEST_F(WithFallback, an_error_answer_of_the_fallback_is_an_answer) {
  start_two({{testing::crash()}}, {{testing::error()}});
  const auto answer = ask("a");

  ASSERT_TRUE(answer->error);
  EXPECT_EQ(*answer->error, caf::sec::invalid_argument);
  EXPECT_EQ(fallback.started(), 1u);
}

TEST_F(WithFallback, a_crash_of_the_fallback_is_not_one_of_the_child) {
  start_two({{testing::crash(), testing::slow(5s)}},
            {{testing::silence(), testing::ok(), testing::crash()}});
  const auto a = ask("a"); // stays with the fallback
  time.advance(10ms);
  ask("b");
  const auto c = ask("c"); // the probe
  const auto d = ask("d"); // crashes the fallback
  time.advance(4s);
  EXPECT_EQ(a->value, "a");
  EXPECT_EQ(d->value, "d");
  EXPECT_FALSE(c->is_ready()) << "the child is still at work on it";
  time.advance(1s);

  EXPECT_EQ(c->value, "c");
  EXPECT_EQ(danger.started(), 2u);
  EXPECT_EQ(fallback.started(), 2u);
  EXPECT_EQ(danger.texts(), (Strings{"a", "c"}));
}

} // namespace backoff_actor::actor_test
