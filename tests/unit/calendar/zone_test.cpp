#include "backoff_actor/calendar/zone.hpp"

#include "backoff_actor/core/problems.hpp"
#include "zones_2026.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>

namespace backoff_actor::zone_test {

namespace {

using namespace calendar_test;

using std::chrono::local_days;
using testing::ElementsAre;

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "taken";
}

constexpr std::chrono::local_seconds local(int year, unsigned month, unsigned day,
                                           std::chrono::seconds of_day) {
  return local_days{std::chrono::year{year} / static_cast<int>(month) / static_cast<int>(day)}
         + of_day;
}

TEST(zone, is_utc_unless_it_is_said) {
  const Zone zone;
  EXPECT_EQ(zone.name(), "UTC");
  EXPECT_EQ(zone.offset_at(wall(2026, 7, 1)), 0s);
  EXPECT_EQ(zone.offset_at({std::numeric_limits<std::int64_t>::min()}), 0s);
}

TEST(zone, has_the_offset_of_the_last_change_at_its_second_and_later) {
  const auto zone = berlin();
  EXPECT_EQ(zone.offset_at(wall(2026, 3, 29, 1h - 1s)), 1h);
  EXPECT_EQ(zone.offset_at(wall(2026, 3, 29, 1h)), 2h);
  EXPECT_EQ(zone.offset_at(wall(2026, 10, 25, 1h - 1s)), 2h);
  EXPECT_EQ(zone.offset_at(wall(2026, 10, 25, 1h)), 1h);
  EXPECT_EQ(zone.offset_at({std::numeric_limits<std::int64_t>::min()}), 1h);
  EXPECT_EQ(zone.offset_at({std::numeric_limits<std::int64_t>::max()}), 1h);
}

TEST(zone, takes_the_second_that_an_instant_lies_in) {
  const auto zone = berlin();
  EXPECT_EQ(zone.offset_at({wall(2026, 3, 29, 1h).since_epoch - 1}), 1h);
  EXPECT_EQ(zone.local_time({wall(2026, 3, 29, 1h).since_epoch + 999'999'999}),
            local(2026, 3, 29, 3h));
}

TEST(zone, shows_a_local_time_once_twice_or_never) {
  const auto zone = berlin();
  EXPECT_THAT(zone.instants_of(local(2026, 7, 1, 12h)), ElementsAre(wall(2026, 7, 1, 10h)));
  EXPECT_THAT(zone.instants_of(local(2026, 3, 29, 2h)), ElementsAre());
  EXPECT_THAT(zone.instants_of(local(2026, 3, 29, 3h - 1s)), ElementsAre());
  EXPECT_THAT(zone.instants_of(local(2026, 3, 29, 3h)), ElementsAre(wall(2026, 3, 29, 1h)));
  EXPECT_THAT(zone.instants_of(local(2026, 10, 25, 2h - 1s)), ElementsAre(wall(2026, 10, 25, -1s)));
  EXPECT_THAT(zone.instants_of(local(2026, 10, 25, 2h)),
              ElementsAre(wall(2026, 10, 25), wall(2026, 10, 25, 1h)));
  EXPECT_THAT(zone.instants_of(local(2026, 10, 25, 3h)), ElementsAre(wall(2026, 10, 25, 2h)));
}

TEST(zone, leaves_out_changes_that_change_nothing) {
  const Zone zone{"Test/Same", 1h, {{utc(2026, 1, 1), 1h}, {utc(2026, 2, 1), 2h}}};
  EXPECT_THAT(zone.offsets(), testing::SizeIs(2));
  EXPECT_EQ(zone.offsets().back(), (OffsetChange{utc(2026, 2, 1), 2h}));
}

TEST(zone, is_equal_to_one_with_the_same_name_and_offsets) {
  EXPECT_EQ(berlin(), berlin());
  EXPECT_FALSE(berlin() == (Zone{"Europe/Berlin", 1h, {}}));
  EXPECT_FALSE((Zone{"Test/A", 1h, {}}) == (Zone{"Test/B", 1h, {}}));
}

TEST(zone, refuses_what_no_zone_has_all_at_once) {
  EXPECT_EQ(refusal([] {
              Zone{"../etc/passwd",
                   27h,
                   {{utc(2026, 1, 1), -27h}, {utc(2026, 1, 1, 23h), 0s}, {utc(2026, 1, 3), 1h}}};
            }),
            "name: got '../etc/passwd', allowed a capital letter, then letters, digits and /_+-, "
            "64 at most\n"
            "first: got 27h, allowed -26h..26h\n"
            "changes[0].offset: got -27h, allowed -26h..26h\n"
            "changes[1].at: got less than a day after the change before, allowed a day or more");
}

} // namespace

} // namespace backoff_actor::zone_test
