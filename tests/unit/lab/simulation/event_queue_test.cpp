#include "backoff_actor/lab/simulation/internal/event_queue.hpp"

#include "backoff_actor/core/unit_random.hpp"
#include "common/seeds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace backoff_actor {

// In the same namespace as the type, where GoogleTest finds it.
void PrintTo(const EventQueue::Event& event, std::ostream* out) {
  *out << event.at_us << " us, tag " << event.tag;
}

} // namespace backoff_actor

namespace backoff_actor::event_queue_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using Event = EventQueue::Event;

std::vector<Event> drained(EventQueue& queue) {
  std::vector<Event> result;
  while (!queue.empty())
    result.push_back(queue.pop());
  return result;
}

TEST(event_queue, gives_the_earliest_event_first) {
  EventQueue queue;
  queue.push(70, 1);
  queue.push(5, 2);
  queue.push(1'000'000, 3);
  queue.push(6, 4);

  EXPECT_THAT(drained(queue),
              ElementsAre(Event{5, 2}, Event{6, 4}, Event{70, 1}, Event{1'000'000, 3}));
}

TEST(event_queue, orders_what_happens_at_the_same_time_by_tag) {
  EventQueue queue;
  for (const std::uint32_t tag : {9U, 2U, 16'777'215U, 0U, 5U})
    queue.push(40, tag);
  queue.push(39, 7);

  EXPECT_THAT(drained(queue), ElementsAre(Event{39, 7}, Event{40, 0}, Event{40, 2}, Event{40, 5},
                                          Event{40, 9}, Event{40, 16'777'215}));
}

TEST(event_queue, keeps_two_events_that_are_alike) {
  EventQueue queue;
  queue.push(3, 3);
  queue.push(3, 3);

  EXPECT_EQ(queue.size(), 2U);
  EXPECT_THAT(drained(queue), ElementsAre(Event{3, 3}, Event{3, 3}));
}

TEST(event_queue, takes_an_event_for_the_present_with_a_lower_tag_than_the_last) {
  EventQueue queue;
  queue.push(10, 5);
  queue.push(10, 8);
  EXPECT_EQ(queue.pop(), (Event{10, 5}));
  queue.push(10, 1);

  EXPECT_EQ(queue.now_us(), 10U);
  EXPECT_THAT(drained(queue), ElementsAre(Event{10, 1}, Event{10, 8}));
}

TEST(event_queue, tells_when_the_next_event_is_and_still_takes_an_earlier_one) {
  EventQueue queue;
  queue.push(8, 1);
  queue.push(700, 2);
  EXPECT_EQ(queue.next_us(), 8U);
  queue.push(4, 3);

  EXPECT_EQ(queue.next_us(), 4U);
  EXPECT_EQ(queue.now_us(), 0U);
  EXPECT_EQ(queue.pop(), (Event{4, 3}));
  EXPECT_EQ(queue.next_us(), 8U);
  EXPECT_EQ(queue.pop(), (Event{8, 1}));
  EXPECT_EQ(queue.next_us(), 700U);
  queue.push(9, 4);
  EXPECT_EQ(queue.next_us(), 9U);
  EXPECT_THAT(drained(queue), ElementsAre(Event{9, 4}, Event{700, 2}));
}

TEST(event_queue, reaches_almost_thirteen_days_and_takes_what_is_beyond_for_the_end) {
  EventQueue queue;
  queue.push(UINT64_MAX, 2);
  queue.push(1'099'511'627'775, 3);
  queue.push(1'099'511'627'774, 4);

  EXPECT_THAT(drained(queue), ElementsAre(Event{1'099'511'627'774, 4}, Event{1'099'511'627'775, 2},
                                          Event{1'099'511'627'775, 3}));
}

TEST(event_queue, rounds_nanoseconds_up) {
  EXPECT_EQ(whole_us(Instant{0ns}), 0U);
  EXPECT_EQ(whole_us(Instant{1ns}), 1U);
  EXPECT_EQ(whole_us(Instant{1000ns}), 1U);
  EXPECT_EQ(whole_us(Instant{1001ns}), 2U);
  EXPECT_EQ(whole_us(Instant{-5s}), 0U);
  EXPECT_EQ(whole_us(Instant::never()), 9'223'372'036'854'776U);
}

// A simulation's life: each event that is taken out puts in none, one or two later ones, many at
// the same instant, some after minutes.
void walk(std::uint64_t seed) {
  SCOPED_TRACE("BACKOFF_ACTOR_SEED=" + std::to_string(seed));
  EventQueue queue;
  std::multimap<std::uint64_t, std::uint32_t> expected; // those of one instant: by tag, see below
  std::uint64_t n = 0;
  const auto put = [&](std::uint64_t now_us) {
    const auto draw = [&](std::uint64_t stream) { return unit_random(seed, stream, n); };
    const auto longest = draw(1) < 0.5 ? 4.0 : draw(2) < 0.9 ? 1e6 : 3e8;
    const auto at_us = now_us + static_cast<std::uint64_t>(draw(3) * longest);
    const auto tag = static_cast<std::uint32_t>(draw(4) * EventQueue::tags);
    queue.push(at_us, tag);
    expected.insert({at_us, tag});
    ++n;
  };
  for (int i = 0; i < 50; ++i)
    put(0);
  for (int steps = 0; !queue.empty() && steps < 20'000; ++steps) {
    const auto [first, last] = expected.equal_range(expected.begin()->first);
    const auto next = std::min_element(
      first, last, [](const auto& a, const auto& b) { return a.second < b.second; });
    if (unit_random(seed, 8, n) < 0.5) {
      ASSERT_EQ(queue.next_us(), next->first) << "step " << steps;
    }
    ASSERT_EQ(queue.pop(), (Event{next->first, next->second})) << "step " << steps;
    const auto now_us = next->first;
    expected.erase(next);
    const auto successors = static_cast<int>(unit_random(seed, 9, n) * 3);
    for (int i = 0; i < successors; ++i)
      put(now_us);
    if (expected.empty())
      put(now_us);
    ASSERT_EQ(queue.size(), expected.size());
  }
}

TEST(event_queue, agrees_with_a_sorted_map_over_many_random_operations) {
  for (const auto seed : test::seeds(10))
    walk(seed);
}

} // namespace backoff_actor::event_queue_test
