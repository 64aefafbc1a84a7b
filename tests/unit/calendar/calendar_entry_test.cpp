#include "backoff_actor/calendar/calendar_entry.hpp"

#include "zones_2026.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace backoff_actor::calendar_entry_test {

namespace {

using namespace calendar_test;

using testing::ElementsAre;
using testing::IsEmpty;

CalendarEntry nightly(Missed missed) {
  return {.name = "nightly", .schedule = at("02:30", berlin()), .missed = missed};
}

constexpr auto before = wall(2026, 7, 1, 12h);                   // decided until then
constexpr auto three_days_later = wall(2026, 7, 4, 30min + 30s); // half a minute late
constexpr auto due_0 = wall(2026, 7, 2, 30min);
constexpr auto due_1 = wall(2026, 7, 3, 30min);
constexpr auto due_2 = wall(2026, 7, 4, 30min);

TEST(due_times, are_none_before_the_next_time) {
  for (const auto rule : {Missed::run_once, Missed::run_all, Missed::skip}) {
    const auto due = due_times(nightly(rule), before, wall(2026, 7, 2, 30min - 1s));
    EXPECT_THAT(due.run, IsEmpty());
    EXPECT_EQ(due.decided_until, wall(2026, 7, 2, 30min - 1s));
  }
}

TEST(due_times, are_one_when_it_has_come_by_each_rule) {
  for (const auto rule : {Missed::run_once, Missed::run_all, Missed::skip})
    EXPECT_EQ(due_times(nightly(rule), before, due_0), (DueTimes{{due_0}, due_0}));
}

TEST(due_times, that_were_missed_run_once) {
  EXPECT_EQ(due_times(nightly(Missed::run_once), before, three_days_later),
            (DueTimes{{due_2}, three_days_later}));
  // However late it is.
  EXPECT_THAT(due_times(nightly(Missed::run_once), before, wall(2026, 7, 4, 23h)).run,
              ElementsAre(due_2));
}

TEST(due_times, that_were_missed_all_run) {
  EXPECT_EQ(due_times(nightly(Missed::run_all), before, three_days_later),
            (DueTimes{{due_0, due_1, due_2}, three_days_later}));
}

TEST(due_times, that_were_missed_are_skipped) {
  EXPECT_EQ(due_times(nightly(Missed::skip), before, three_days_later),
            (DueTimes{{due_2}, three_days_later}));
  EXPECT_EQ(due_times(nightly(Missed::skip), before, wall(2026, 7, 4, 31min)),
            (DueTimes{{due_2}, wall(2026, 7, 4, 31min)}));
  EXPECT_EQ(due_times(nightly(Missed::skip), before, wall(2026, 7, 4, 31min + 1s)),
            (DueTimes{{}, wall(2026, 7, 4, 31min + 1s)}));
}

TEST(due_times, may_run_as_late_as_their_grace) {
  auto entry = nightly(Missed::skip);
  entry.grace = 12h;
  EXPECT_THAT(due_times(entry, before, wall(2026, 7, 4, 12h + 30min)).run, ElementsAre(due_2));
  EXPECT_THAT(due_times(entry, before, wall(2026, 7, 4, 12h + 30min + 1s)).run, IsEmpty());
}

TEST(due_times, are_never_decided_twice) {
  const auto entry = nightly(Missed::run_all);
  const auto due = due_times(entry, before, due_1);
  EXPECT_THAT(due.run, ElementsAre(due_0, due_1));
  EXPECT_THAT(due_times(entry, due.decided_until, due_1).run, IsEmpty());
  EXPECT_THAT(due_times(entry, due.decided_until, three_days_later).run, ElementsAre(due_2));
}

TEST(due_times, of_run_all_come_in_parts) {
  const CalendarEntry entry{.name = "often", .schedule = every(1s), .missed = Missed::run_all};
  const auto now = wall(2026, 7, 1, 12h + 5s);
  const auto first = due_times(entry, before, now, 3);
  EXPECT_THAT(first.run, ElementsAre(wall(2026, 7, 1, 12h + 1s), wall(2026, 7, 1, 12h + 2s),
                                     wall(2026, 7, 1, 12h + 3s)));
  const auto second = due_times(entry, first.decided_until, now, 3);
  EXPECT_THAT(second.run, ElementsAre(wall(2026, 7, 1, 12h + 4s), now));
  EXPECT_EQ(second.decided_until, now);
}

TEST(due_times, wait_until_a_clock_that_was_put_back_is_there_again) {
  const auto entry = nightly(Missed::run_all);
  EXPECT_EQ(due_times(entry, due_1, due_0), (DueTimes{{}, due_1}));
  EXPECT_EQ(due_times(entry, due_1, due_1), (DueTimes{{}, due_1}));
}

TEST(due_times, in_the_hour_that_comes_twice_are_one_run) {
  const auto entry = nightly(Missed::run_all);
  const auto first = due_times(entry, wall(2026, 10, 24, 12h), wall(2026, 10, 25, 30min));
  EXPECT_THAT(first.run, ElementsAre(wall(2026, 10, 25, 30min)));
  EXPECT_THAT(due_times(entry, first.decided_until, wall(2026, 10, 25, 12h)).run, IsEmpty());
}

TEST(due_times, of_all_of_wall_time_have_an_end) {
  using Limits = std::numeric_limits<std::int64_t>;
  auto entry = nightly(Missed::skip);
  EXPECT_EQ(due_times(entry, {Limits::min()}, {Limits::max()}), (DueTimes{{}, {Limits::max()}}));
  entry.missed = Missed::run_once;
  EXPECT_THAT(due_times(entry, {Limits::min()}, {Limits::max()}).run,
              ElementsAre(wall(2262, 4, 11, 90min)));
}

TEST(calendar_entry, needs_a_name_and_a_grace) {
  const auto problems_of = [](std::string name, Duration grace) {
    return to_string(check(CalendarEntry{
      .name = std::move(name), .schedule = every(1s), .missed = Missed::skip, .grace = grace}));
  };
  EXPECT_EQ(problems_of("nightly", 1s), "");
  EXPECT_EQ(problems_of(std::string(200, 'x'), 1min), "");
  EXPECT_EQ(problems_of("", 999ms),
            "name: got '', allowed 1 to 200 bytes of UTF-8 without control characters\n"
            "grace: got 999ms, allowed 1s..9223372036.854775807s");
  for (const auto& name : {std::string(201, 'x'), std::string{"a\nb"}, std::string{"\xff"}})
    EXPECT_FALSE(check(CalendarEntry{.name = name, .schedule = every(1s)}).empty());
}

TEST(run_key, is_the_name_and_the_time_in_utc) {
  EXPECT_EQ(run_key("nightly", wall(2026, 3, 29, 1h)), "nightly@2026-03-29T01:00:00Z");
  EXPECT_EQ(run_key("a@b", wall(2026, 3, 29, 1h)), "a@b@2026-03-29T01:00:00Z");
}

TEST(missed, has_names) {
  EXPECT_EQ(to_string(Missed::run_once), "run_once");
  EXPECT_EQ(to_string(Missed::run_all), "run_all");
  EXPECT_EQ(to_string(Missed::skip), "skip");
}

} // namespace

} // namespace backoff_actor::calendar_entry_test
