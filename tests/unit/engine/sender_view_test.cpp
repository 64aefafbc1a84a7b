// What an engine says of one owed delivery to whoever asks for it.

#include "engine_driver.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;

namespace {

// By its number, as the driver of the engine finds it.
DeliveryView view_of(const EngineDriver& sender, std::uint64_t delivery) {
  const auto slot = sender.engine->slot_of(delivery);
  EXPECT_TRUE(slot.has_value());
  return slot ? sender.engine->view(*slot) : DeliveryView{};
}

Duration next_try_in(const EngineDriver& sender, std::uint64_t delivery) {
  const auto at = view_of(sender, delivery).next_try;
  return at == Instant::never() ? -1ns : at - sender.now;
}

EngineDriver with_child(EngineOptions options) {
  EngineDriver result{std::move(options)};
  result.start();
  return result;
}

} // namespace

TEST(sender_view, of_what_a_child_has_says_which_and_since_when_its_timeout_runs) {
  auto sender = with_child({.works_on = WorksOn::many, .max_in_flight = 1});
  sender.wake_after(3s);
  sender.submit();
  const auto given_at = sender.now;
  sender.wake_after(2s);
  EXPECT_TRUE(view_of(sender, 1).is_in_work);
  EXPECT_EQ(view_of(sender, 1).incarnation, 1U);
  EXPECT_EQ(view_of(sender, 1).since, given_at);
  EXPECT_EQ(view_of(sender, 1).next_try, Instant::never());
  sender.working(1);
  EXPECT_EQ(view_of(sender, 1).since, given_at + 2s);
}

TEST(sender_view, of_what_waits_for_a_free_child_says_since_when_and_names_no_time) {
  auto sender = with_child({.max_in_flight = 1});
  sender.submit();
  sender.wake_after(1s);
  sender.submit();
  const auto came_at = sender.now;
  sender.wake_after(1s);
  EXPECT_FALSE(view_of(sender, 2).is_in_work);
  EXPECT_EQ(view_of(sender, 2).since, came_at);
  EXPECT_EQ(view_of(sender, 2).incarnation, 0U);
  EXPECT_EQ(view_of(sender, 2).next_try, Instant::never());
}

TEST(sender_view, of_what_waits_for_the_delay_of_its_child_says_until_when) {
  auto sender = with_child({.max_attempts = 5, .charging = Charging::every_failure()});
  sender.submit();
  sender.crash();
  EXPECT_EQ(next_try_in(sender, 1), 10ms);
  EXPECT_EQ(view_of(sender, 1).attempts, 1U);
  EXPECT_EQ(view_of(sender, 1).incarnation, 1U) << "who had it last";
  sender.child_started();
  sender.wake_after(4ms);
  EXPECT_EQ(next_try_in(sender, 1), 6ms);
}

TEST(sender_view, of_what_waits_for_its_own_delay_says_until_when) {
  auto sender = with_child({.ordering = Ordering::unordered, .max_in_flight = 2});
  sender.submit();
  sender.submit();
  sender.nack(1, 7s);
  EXPECT_EQ(next_try_in(sender, 1), 7s);
  EXPECT_TRUE(view_of(sender, 2).is_in_work);
}

TEST(sender_view, of_what_waits_for_its_time_says_until_when_in_each_order) {
  for (const auto ordering : {Ordering::strict, Ordering::per_key, Ordering::unordered}) {
    auto sender = with_child({.ordering = ordering});
    sender.take(input::Submit{.own = own(sender.now + 1h)});
    sender.wake_after(20min);
    EXPECT_FALSE(view_of(sender, 1).is_in_work);
    EXPECT_EQ(next_try_in(sender, 1), 40min);
  }
}

TEST(sender_view, of_what_waits_for_its_time_and_for_a_delay_says_the_later) {
  auto sender = with_child({.ordering = Ordering::unordered, .max_in_flight = 1});
  sender.submit();
  sender.take(input::Submit{.own = own(sender.now + 4ms)});
  sender.take(input::Submit{.own = own(sender.now + 1h)});
  sender.crash();
  EXPECT_EQ(next_try_in(sender, 2), 10ms);
  EXPECT_EQ(next_try_in(sender, 3), 1h);
}

TEST(sender_view, of_a_worker_of_a_pool_says_which_child_has_it) {
  EngineDriver sender{{.pool = {.kinds = {{{2, 2}, 1}}}}};
  sender.take(input::Start{});
  sender.take(input::ChildStarted{1});
  sender.take(input::ChildStarted{2});
  sender.submit();
  sender.submit();
  EXPECT_EQ(view_of(sender, 1).incarnation + view_of(sender, 2).incarnation, 3U);
  EXPECT_TRUE(view_of(sender, 2).is_in_work);
}

} // namespace backoff_actor::engine_test
