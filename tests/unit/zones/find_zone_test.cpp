#include "backoff_actor/zones/find_zone.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/core/problems.hpp"
#include "unit/calendar/zones_2026.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace backoff_actor::find_zone_test {

namespace {

using namespace calendar_test;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& name) {
  try {
    return find_zone(name).name();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

TEST(find_zone, gives_a_zone_with_its_changes) {
  const auto zone = find_zone("Europe/Berlin");
  EXPECT_EQ(zone.name(), "Europe/Berlin");
  const auto in_2026 = berlin();
  for (const auto& change : in_2026.offsets()) {
    if (change.at < utc(2026, 1, 1))
      continue;
    EXPECT_EQ(zone.offset_at(wall(change.at)), change.offset);
    EXPECT_NE(zone.offset_at(wall(change.at - 1s)), change.offset);
  }
}

// The files of a database end their lists of changes at 2037, or much earlier. A rule stands for
// all after it.
TEST(find_zone, knows_the_changes_after_2037) {
  const auto zone = find_zone("Europe/Berlin");
  EXPECT_EQ(zone.offset_at(wall(2040, 7, 1)), 2h);
  EXPECT_EQ(zone.offset_at(wall(2040, 12, 1)), 1h);
  EXPECT_EQ(zone.offset_at(wall(2261, 7, 1)), 2h);
  EXPECT_EQ(find_zone("America/New_York").offset_at(wall(2099, 7, 1)), -4h);
}

TEST(find_zone, gives_the_offsets_of_the_c_library) {
  std::mt19937_64 random{2026};
  const auto second = [&] {
    constexpr auto most = std::numeric_limits<std::int64_t>::max() / 1'000'000'000;
    return std::uniform_int_distribution<std::int64_t>{-most, most}(random);
  };
  const auto* const before = std::getenv("TZ");
  const std::string old = before != nullptr ? before : "";
  for (const auto* const name :
       {"Europe/Berlin", "Europe/Dublin", "Africa/Casablanca", "America/New_York",
        "America/Sao_Paulo", "Asia/Kathmandu", "Asia/Tehran", "Australia/Lord_Howe", "Pacific/Apia",
        "Antarctica/Troll", "Etc/GMT+5", "UTC"}) {
    const auto zone = find_zone(name);
    setenv("TZ", name, 1);
    tzset();
    for (auto i = 0; i < 3000; ++i) {
      const std::time_t at = second();
      std::tm local{};
      localtime_r(&at, &local);
      ASSERT_EQ(zone.offset_at({at * 1'000'000'000}).count(), local.tm_gmtoff)
        << name << " at " << at;
    }
  }
  before != nullptr ? setenv("TZ", old.c_str(), 1) : unsetenv("TZ");
  tzset();
}

TEST(find_zone, refuses_a_name_that_is_none) {
  EXPECT_EQ(refusal("Europe/Belin"),
            "zone: got 'Europe/Belin', allowed a zone such as Europe/Berlin, of those in "
            "/usr/share/zoneinfo; did you mean Europe/Berlin?");
  EXPECT_THAT(refusal("europe/berlin"), HasSubstr("did you mean Europe/Berlin?"));
  for (const auto* const name : {"", "Europe", "../../../etc/passwd", "/usr/share/zoneinfo/UTC",
                                 "file:Europe/Berlin", "localtime", "Europe/Berlin/", "Berlin\n"})
    EXPECT_THAT(refusal(name), HasSubstr(", allowed a zone such as Europe/Berlin")) << name;
}

TEST(find_zone, refuses_what_is_no_zone_in_a_schedule_at_its_place) {
  try {
    static_cast<void>(parse_schedule("at(02:30, Europe/Belin)"));
    ADD_FAILURE() << "it is read";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.column(), 11U);
    EXPECT_THAT(error.problem(), HasSubstr("zone: got 'Europe/Belin', allowed a zone such as"));
  }
}

TEST(find_zone, gives_the_same_to_all) {
  const auto first = find_zone("Asia/Tokyo");
  EXPECT_EQ(&first.offsets(), &find_zone("Asia/Tokyo").offsets());
}

TEST(find_zone, may_be_called_by_many_threads) {
  const std::vector<std::string> names{"Europe/Paris", "Europe/Rome", "Asia/Seoul", "No/Zone"};
  std::vector<std::vector<std::size_t>> sizes(4);
  std::vector<std::thread> threads;
  for (auto& of_thread : sizes)
    threads.emplace_back([&] {
      for (auto i = 0; i < 50; ++i)
        for (const auto& name : names)
          try {
            of_thread.push_back(find_zone(name).offsets().size());
          } catch (const InvalidArgument&) {
            of_thread.push_back(0);
          }
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_THAT(sizes, testing::Each(sizes.front()));
  EXPECT_THAT(sizes.front(), testing::SizeIs(200));
  EXPECT_GT(sizes.front()[0], 100U);
  EXPECT_EQ(sizes.front()[3], 0U);
}

TEST(find_zone, is_used_by_texts) {
  EXPECT_EQ(parse_schedule("at(02:30, Europe/Berlin)"), at("02:30", find_zone("Europe/Berlin")));
  EXPECT_THAT(
    next_times(parse_schedule("at(02:30)", find_zone("Asia/Kathmandu")), wall(2026, 1, 1), 1),
    ElementsAre("2026-01-01T20:45:00Z"));
}

} // namespace

} // namespace backoff_actor::find_zone_test
