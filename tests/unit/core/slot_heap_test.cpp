#include "backoff_actor/core/internal/slot_heap.hpp"

#include "backoff_actor/core/unit_random.hpp"
#include "common/seeds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

namespace backoff_actor::slot_heap_test {

using ::testing::ElementsAre;

std::vector<std::uint32_t> drained(SlotHeap<int> heap) {
  std::vector<std::uint32_t> result;
  for (; !heap.empty(); heap.pop())
    result.push_back(heap.top());
  return result;
}

TEST(slot_heap, gives_the_least_key_first) {
  SlotHeap<int> heap;
  heap.push(7, 30);
  heap.push(3, 10);
  heap.push(5, 20);

  EXPECT_EQ(heap.top_key(), 10);
  EXPECT_THAT(drained(heap), ElementsAre(3, 5, 7));
}

TEST(slot_heap, takes_out_any_slot) {
  SlotHeap<int> heap;
  for (std::uint32_t slot = 0; slot < 6; ++slot)
    heap.push(slot, static_cast<int>(slot));
  heap.erase(0);
  heap.erase(3);
  heap.erase(5);
  heap.erase(5);
  heap.erase(77);

  EXPECT_FALSE(heap.contains(3));
  EXPECT_TRUE(heap.contains(4));
  EXPECT_EQ(heap.key_of(4), 4);
  EXPECT_THAT(drained(heap), ElementsAre(1, 2, 4));
}

TEST(slot_heap, takes_a_slot_again_after_it_was_taken_out) {
  SlotHeap<int> heap;
  heap.push(2, 9);
  heap.erase(2);
  heap.push(2, 1);
  heap.push(1, 5);

  EXPECT_THAT(drained(heap), ElementsAre(2, 1));
}

TEST(slot_heap,
     agrees_with_a_sorted_set_over_many_random_operations_whose_keys_are_often_the_same) {
  for (const auto seed : test::seeds(20)) {
    SCOPED_TRACE("BACKOFF_ACTOR_SEED=" + std::to_string(seed));
    SlotHeap<int> heap;
    std::set<std::pair<int, std::uint32_t>> expected;
    std::map<std::uint32_t, int> keys;
    for (std::uint64_t n = 0; n < 3000; ++n) {
      const auto draw = [&](std::uint64_t stream) { return unit_random(seed, stream, n); };
      const auto slot = static_cast<std::uint32_t>(draw(1) * 200);
      if (draw(2) < 0.55 && keys.count(slot) == 0) {
        const auto key = static_cast<int>(draw(3) * 20);
        heap.push(slot, key, std::less<>{});
        expected.insert({key, slot});
        keys[slot] = key;
      } else if (keys.count(slot) != 0) {
        heap.erase(slot, std::less<>{});
        expected.erase({keys[slot], slot});
        keys.erase(slot);
      }
      ASSERT_EQ(heap.size(), expected.size());
      ASSERT_EQ(heap.contains(slot), keys.count(slot) == 1);
      if (!expected.empty()) {
        ASSERT_EQ(heap.top(), expected.begin()->second);
      }
    }
  }
}

} // namespace backoff_actor::slot_heap_test
