#include "backoff_actor/core/internal/slot_heap.hpp"

#include "common/allocations.hpp"

#include <gtest/gtest.h>

namespace backoff_actor::slot_heap_test {

// As an outbox of a million messages has, one of which is retried again and again.
TEST(slot_heap, that_never_holds_many_allocates_nothing_for_the_next_slot) {
  SlotHeap<int> heap;
  heap.push(1'000'000, 1);
  heap.pop();
  const auto before = test::allocations();

  for (int n = 0; n < 100; ++n) {
    heap.push(999'999, n);
    heap.pop();
  }

  EXPECT_EQ(test::allocations() - before, 0U);
}

} // namespace backoff_actor::slot_heap_test
