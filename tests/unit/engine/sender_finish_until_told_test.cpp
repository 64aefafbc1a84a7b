// The end of a sender below a supervisor: it finishes what is in flight, and waits until it is told
// to end.

#include "engine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

input::Finish finish_until_told(Instant deadline) { return {deadline, false}; }

// A sender with one delivery, which its child has; it was told to finish by 30 s.
class SenderFinishUntilTold : public ::testing::Test {
protected:
  void SetUp() override {
    sender.start();
    sender.submit();
    asked = sender.take(finish_until_told(Instant{30s}));
  }

  Phase phase() const { return sender.engine->phase(); }

  EngineDriver sender{{.kill_grace = 5s}};
  Lines asked;
};

TEST_F(SenderFinishUntilTold, reports_once_that_nothing_is_in_flight_and_waits) {
  EXPECT_THAT(asked, IsEmpty());
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "finished"));
  EXPECT_EQ(phase(), Phase::finishing);
  EXPECT_FALSE(sender.engine->is_idle());
  EXPECT_THAT(sender.submit(), ElementsAre("refuse: draining"));
  EXPECT_THAT(sender.take(finish_until_told(Instant{30s})), ElementsAre("finished"))
    << "asked again";
}

TEST_F(SenderFinishUntilTold, does_nothing_by_itself_at_the_deadline) {
  EXPECT_THAT(sender.wake_after(1h), IsEmpty());
  EXPECT_EQ(phase(), Phase::finishing);
}

TEST_F(SenderFinishUntilTold, kills_its_child_at_the_deadline_once_it_was_told) {
  sender.ack(1);
  EXPECT_THAT(sender.take(input::Stop{.is_timed = false}),
              ElementsAre("ask to end 1", "wake at 30s"));
  EXPECT_THAT(sender.wake_after(30s), ElementsAre("tell to end 1", "wake at 35s"));
}

TEST_F(SenderFinishUntilTold, kills_its_child_at_once_if_it_is_told_after_the_deadline) {
  sender.now = Instant{31s};
  EXPECT_THAT(sender.take(input::Stop{.is_timed = false}),
              ElementsAre("ask to end 1", "tell to end 1", "wake at 36s"));
}

TEST_F(SenderFinishUntilTold, ends_by_itself_if_that_is_wanted_too) {
  EXPECT_THAT(sender.take(input::Finish{Instant{20s}}), ElementsAre("wake at 20s"));
  EXPECT_THAT(sender.take(finish_until_told(Instant{10s})), ElementsAre("wake at 10s"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "ask to end 1", "wake at 5s"));
}

} // namespace
} // namespace backoff_actor::engine_test
