#include "backoff_actor/backoff/retry_after_header.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace backoff_actor::retry_after_header_test {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr sys_seconds eve_of_2000 = sys_days{1999y / 12 / 31} + 23h + 59min + 59s;

using Wish = std::optional<Duration>;

std::string shown(const Wish& wish) { return wish ? to_string(*wish) : "nothing"; }

void expect(const char* header, sys_seconds now, const Wish& expected) {
  EXPECT_EQ(shown(parse_retry_after(header, now)), shown(expected)) << '"' << header << '"';
}

TEST(retry_after_header, is_a_number_of_seconds) {
  expect("120", eve_of_2000, 120s);
  expect("0", eve_of_2000, 0s);
  expect("1", eve_of_2000, 1s);
  expect("007", eve_of_2000, 7s);
  expect("86400", eve_of_2000, 24h);
}

TEST(retry_after_header, is_a_date_in_any_of_three_formats) {
  for (const auto* date : {"Fri, 31 Dec 1999 23:59:59 GMT", "Friday, 31-Dec-99 23:59:59 GMT",
                           "Fri Dec 31 23:59:59 1999"}) {
    expect(date, eve_of_2000 - 1s, 1s);
    expect(date, eve_of_2000 - 1h, 1h);
    expect(date, sys_days{1999y / 12 / 1}, 30 * 24h + 23h + 59min + 59s);
  }
  const sys_seconds before = sys_days{1994y / 11 / 6} + 8h;
  for (const auto* date : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                           "Sun Nov  6 08:49:37 1994", "Sun Nov 06 08:49:37 1994"})
    expect(date, before, 49min + 37s);
}

