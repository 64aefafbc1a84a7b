// The list of free workers, by hand and beside a list that is searched.

#include "backoff_actor/delivery/internal/free_workers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <list>
#include <utility>
#include <vector>

namespace backoff_actor {

namespace {

TEST(free_workers, has_none_at_first) {
  const FreeWorkers free;
  EXPECT_TRUE(free.empty());
  EXPECT_EQ(free.first(), FreeWorkers::none);
  EXPECT_FALSE(free.contains(3));
}

TEST(free_workers, gives_the_one_that_holds_the_fewest) {
  FreeWorkers free;
  free.put(1, 70);
  free.put(2, 3);
  free.put(3, 64);
  EXPECT_EQ(free.first(), 2U);
  EXPECT_EQ(free.held_by(2), 3U);
  free.take_out(2);
  EXPECT_EQ(free.first(), 3U);
  free.put(1, 0);
  EXPECT_EQ(free.first(), 1U);
  EXPECT_EQ(free.idle(), 1U);
}

TEST(free_workers, gives_the_one_that_has_waited_longest_of_those_that_hold_equally_many) {
  FreeWorkers free;
  for (const auto worker : std::initializer_list<FreeWorkers::Index>{4, 2, 9})
    free.put(worker, 0);
  EXPECT_EQ(free.first(), 4U);
  free.put(4, 0); // nothing has changed
  EXPECT_EQ(free.first(), 4U);
  free.put(4, 1);
  free.put(4, 0);
  EXPECT_EQ(free.first(), 2U);
}

RC_GTEST_PROP(free_workers, agree_with_a_list, ()) {
  FreeWorkers free;
  std::list<std::pair<FreeWorkers::Index, std::uint32_t>> reference;
  const auto find = [&](FreeWorkers::Index worker) {
    return std::find_if(reference.begin(), reference.end(),
                        [=](const auto& x) { return x.first == worker; });
  };
  const auto steps = *rc::gen::container<std::vector<std::pair<std::uint8_t, std::uint16_t>>>(
    rc::gen::pair(rc::gen::inRange<std::uint8_t>(0, 12), rc::gen::inRange<std::uint16_t>(0, 200)));
  for (const auto& [worker, how] : steps) {
    const auto at = find(worker);
    if (how < 50) {
      free.take_out(worker);
      if (at != reference.end())
        reference.erase(at);
    } else {
      const auto held = how - 50U;
      free.put(worker, held);
      if (at == reference.end() || at->second != held) {
        if (at != reference.end())
          reference.erase(at);
        reference.emplace_back(worker, held);
      }
    }
    const auto least = std::min_element(reference.begin(), reference.end(),
                                        [](auto& x, auto& y) { return x.second < y.second; });
    RC_ASSERT(free.size() == reference.size());
    RC_ASSERT(free.first() == (least == reference.end() ? FreeWorkers::none : least->first));
    RC_ASSERT(free.idle()
              == static_cast<std::size_t>(std::count_if(reference.begin(), reference.end(),
                                                        [](auto& x) { return x.second == 0; })));
  }
}

} // namespace

} // namespace backoff_actor
