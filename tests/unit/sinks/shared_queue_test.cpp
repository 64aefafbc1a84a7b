#include "backoff_actor/sinks/shared_queue.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace backoff_actor::sinks_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(shared_queue, gives_what_its_hooks_were_told_in_order_and_once) {
  const SharedQueue<std::string> queue;
  const auto first = queue.hook();
  const auto second = queue.hook();
  first("a");
  second("b");
  first("c");

  EXPECT_EQ(queue.size(), 3u);
  EXPECT_THAT(queue.take(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(queue.take(), IsEmpty());
}

TEST(shared_queue, is_the_same_queue_in_all_its_copies) {
  const SharedQueue<int> queue{2};
  const auto copy = queue;
  queue.hook()(1);

  EXPECT_THAT(copy.take(), ElementsAre(1));
  EXPECT_EQ(queue.size(), 0u);
}

TEST(shared_queue, that_is_full_drops_the_oldest_and_counts_it) {
  const SharedQueue<int> queue{2};
  const auto put = queue.hook();
  for (const auto value : {1, 2})
    put(value);
  EXPECT_EQ(queue.dropped(), 0u);
  for (const auto value : {3, 4, 5})
    put(value);

  EXPECT_EQ(queue.dropped(), 3u);
  EXPECT_THAT(queue.take(), ElementsAre(4, 5));
  EXPECT_EQ(queue.dropped(), 3u) << "what was taken was not dropped";
}

TEST(shared_queue, has_hooks_that_may_outlive_it) {
  auto queue = std::make_optional<SharedQueue<std::shared_ptr<int>>>();
  const auto put = queue->hook();
  const auto value = std::make_shared<int>(7);
  put(value);
  queue.reset();
  EXPECT_EQ(value.use_count(), 1) << "the queue frees what it holds";
  put(value);
  EXPECT_EQ(value.use_count(), 1) << "nobody can read what comes later";
}

TEST(shared_queue, lives_as_long_as_one_of_its_copies) {
  auto queue = std::make_optional<SharedQueue<int>>();
  const auto put = queue->hook();
  const auto copy = *queue;
  queue.reset();
  put(1);
  EXPECT_THAT(copy.take(), ElementsAre(1));
}

// Tells somebody when it is destroyed, as the last handle to an actor may.
struct Dying {
  std::shared_ptr<std::function<void()>> last_words;

  ~Dying() {
    if (last_words && last_words.use_count() == 2)
      (*last_words)();
  }
};

TEST(shared_queue, may_be_told_something_by_what_it_drops) {
  const SharedQueue<Dying> queue{1};
  const auto put = queue.hook();
  int calls = 0;
  auto words = std::make_shared<std::function<void()>>([&] {
    if (++calls == 1)
      put({});
  });
  put({words});
  put({}); // drops the first, whose end calls the hook again

  EXPECT_EQ(calls, 1);
  EXPECT_EQ(queue.dropped(), 2u);
}

// -- waiting -------------------------------------------------------------------------------

TEST(shared_queue, says_at_once_whether_it_holds_enough_if_there_is_no_time) {
  const SharedQueue<int> queue;
  EXPECT_TRUE(queue.wait_for(0, 0s));
  EXPECT_FALSE(queue.wait_for(1, 0s));
  EXPECT_FALSE(queue.wait_for(1, -1s));
  queue.hook()(1);
  EXPECT_TRUE(queue.wait_for(1, 0s));
  EXPECT_FALSE(queue.wait_for(2, 0s));
}

TEST(shared_queue, wakes_whoever_waits_as_soon_as_it_holds_enough) {
  const SharedQueue<int> queue;
  std::thread teller{[put = queue.hook()] {
    for (int i = 1; i <= 3; ++i)
      put(i);
  }};
  EXPECT_TRUE(queue.wait_for(3, Duration::max()));
  teller.join();
  EXPECT_THAT(queue.take(), ElementsAre(1, 2, 3));
}

TEST(shared_queue, loses_nothing_of_what_many_threads_tell_it_at_once) {
  const SharedQueue<int> queue;
  std::vector<std::thread> tellers;
  for (int thread = 0; thread < 4; ++thread)
    tellers.emplace_back([put = queue.hook()] {
      for (int i = 0; i < 1000; ++i)
        put(i);
    });
  std::size_t taken = 0;
  while (taken + queue.dropped() < 4000) {
    ASSERT_TRUE(queue.wait_for(1, 1min));
    taken += queue.take().size();
  }
  for (auto& teller : tellers)
    teller.join();
  EXPECT_EQ(taken, 4000u);
  EXPECT_EQ(queue.dropped(), 0u);
}

// -- what cannot be ------------------------------------------------------------------------

TEST(shared_queue, without_room_is_refused) {
  try {
    const SharedQueue<int> queue{0};
    FAIL() << "expected an exception";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "capacity: got 0, allowed 1 or more");
  }
}

TEST(shared_queue, is_not_waited_for_until_it_holds_more_than_it_can) {
  const SharedQueue<int> queue{3};
  EXPECT_FALSE(queue.wait_for(3, 0s));
  try {
    queue.wait_for(4, 1h);
    FAIL() << "expected an exception";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "count: got 4, allowed 0..3");
  }
}

} // namespace backoff_actor::sinks_test
