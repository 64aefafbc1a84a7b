// How long a message waits that fails again and again, beside another that does: the table in
// docs/how-to/policies.md.

#include "service_story.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace backoff_actor::model_test {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

// The first five waits of message 1.
std::vector<Duration> waits(Ordering ordering, std::uint32_t workers, BackoffBy backoff_by,
                            int messages, FailsBy fails_by = FailsBy::error_answer) {
  ServiceStory story;
  auto& options = story.options;
  options.backoff = BackOff{Exponential{.first = 2s, .factor = 2, .cap = 10min}};
  options.backoff_by = backoff_by;
  options.ordering = ordering;
  options.max_in_flight = 1;
  if (workers > 1)
    options.pool.kinds = {{{workers, workers}, 1}};
  story.fails_by = fails_by;
  story.messages = messages;
  story.takes = 0s;
  story.until = 2h;
  for (int i = 1; i <= messages; ++i)
    story.poison.insert(static_cast<std::uint64_t>(i));
  const auto at = StoryTeller{story}.tell().failed_at.at(1);
  std::vector<Duration> result;
  for (std::size_t i = 1; i < 6; ++i)
    result.push_back(at.at(i) - at.at(i - 1));
  return result;
}

constexpr auto by_both = BackoffBy::worker_and_message;

TEST(who_waits, in_strict_order_the_sender_does_and_all_wait_with_it) {
  EXPECT_THAT(waits(Ordering::strict, 1, by_both, 2), ElementsAre(2s, 4s, 8s, 16s, 32s));
}

TEST(who_waits, with_one_worker_the_waits_of_worker_and_message_add_up) {
  EXPECT_THAT(waits(Ordering::unordered, 1, by_both, 1), ElementsAre(4s, 8s, 16s, 32s, 64s));
}

TEST(who_waits, with_one_worker_a_message_waits_for_what_others_fail_at_too) {
  EXPECT_THAT(waits(Ordering::unordered, 1, by_both, 2), ElementsAre(6s, 24s, 96s, 384s, 1112s));
}

TEST(who_waits, in_a_pool_with_a_free_worker_the_message_alone_does) {
  EXPECT_THAT(waits(Ordering::unordered, 8, by_both, 2), ElementsAre(2s, 4s, 8s, 16s, 32s));
}

TEST(who_waits, by_message_it_alone_does_whoever_else_fails) {
  for (const auto ordering : {Ordering::per_key, Ordering::unordered})
    for (const auto workers : {1U, 2U, 8U})
      for (const auto messages : {1, 2, 20})
        for (const auto fails_by : {FailsBy::error_answer, FailsBy::refusal, FailsBy::crash})
          EXPECT_THAT(waits(ordering, workers, BackoffBy::message, messages, fails_by),
                      ElementsAre(2s, 4s, 8s, 16s, 32s))
            << workers << " workers, " << messages << " messages";
}

TEST(who_waits, by_message_in_strict_order_the_others_wait_for_it) {
  EXPECT_THAT(waits(Ordering::strict, 1, BackoffBy::message, 20),
              ElementsAre(2s, 4s, 8s, 16s, 32s));
}

} // namespace

} // namespace backoff_actor::model_test
