#include "backoff_actor/calendar/schedule.hpp"

#include "zones_2026.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace backoff_actor::schedule_test {

namespace {

using namespace calendar_test;

using testing::ElementsAre;
using Strings = std::vector<std::string>;

template <class Call>
std::string refusal(Call call) {
  try {
    return to_string(call());
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

// -- every -------------------------------------------------------------------------------

TEST(every, is_due_at_multiples_since_1970) {
  EXPECT_THAT(next_times(every(5min), wall(2026, 1, 1, 3min), 3),
              ElementsAre("2026-01-01T00:05:00Z", "2026-01-01T00:10:00Z", "2026-01-01T00:15:00Z"));
  EXPECT_THAT(next_times(every(7h), wall(1970, 1, 1), 2),
              ElementsAre("1970-01-01T07:00:00Z", "1970-01-01T14:00:00Z"));
}

TEST(every, is_moved_by_its_offset) {
  EXPECT_THAT(next_times(every(1h, 10min), wall(2026, 1, 1, 10min - 1s), 2),
              ElementsAre("2026-01-01T00:10:00Z", "2026-01-01T01:10:00Z"));
}

TEST(every, is_due_strictly_later) {
  EXPECT_EQ(every(5min).next_after(wall(2026, 1, 1, 5min)), wall(2026, 1, 1, 10min));
  EXPECT_EQ(every(5min).next_after({wall(2026, 1, 1, 5min).since_epoch - 1}),
            wall(2026, 1, 1, 5min));
}

TEST(every, has_the_same_multiples_before_1970) {
  EXPECT_THAT(next_times(every(1h, 10min), wall(1969, 12, 31, 23h), 2),
              ElementsAre("1969-12-31T23:10:00Z", "1970-01-01T00:10:00Z"));
}

TEST(every, is_written_in_full) {
  EXPECT_EQ(to_string(every(90s)), "every(90s, offset 0ns)");
  EXPECT_EQ(to_string(every(1h, 10min)), "every(1h, offset 10min)");
}

TEST(every, takes_whole_seconds_up_to_a_year) {
  EXPECT_EQ(to_string(every(1s)), "every(1s, offset 0ns)");
  EXPECT_EQ(to_string(every(8760h, 8760h - 1s)), "every(8760h, offset 31535999s)");
  EXPECT_EQ(refusal([] { return every(999ms); }), "period: got 999ms, allowed 1s..8760h");
  EXPECT_EQ(refusal([] { return every(8760h + 1s); }), "period: got 31536001s, allowed 1s..8760h");
  EXPECT_EQ(refusal([] { return every(1500ms, 100ms); }),
            "period: got 1.5s, allowed whole seconds\noffset: got 100ms, allowed whole seconds");
  EXPECT_EQ(refusal([] { return every(5min, 5min); }), "offset: got 5min, allowed 0ns..299s");
  EXPECT_EQ(refusal([] { return every(5min, -1s); }), "offset: got -1s, allowed 0ns..299s");
}

TEST(every, has_no_rules_for_local_times) {
  EXPECT_EQ(refusal([] { return every(5min) | Gap::skip; }),
            "gap: got skip, allowed for at and cron alone: every has no local times");
  EXPECT_EQ(refusal([] { return every(5min) | Twice::both; }),
            "twice: got both, allowed for at and cron alone: every has no local times");
}

// -- at ----------------------------------------------------------------------------------

TEST(at, is_due_at_the_local_time_of_each_day) {
  EXPECT_THAT(next_times(at("02:30", berlin()), wall(2026, 1, 1, 1h + 30min), 2),
              ElementsAre("2026-01-02T01:30:00Z", "2026-01-03T01:30:00Z"));
  EXPECT_THAT(next_times(at("23:59"), wall(2026, 12, 31), 2),
              ElementsAre("2026-12-31T23:59:00Z", "2027-01-01T23:59:00Z"));
}

TEST(at, is_due_on_its_weekdays_of_local_time) {
  // A Monday begins in Berlin an hour before it does in UTC.
  EXPECT_THAT(next_times(at("00:30", berlin(), "mon wed-thu"), wall(2026, 1, 1), 4),
              ElementsAre("2026-01-04T23:30:00Z", "2026-01-06T23:30:00Z", "2026-01-07T23:30:00Z",
                          "2026-01-11T23:30:00Z"));
}

TEST(at, is_written_in_full) {
  EXPECT_EQ(to_string(at("00:00")), "at(00:00, UTC, gap run_after, twice first)");
  EXPECT_EQ(to_string(at("23:59", berlin(), "sun MON sat") | Gap::skip | Twice::second),
            "at(23:59, Europe/Berlin, mon sat sun, gap skip, twice second)");
  EXPECT_EQ(to_string(at("02:30", berlin(), "tue-sun mon")),
            "at(02:30, Europe/Berlin, gap run_after, twice first)");
}

TEST(at, refuses_what_is_no_time_and_no_weekday) {
  EXPECT_EQ(refusal([] { return at("24:00", {}, "mon-foo"); }),
            "time: got '24:00', allowed 00:00..23:59\n"
            "weekdays: got 'foo', allowed sun..sat");
  for (const auto* const time : {"", "2:30", "02:3", "02-30", "02:60", "ab:cd", "-1:00", "02:30:0"})
    EXPECT_EQ(refusal([&] { return at(time); }),
              std::string{"time: got '"}.append(time).append("', allowed 00:00..23:59"));
  EXPECT_EQ(refusal([] { return at("02:30", {}, ""); }),
            "weekdays: got '', allowed sun..sat with blanks between, such as mon-fri or sat sun");
  EXPECT_EQ(refusal([] { return at("02:30", {}, "1-5"); }),
            "weekdays: got '1-5', allowed sun..sat with blanks between, such as mon-fri or sat "
            "sun");
}

// -- a local time that does not exist --------------------------------------------------------

TEST(gap, a_time_in_it_is_due_right_after_it) {
  EXPECT_THAT(next_times(at("02:30", berlin()), wall(2026, 3, 28), 3),
              ElementsAre("2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"));
}

TEST(gap, may_be_skipped) {
  EXPECT_THAT(next_times(at("02:30", berlin()) | Gap::skip, wall(2026, 3, 28), 2),
              ElementsAre("2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z"));
}

TEST(gap, begins_with_its_first_minute_and_ends_before_the_first_one_after_it) {
  const auto only = [](const char* time) {
    return text_of((at(time, berlin()) | Gap::skip).next_after(wall(2026, 3, 28, 12h)));
  };
  EXPECT_EQ(only("01:59"), "2026-03-29T00:59:00Z");
  EXPECT_EQ(only("02:00"), "2026-03-30T00:00:00Z");
  EXPECT_EQ(only("02:59"), "2026-03-30T00:59:00Z");
  EXPECT_EQ(only("03:00"), "2026-03-29T01:00:00Z");
}

TEST(gap, all_times_in_it_are_one) {
  EXPECT_THAT(next_times(cron("0,20,40 2-3 * * *", berlin()), wall(2026, 3, 29), 4),
              ElementsAre("2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z", "2026-03-29T01:40:00Z",
                          "2026-03-30T00:00:00Z"));
}

TEST(gap, may_be_half_an_hour) {
  EXPECT_THAT(next_times(at("02:15", lord_howe()), wall(2026, 10, 3), 2),
              ElementsAre("2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"));
}

TEST(gap, may_be_a_whole_day) {
  // As in Samoa, which left out 30 December 2011.
  const Zone apia{"Pacific/Apia", -10h, {{utc(2011, 12, 30, 10h), 14h}}};
  EXPECT_THAT(next_times(at("12:00", apia), wall(2011, 12, 29), 3),
              ElementsAre("2011-12-29T22:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T22:00:00Z"));
  EXPECT_THAT(next_times(at("12:00", apia, "fri"), wall(2011, 12, 29), 1),
              ElementsAre("2011-12-30T10:00:00Z"));
}

// -- a local time that comes twice ------------------------------------------------------------

TEST(twice, a_time_is_due_when_it_comes_first) {
  EXPECT_THAT(next_times(at("02:30", berlin()), wall(2026, 10, 24), 3),
              ElementsAre("2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"));
}

TEST(twice, or_when_it_comes_for_the_second_time) {
  EXPECT_THAT(next_times(at("02:30", berlin()) | Twice::second, wall(2026, 10, 24), 3),
              ElementsAre("2026-10-24T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"));
}

TEST(twice, or_both_times) {
  EXPECT_THAT(next_times(at("02:30", berlin()) | Twice::both, wall(2026, 10, 25), 3),
              ElementsAre("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"));
}

TEST(twice, is_the_hour_alone_and_not_the_minutes_beside_it) {
  const auto schedule = cron("59,0 1-3 * * *", berlin());
  EXPECT_THAT(next_times(schedule | Twice::first, wall(2026, 10, 24, 23h), 5),
              ElementsAre("2026-10-24T23:59:00Z", "2026-10-25T00:00:00Z", "2026-10-25T00:59:00Z",
                          "2026-10-25T02:00:00Z", "2026-10-25T02:59:00Z"));
  EXPECT_THAT(next_times(schedule | Twice::second, wall(2026, 10, 24, 23h), 5),
              ElementsAre("2026-10-24T23:59:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:59:00Z",
                          "2026-10-25T02:00:00Z", "2026-10-25T02:59:00Z"));
}

TEST(twice, is_asked_about_in_the_hour_itself) {
  EXPECT_EQ(at("02:30", berlin()).next_after(wall(2026, 10, 25, 1h)), wall(2026, 10, 26, 90min));
  EXPECT_EQ(at("02:30", berlin()).next_after(wall(2026, 10, 25, 30min)), wall(2026, 10, 26, 90min));
  EXPECT_EQ((at("02:30", berlin()) | Twice::second).next_after(wall(2026, 10, 25, 10min)),
            wall(2026, 10, 25, 90min));
}

TEST(twice, may_be_half_an_hour) {
  EXPECT_THAT(next_times(at("01:45", lord_howe()) | Twice::both, wall(2026, 4, 4), 3),
              ElementsAre("2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z", "2026-04-05T15:15:00Z"));
  EXPECT_THAT(next_times(at("01:15", lord_howe()) | Twice::both, wall(2026, 4, 4), 2),
              ElementsAre("2026-04-04T14:15:00Z", "2026-04-05T14:45:00Z"));
}

// -- intervals ---------------------------------------------------------------------------

TEST(interval, of_minutes_goes_on_in_real_time) {
  const auto schedule = cron("*/30 * * * *", berlin());
  EXPECT_EQ(schedule.gap(), Gap::skip);
  EXPECT_EQ(schedule.twice(), Twice::both);
  EXPECT_THAT(next_times(schedule, wall(2026, 3, 29), 4),
              ElementsAre("2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z",
                          "2026-03-29T02:00:00Z"));
  EXPECT_THAT(next_times(schedule, wall(2026, 10, 25), 4),
              ElementsAre("2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z",
                          "2026-10-25T02:00:00Z"));
}

TEST(interval, of_hours_goes_on_in_real_time) {
  EXPECT_THAT(next_times(cron("15 * * * *", berlin()), wall(2026, 3, 29), 3),
              ElementsAre("2026-03-29T00:15:00Z", "2026-03-29T01:15:00Z", "2026-03-29T02:15:00Z"));
}

TEST(interval, has_a_star_in_minute_or_hour) {
  for (const auto* const fields : {"*/5 2 * * *", "0 */2 * * *", "* * * * *", "7 * * * *"})
    EXPECT_EQ(cron(fields).twice(), Twice::both) << fields;
  for (const auto* const fields : {"0-59/5 2 * * *", "0 0-23 * * *", "30 2 * * *"})
    EXPECT_EQ(cron(fields).twice(), Twice::first) << fields;
}

// -- ends --------------------------------------------------------------------------------

TEST(schedule, ends_where_wall_time_does) {
  constexpr WallTime last{std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(every(1s).next_after({last.since_epoch - 1'000'000'000}),
            (WallTime{9'223'372'036'000'000'000}));
  EXPECT_EQ(every(1s).next_after(last), std::nullopt);
  EXPECT_EQ(cron("* * * * *", berlin()).next_after(last), std::nullopt);
  EXPECT_THAT(next_times(cron("0 0 1 1 *"), wall(2261, 6, 1), 3),
              ElementsAre("2262-01-01T00:00:00Z", "never"));
}

TEST(schedule, begins_where_wall_time_does) {
  constexpr WallTime first{std::numeric_limits<std::int64_t>::min()};
  EXPECT_EQ(text_of(every(1h).next_after(first)), "1677-09-21T01:00:00Z");
  EXPECT_EQ(text_of(cron("0 * * * *", berlin()).next_after(first)), "1677-09-21T01:00:00Z");
}

TEST(schedule, finds_the_last_time_within) {
  const auto schedule = at("02:30", berlin());
  EXPECT_EQ(text_of(schedule.last_within(wall(2026, 3, 1), wall(2026, 3, 29, 12h))),
            "2026-03-29T01:00:00Z");
  EXPECT_EQ(text_of(schedule.last_within(wall(2026, 3, 1), wall(2026, 3, 29, 1h))),
            "2026-03-29T01:00:00Z");
  EXPECT_EQ(text_of(schedule.last_within(wall(2026, 3, 1), wall(2026, 3, 29, 1h - 1s))),
            "2026-03-28T01:30:00Z");
  EXPECT_EQ(schedule.last_within(wall(2026, 3, 29, 1h), wall(2026, 3, 29, 2h)), std::nullopt);
  EXPECT_EQ(text_of(schedule.last_within({std::numeric_limits<std::int64_t>::min()},
                                         {std::numeric_limits<std::int64_t>::max()})),
            "2262-04-11T01:30:00Z");
  EXPECT_EQ(text_of(every(1s).last_within(wall(2026, 1, 1), wall(2026, 1, 1, 1s))),
            "2026-01-01T00:00:01Z");
}

TEST(schedule, is_equal_to_one_that_is_written_in_the_same_way) {
  EXPECT_EQ(at("02:30", berlin()), at("02:30", berlin(), "mon-sun"));
  EXPECT_FALSE(at("02:30", berlin()) == at("02:30"));
  EXPECT_FALSE(at("02:30") == (at("02:30") | Gap::skip));
  EXPECT_FALSE(at("02:30") == cron("30 2 * * *"));
  EXPECT_FALSE(every(5min) == every(5min, 1s));
}

} // namespace

} // namespace backoff_actor::schedule_test
