#include "backoff_actor/calendar/schedule.hpp"
#include "zones_2026.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor::cron_test {

namespace {

using namespace calendar_test;

using testing::ElementsAre;

std::vector<std::string> first_in_2026(std::string_view fields, int count) {
  return next_times(cron(fields), {wall(2026, 1, 1).since_epoch - 1}, count);
}

std::string refusal(std::string_view fields) {
  try {
    return to_string(cron(fields));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

// -- what the fields mean; 1 January 2026 is a Thursday --------------------------------------

TEST(cron, a_star_is_all) {
  EXPECT_THAT(first_in_2026("* * * * *", 2),
              ElementsAre("2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"));
}

TEST(cron, lists_ranges_and_steps_are_sets) {
  EXPECT_THAT(first_in_2026("*/25 * * * *", 4),
              ElementsAre("2026-01-01T00:00:00Z", "2026-01-01T00:25:00Z", "2026-01-01T00:50:00Z",
                          "2026-01-01T01:00:00Z"));
  EXPECT_THAT(first_in_2026("5,7-8 1 * * *", 4),
              ElementsAre("2026-01-01T01:05:00Z", "2026-01-01T01:07:00Z", "2026-01-01T01:08:00Z",
                          "2026-01-02T01:05:00Z"));
  EXPECT_THAT(first_in_2026("59 9-17/4 * * *", 4),
              ElementsAre("2026-01-01T09:59:00Z", "2026-01-01T13:59:00Z", "2026-01-01T17:59:00Z",
                          "2026-01-02T09:59:00Z"));
  EXPECT_THAT(first_in_2026("0 23 31 * *", 3),
              ElementsAre("2026-01-31T23:00:00Z", "2026-03-31T23:00:00Z", "2026-05-31T23:00:00Z"));
}

TEST(cron, months_and_weekdays_have_names_in_any_case) {
  EXPECT_THAT(first_in_2026("0 0 1 FEB,dec *", 3),
              ElementsAre("2026-02-01T00:00:00Z", "2026-12-01T00:00:00Z", "2027-02-01T00:00:00Z"));
  EXPECT_THAT(first_in_2026("0 0 * * Mon-wed", 4),
              ElementsAre("2026-01-05T00:00:00Z", "2026-01-06T00:00:00Z", "2026-01-07T00:00:00Z",
                          "2026-01-12T00:00:00Z"));
}

TEST(cron, zero_and_seven_are_sunday) {
  const std::vector<std::string> sundays{"2026-01-04T00:00:00Z", "2026-01-11T00:00:00Z"};
  for (const auto* const fields :
       {"0 0 * * 0", "0 0 * * 7", "0 0 * * sun", "0 0 * * 0,7", "0 0 * * */7"})
    EXPECT_EQ(first_in_2026(fields, 2), sundays) << fields;
  const std::vector<std::string> weekend{"2026-01-03T00:00:00Z", "2026-01-04T00:00:00Z",
                                         "2026-01-10T00:00:00Z"};
  for (const auto* const fields : {"0 0 * * 6-7", "0 0 * * sat-sun", "0 0 * * 0,6"})
    EXPECT_EQ(first_in_2026(fields, 3), weekend) << fields;
}

TEST(cron, a_day_of_the_month_and_a_weekday_are_either) {
  EXPECT_THAT(first_in_2026("0 0 13 * fri", 4),
              ElementsAre("2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z", "2026-01-13T00:00:00Z",
                          "2026-01-16T00:00:00Z"));
}

TEST(cron, with_a_star_in_one_of_them_a_day_must_be_in_both) {
  EXPECT_THAT(first_in_2026("0 0 * * fri", 2),
              ElementsAre("2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z"));
  // Fridays on odd days.
  EXPECT_THAT(first_in_2026("0 0 */2 * fri", 3),
              ElementsAre("2026-01-09T00:00:00Z", "2026-01-23T00:00:00Z", "2026-02-13T00:00:00Z"));
}

TEST(cron, knows_leap_years) {
  EXPECT_THAT(next_times(cron("0 12 29 2 *"), wall(2095, 1, 1), 3),
              ElementsAre("2096-02-29T12:00:00Z", "2104-02-29T12:00:00Z", "2108-02-29T12:00:00Z"));
  // On a Sunday: 40 years later, for 2100 is no leap year.
  EXPECT_THAT(next_times(cron("0 0 29 2 */7"), wall(2060, 3, 1), 2),
              ElementsAre("2088-02-29T00:00:00Z", "2128-02-29T00:00:00Z"));
}

TEST(cron, nicknames_stand_for_fields) {
  EXPECT_EQ(to_string(cron("@yearly")), "cron(\"0 0 1 1 *\", UTC, gap run_after, twice first)");
  EXPECT_EQ(cron("@annually"), cron("0 0 1 1 *"));
  EXPECT_EQ(cron("@monthly"), cron("0 0 1 * *"));
  EXPECT_EQ(cron("@weekly"), cron("0 0 * * 0"));
  EXPECT_EQ(cron("@Daily"), cron("0 0 * * *"));
  EXPECT_EQ(cron("@midnight"), cron("0 0 * * *"));
  EXPECT_EQ(cron(" @hourly\t"), cron("0 * * * *"));
}

TEST(cron, is_written_with_single_blanks_and_small_letters) {
  EXPECT_EQ(to_string(cron("  */5\t9-17   * JAN-Mar  Mon-FRI ")),
            "cron(\"*/5 9-17 * jan-mar mon-fri\", UTC, gap skip, twice both)");
}

// -- what is refused ---------------------------------------------------------------------

TEST(cron, names_each_field_that_is_wrong_with_its_range) {
  EXPECT_EQ(refusal("60 24 0 13 8"), "minute: got '60', allowed 0..59\n"
                                     "hour: got '24', allowed 0..23\n"
                                     "day_of_month: got '0', allowed 1..31\n"
                                     "month: got '13', allowed 1..12 or jan..dec\n"
                                     "day_of_week: got '8', allowed 0..7 or sun..sat");
}

TEST(cron, refuses_what_is_no_value) {
  EXPECT_EQ(refusal("x * * * *"), "minute: got 'x', allowed 0..59");
  EXPECT_EQ(refusal("1,,2 * * * *"), "minute: got '', allowed 0..59");
  EXPECT_EQ(refusal("1, * * * *"), "minute: got '', allowed 0..59");
  EXPECT_EQ(refusal("-1 * * * *"), "minute: got '', allowed 0..59");
  EXPECT_EQ(refusal("1- * * * *"), "minute: got '', allowed 0..59");
  EXPECT_EQ(refusal("+1 * * * *"), "minute: got '+1', allowed 0..59");
  EXPECT_EQ(refusal("001 * * * *"), "minute: got '001', allowed 0..59");
  EXPECT_EQ(refusal("jan * * * *"), "minute: got 'jan', allowed 0..59");
  EXPECT_EQ(refusal("* * ? * *"), "day_of_month: got '?', allowed 1..31");
  EXPECT_EQ(refusal("* * L * *"), "day_of_month: got 'l', allowed 1..31");
  EXPECT_EQ(refusal("* * * * 5#2"), "day_of_week: got '5#2', allowed 0..7 or sun..sat");
  EXPECT_EQ(refusal("* * * * monday"), "day_of_week: got 'monday', allowed 0..7 or sun..sat");
  EXPECT_EQ(refusal("* * * sept *"),
            "month: got 'sept', allowed 1..12 or jan..dec; did you mean sep?");
}

TEST(cron, refuses_a_range_from_the_higher_to_the_lower) {
  EXPECT_EQ(refusal("* 22-2 * * *"),
            "hour: got '22-2', allowed a range from the lower to the higher, such as 0-23");
  EXPECT_EQ(refusal("* * * * fri-mon"),
            "day_of_week: got 'fri-mon', allowed a range from the lower to the higher, such as "
            "0-7");
}

TEST(cron, refuses_a_step_that_means_nothing) {
  EXPECT_EQ(refusal("*/0 * * * *"), "minute: got '*/0', allowed a step of 1..59");
  EXPECT_EQ(refusal("*/60 * * * *"), "minute: got '*/60', allowed a step of 1..59");
  EXPECT_EQ(refusal("*/ * * * *"), "minute: got '*/', allowed a step of 1..59");
  EXPECT_EQ(refusal("*/1/2 * * * *"), "minute: got '*/1/2', allowed a step of 1..59");
  EXPECT_EQ(refusal("5/15 * * * *"),
            "minute: got '5/15', allowed a step after * or a range: 5-59/15");
}

TEST(cron, refuses_another_number_of_fields) {
  constexpr auto allowed = ", allowed 5: minute hour day_of_month month day_of_week";
  EXPECT_EQ(refusal(""), std::string{"fields: got 0"}.append(allowed));
  EXPECT_EQ(refusal("* * * *"), std::string{"fields: got 4"}.append(allowed));
  EXPECT_EQ(refusal("0 * * * * *"), std::string{"fields: got 6"}.append(allowed));
}

TEST(cron, refuses_an_unknown_nickname) {
  EXPECT_EQ(refusal("@dayly"),
            "fields: got '@dayly', allowed @yearly, @annually, @monthly, @weekly, @daily, "
            "@midnight or @hourly; did you mean @daily?");
}

TEST(cron, refuses_a_day_that_never_comes) {
  EXPECT_EQ(refusal("0 0 30 2 *"),
            "day_of_month: got '30', allowed a day that one of the months has");
  EXPECT_EQ(refusal("0 0 31 2,4,6,9,11 *"),
            "day_of_month: got '31', allowed a day that one of the months has");
  EXPECT_EQ(refusal("0 0 30 2 */2"),
            "day_of_month: got '30', allowed a day that one of the months has");
  EXPECT_EQ(refusal("0 0 30 2,3 *"), "cron(\"0 0 30 2,3 *\", UTC, gap run_after, twice first)");
  EXPECT_EQ(refusal("0 0 29 2 *"), "cron(\"0 0 29 2 *\", UTC, gap run_after, twice first)");
  // Either is enough: Mondays in February.
  EXPECT_EQ(refusal("0 0 30 2 1"), "cron(\"0 0 30 2 1\", UTC, gap run_after, twice first)");
}

} // namespace

} // namespace backoff_actor::cron_test
