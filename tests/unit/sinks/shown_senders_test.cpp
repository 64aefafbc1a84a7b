#include "backoff_actor/sinks/internal/shown_senders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace backoff_actor::shown_senders_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

namespace {

ObservedSender owing(std::uint64_t number, std::uint64_t owed, Duration age) {
  ObservedSender sender;
  sender.name = {"s", number};
  sender.glance.owed = owed;
  sender.glance.oldest_since = Instant{10s} + -age;
  return sender;
}

// Twelve with growing backlogs, and then three that have each owed one message for long.
std::vector<ObservedSender> fifteen() {
  std::vector<ObservedSender> senders;
  for (std::uint64_t i = 1; i <= 12; ++i)
    senders.push_back(owing(i, 100 + i, 1s));
  senders.push_back(owing(13, 1, 9s));
  senders.push_back(owing(14, 3, 8s));
  senders.push_back(owing(15, 2, 7s));
  return senders;
}

std::vector<std::uint64_t> numbers_of(const std::vector<ObservedSender>& senders) {
  std::vector<std::uint64_t> numbers;
  for (const auto& sender : senders)
    numbers.push_back(sender.name.number);
  return numbers;
}

} // namespace

// One message that is stuck is no large backlog, and yet it is what people look for.
TEST(shown_senders, a_fifth_of_the_places_are_for_the_oldest_messages) {
  auto senders = fifteen();
  EXPECT_EQ(detail::keep_shown(senders, 10), 5u);
  EXPECT_THAT(numbers_of(senders), ElementsAre(12, 11, 10, 9, 8, 7, 6, 5, 14, 13));
}

TEST(shown_senders, all_are_sorted_by_backlog_if_they_fit) {
  auto senders = fifteen();
  EXPECT_EQ(detail::keep_shown(senders, 15), 0u);
  EXPECT_THAT(numbers_of(senders), ElementsAre(12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 14, 15, 13));
}

TEST(shown_senders, a_few_places_are_for_backlogs_alone) {
  auto senders = fifteen();
  EXPECT_EQ(detail::keep_shown(senders, 4), 11u);
  EXPECT_THAT(numbers_of(senders), ElementsAre(12, 11, 10, 9));
  EXPECT_EQ(detail::keep_shown(senders, 0), 4u);
  EXPECT_TRUE(senders.empty());
}

} // namespace backoff_actor::shown_senders_test
