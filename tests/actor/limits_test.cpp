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

TEST_F(Limits, the_fallback_takes_over_at_once_when_the_limit_is_reached) {
  const DangerousActor fallback;
  auto options = bearing(0, 1h);
  options.rare.fallback = fallback.factory();
  start({{testing::crash()}}, options);
  const auto reason = watch_sender();

  const auto answer = ask("a");

  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(fallback.texts(), (Strings{"a"}));
  EXPECT_EQ(log.count<event::FellBack>(), 1u);
  EXPECT_TRUE(status().is_on_fallback);
  EXPECT_EQ(status().restarts, 0u);
  EXPECT_FALSE(*reason);
}

} // namespace backoff_actor::actor_test