TEST(retry_after_header, that_names_a_date_that_is_over_asks_for_no_wait) {
  expect("Fri, 31 Dec 1999 23:59:59 GMT", eve_of_2000, 0s);
  expect("Fri, 31 Dec 1999 23:59:59 GMT", eve_of_2000 + 1s, 0s);
  expect("Fri, 31 Dec 1999 23:59:59 GMT", eve_of_2000 + 24h * 10'000, 0s);
  expect("Mon, 01 Jan 0001 00:00:00 GMT", eve_of_2000, 0s);
}

TEST(retry_after_header, ends_no_earlier_than_the_date_if_now_was_rounded_down) {
  const auto exact_now = eve_of_2000 - 2s + 900ms;
  const auto now = std::chrono::floor<std::chrono::seconds>(exact_now);

  const auto wish = parse_retry_after("Fri, 31 Dec 1999 23:59:59 GMT", now).value();

  EXPECT_EQ(wish, 2s);
  EXPECT_GE(exact_now + wish, eve_of_2000);
}

TEST(retry_after_header, knows_leap_years) {
  const struct {
    const char* date;
    Wish wish;
  } rows[] = {
    {"Thu, 29 Feb 1996 00:00:00 GMT", 0s},
    {"Tue, 29 Feb 2000 00:00:00 GMT", 0s},
    {"Thu, 29 Feb 1900 00:00:00 GMT", std::nullopt},
    {"Mon, 29 Feb 2100 00:00:00 GMT", std::nullopt},
    {"Wed, 29 Feb 2023 00:00:00 GMT", std::nullopt},
  };
  for (const auto& row : rows)
    expect(row.date, sys_days{2200y / 1 / 1}, row.wish);
  expect("Wed, 01 Mar 2000 00:00:00 GMT", sys_days{2000y / 2 / 28}, 48h);
  expect("Thu, 01 Mar 2001 00:00:00 GMT", sys_days{2001y / 2 / 28}, 24h);
}

TEST(retry_after_header, takes_a_leap_second_for_the_first_of_the_next_minute) {
  expect("Sat, 31 Dec 2016 23:59:60 GMT", sys_days{2016y / 12 / 31} + 23h + 59min, 60s);
}

TEST(retry_after_header, takes_a_two_digit_year_for_the_latest_not_more_than_50_years_ahead) {
  constexpr sys_seconds noon = sys_days{2026y / 6 / 15} + 12h;
  const auto days = [](auto count) { return Wish{std::chrono::hours{24} * count}; };
  expect("Tuesday, 16-Jun-26 12:00:00 GMT", noon, days(1));
  expect("Monday, 15-Jun-76 12:00:00 GMT", noon, days(18'263)); // 50 years to the second
  expect("Monday, 15-Jun-76 12:00:01 GMT", noon, 0s);           // 1976
  expect("Saturday, 01-Jan-77 00:00:00 GMT", noon, 0s);         // 1977
  expect("Sunday, 31-Dec-95 00:00:00 GMT", noon, 0s);           // 1995

  constexpr sys_seconds eve_of_2100 = sys_days{2099y / 12 / 31};
  expect("Friday, 01-Jan-00 00:00:00 GMT", eve_of_2100, days(1)); // 2100
  expect("Saturday, 31-Dec-49 00:00:00 GMT", eve_of_2100, days(18'262));
  expect("Saturday, 31-Dec-50 00:00:00 GMT", eve_of_2100, 0s); // 2050
  expect("Tuesday, 29-Feb-00 00:00:00 GMT", eve_of_2100, 0s);  // 2000, for 2100 has no such day
}

TEST(retry_after_header, that_is_a_leap_day_has_no_trouble_with_the_50_years) {
  constexpr sys_seconds leap_day = sys_days{2024y / 2 / 29};
  expect("Saturday, 29-Feb-24 00:00:10 GMT", leap_day, 10s);
  expect("Sunday, 01-Mar-74 00:00:00 GMT", leap_day, std::chrono::hours{24} * 18'263);
}

TEST(retry_after_header, with_a_number_too_large_asks_for_the_longest_span) {
  expect("9223372036", eve_of_2000, 9'223'372'036s);
  for (const auto* header : {"9223372037", "9223372036854775807", "18446744073709551615",
                             "18446744073709551616", "99999999999999999999999999999999999999"})
    expect(header, eve_of_2000, Duration::max());
  expect("Fri, 31 Dec 9999 23:59:59 GMT", eve_of_2000, Duration::max());
}

TEST(retry_after_header, may_have_blanks_around_it) {
  expect(" 120 ", eve_of_2000, 120s);
  expect("\t120", eve_of_2000, 120s);
  expect(" Fri, 31 Dec 1999 23:59:59 GMT\t", eve_of_2000 - 1s, 1s);
}

TEST(retry_after_header, may_name_a_weekday_that_the_date_is_not) {
  expect("Mon, 31 Dec 1999 23:59:59 GMT", eve_of_2000 - 1s, 1s);
}

TEST(retry_after_header, that_is_anything_else_asks_for_nothing) {
  for (const auto* garbage : {"",
                              " ",
                              "soon",
                              "-1",
                              "+1",
                              "1.5",
                              "1s",
                              "1 2",
                              "0x10",
                              "\xd9\xa1",
                              "Fri",
                              "Fri,",
                              "Fri, 31 Dec 1999 23:59:59",
                              "Fri, 31 Dec 1999 23:59:59 UTC",
                              "Fri, 31 Dec 1999 23:59:59 GMT+1",
                              "Fri, 31 Dec 1999 23:59:59 GMT GMT",
                              "Fri,31 Dec 1999 23:59:59 GMT",
                              "Fri, 1 Dec 1999 23:59:59 GMT",
                              "Fri, 31 Dec 99 23:59:59 GMT",
                              "Fri, 31 Dec 19999 23:59:59 GMT",
                              "Fri, 31 dec 1999 23:59:59 GMT",
                              "Fry, 31 Dec 1999 23:59:59 GMT",
                              "Friday, 31 Dec 1999 23:59:59 GMT",
                              "Fri, 31-Dec-99 23:59:59 GMT",
                              "Friday, 31-Dec-1999 23:59:59 GMT",
                              "Fri Dec 31 23:59:59 99",
                              "Fri Dec 1 23:59:59 1999",
                              "Fri Dec   1 23:59:59 1999",
                              "1999-12-31T23:59:59Z"})
    expect(garbage, eve_of_2000, std::nullopt);
}

TEST(retry_after_header, with_a_date_that_no_calendar_has_asks_for_nothing) {
  for (const auto* date : {"Fri, 00 Dec 1999 23:59:59 GMT", "Fri, 32 Dec 1999 23:59:59 GMT",
                           "Fri, 31 Apr 1999 23:59:59 GMT", "Fri, 30 Feb 2000 23:59:59 GMT",
                           "Fri, 31 Dec 1999 24:00:00 GMT", "Fri, 31 Dec 1999 23:60:00 GMT",
                           "Fri, 31 Dec 1999 23:59:61 GMT", "Friday, 31-Feb-99 23:59:59 GMT",
                           "Friday, 31-Dec-99 99:99:99 GMT", "Fri Feb 30 23:59:59 1999"})
    expect(date, eve_of_2000, std::nullopt);
}

TEST(retry_after_header, is_read_at_any_time) {
  for (const auto now : {sys_seconds::min(), sys_seconds::max(), sys_seconds{}})
    for (const auto* header : {"1", "Fri, 31 Dec 1999 23:59:59 GMT",
                               "Friday, 31-Dec-99 23:59:59 GMT", "Fri Dec 31 23:59:59 1999"})
      EXPECT_GE(parse_retry_after(header, now), Duration{0}) << header;
  expect("Fri, 31 Dec 1999 23:59:59 GMT", sys_seconds::min(), Duration::max());
  expect("Fri, 31 Dec 1999 23:59:59 GMT", sys_seconds::max(), 0s);
}

} // namespace backoff_actor::retry_after_header_test
