#include "backoff_actor/delivery/deduplicator.hpp"

#include "common/allocations.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace backoff_actor::deduplicator_test {

TEST(deduplicator, that_is_full_allocates_nothing_more) {
  Deduplicator<> seen{1000};
  std::uint64_t delivery = 0;
  while (seen.size() < seen.capacity())
    seen.remember(1, ++delivery);
  const auto before = test::allocations();

  for (int n = 0; n < 5000; ++n)
    seen.remember(1, ++delivery);

  EXPECT_EQ(test::allocations() - before, 0U);
}

} // namespace backoff_actor::deduplicator_test
