#include "backoff_actor/backoff/back_off.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;

const Policy doubling = Exponential{.first = 100ms, .factor = 2, .cap = 1s};

TEST(back_off, begins_with_nothing_to_wait) {
  const BackOff backoff{doubling};

  EXPECT_EQ(backoff.wait_time(), 0ns);
  EXPECT_FALSE(backoff.is_started());
  EXPECT_EQ(backoff.retries(), 0u);
}

TEST(back_off, grows_with_every_failure_and_leaves_the_old_value_alone) {
  const BackOff first{doubling};
  const auto second = first.next();
  const auto third = second.next();

  EXPECT_EQ(second.wait_time(), 100ms);
  EXPECT_EQ(third.wait_time(), 200ms);
  EXPECT_EQ(third.retries(), 2u);
  EXPECT_EQ(first, BackOff{doubling});
}

TEST(back_off, begins_a_new_series_with_a_reset_but_goes_on_drawing) {
  const BackOff jittered{doubling | full_jitter, 7, 3};
  const auto reset = jittered.next().next().reset();

  EXPECT_EQ(reset.wait_time(), 0ns);
  EXPECT_FALSE(reset.is_started());
  EXPECT_EQ(reset.resets(), 1u);
  EXPECT_EQ(reset.total_retries(), 2u);
  // The first delay again, by the third draw.
  EXPECT_EQ(reset.next().wait_time(),
            Duration{static_cast<std::int64_t>(1e8 * unit_random(7, 3, 2))});
}

TEST(back_off, draws_from_its_seed_and_stream) {
  const BackOff one{doubling | full_jitter, 7, 3};

  EXPECT_EQ(one.next().wait_time(), Duration{6514467});
  EXPECT_NE(one.next().wait_time(), BackOff(one.policy(), 8, 3).next().wait_time());
  EXPECT_NE(one.next().wait_time(), one.with_stream(4).next().wait_time());
  EXPECT_EQ(one.next(), BackOff(one.policy(), 7, 3).next());
}

TEST(back_off, counts_the_free_retry_of_random_slots_as_a_reset) {
  const BackOff backoff{RandomSlots{.slot_time = 10ms, .ceiling = 2}};
  const auto after_free_retry = backoff.next(0.9).next(0.9);

  EXPECT_EQ(after_free_retry.wait_time(), 0ns);
  EXPECT_EQ(after_free_retry.resets(), 1u);
  EXPECT_EQ(after_free_retry.retries(), 0u);
  EXPECT_EQ(after_free_retry.total_retries(), 1u);
}

TEST(back_off, refuses_a_draw_outside_of_its_range) {
  for (const auto u : {-0.1, 1.0, 2.0, std::nan("")})
    EXPECT_THROW(static_cast<void>(BackOff{doubling}.next(u)), InvalidArgument) << u;
}

TEST(back_off, prints_the_coordinates_of_its_last_draw) {
  const BackOff backoff{doubling, 7, 3};

  EXPECT_EQ(to_string(backoff), "wait 0ns, retries 0, resets 0, total_retries 0");
  EXPECT_EQ(to_string(backoff.next().next()),
            "wait 200ms, retries 2, resets 0, total_retries 2, draw (seed 7, stream 3, n 1)");
}

} // namespace

} // namespace backoff_actor
