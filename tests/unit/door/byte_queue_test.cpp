#include "backoff_actor/caf/door/internal/byte_queue.hpp"

#include "common/seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace backoff_actor::door {

namespace {

void put(ByteQueue& queue, const std::string& text) {
  const auto room = queue.room();
  ASSERT_GE(room.size(), text.size());
  std::ranges::copy(std::as_bytes(std::span{text}), room.begin());
  queue.added(text.size());
}

std::string text_of(const ByteQueue& queue) {
  const auto content = queue.content();
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

} // namespace

TEST(byte_queue, gives_what_was_put_in_the_same_order) {
  ByteQueue queue{8};
  EXPECT_TRUE(queue.empty());
  put(queue, "abcde");
  EXPECT_FALSE(queue.empty());
  EXPECT_FALSE(queue.is_full());
  queue.remove(2);
  EXPECT_EQ(text_of(queue), "cde");
  put(queue, "fghij");
  EXPECT_TRUE(queue.is_full());
  EXPECT_EQ(queue.room().size(), 0u);
  EXPECT_EQ(text_of(queue), "cdefghij");
  queue.remove(8);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.room().size(), 8u);
}

TEST(byte_queue, agrees_with_a_text_whatever_is_put_and_removed) {
  for (const auto seed : test::seeds(100)) {
    std::mt19937_64 random{seed};
    ByteQueue queue{50};
    std::string expected;
    for (int step = 0; step != 300; ++step) {
      if (random() % 2 == 0) {
        std::string text(random() % (51 - expected.size()), static_cast<char>('a' + step % 26));
        put(queue, text);
        expected += text;
      } else {
        const auto count = random() % (expected.size() + 1);
        queue.remove(count);
        expected.erase(0, count);
      }
      ASSERT_EQ(text_of(queue), expected) << "seed " << seed << ", step " << step;
      ASSERT_EQ(queue.is_full(), expected.size() == 50) << "seed " << seed << ", step " << step;
    }
  }
}

} // namespace backoff_actor::door
