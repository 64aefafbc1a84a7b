// Counts what the next time of a schedule asks `operator new` for.

#include "backoff_actor/calendar/schedule.hpp"

#include "common/allocations.hpp"
#include "zones_2026.hpp"

#include <gtest/gtest.h>

namespace backoff_actor::schedule_allocations_test {

using namespace calendar_test;

TEST(schedule_allocations, are_none_for_the_next_time) {
  for (const auto& schedule :
       {every(5min), at("02:30", berlin()), cron("*/5 9-17 * * 1-5", berlin()),
        cron("0 0 29 2 *", lord_howe())}) {
    const auto before = test::allocations();
    auto time = wall(2026, 1, 1);
    for (auto i = 0; i < 50; ++i)
      time = *schedule.next_after(time);
    EXPECT_EQ(schedule.last_within(wall(2026, 1, 1), time), time);
    EXPECT_EQ(test::allocations() - before, 0U) << to_string(schedule);
  }
}

} // namespace backoff_actor::schedule_allocations_test
