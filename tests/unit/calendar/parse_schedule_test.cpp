#include "backoff_actor/calendar/parse_schedule.hpp"

#include "backoff_actor/core/problems.hpp"
#include "common/text_rows.hpp"
#include "zones_2026.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

namespace backoff_actor::parse_schedule_test {

namespace {

using namespace calendar_test;

// Knows two zones.
Zone known_zone(const std::string& name) {
  if (name == "Europe/Berlin")
    return berlin();
  if (name == "UTC")
    return {};
  Problems problems;
  problems.add("zone", std::string{"'"}.append(name).append("'"), "Europe/Berlin or UTC");
  throw InvalidArgument{problems};
}

Schedule parse(std::string_view text) { return parse_schedule(text, known_zone); }

constexpr auto plain_at = "at(02:30, Europe/Berlin, gap run_after, twice first)";
constexpr auto plain_cron = "cron(\"*/5 9-17 * * 1-5\", Europe/Berlin, gap skip, twice both)";

TEST(parse_schedule, is_written_in_full_and_read_back_as_the_same_schedule) {
  test::expect_read(
    parse,
    {{"every(5min)", "every(5min, offset 0ns)"},
     {" every ( offset 10min , 1h ) ", "every(1h, offset 10min)"},
     {"at(02:30)", "at(02:30, UTC, gap run_after, twice first)"},
     {"at(02:30, Europe/Berlin)", plain_at},
     {plain_at, plain_at},
     {"at(twice first, Europe/Berlin, gap run_after, 02:30)", plain_at},
     {"at(02:30, sat sun, Europe/Berlin)",
      "at(02:30, Europe/Berlin, sat sun, gap run_after, twice first)"},
     {"at(02:30,mon-fri,gap skip,twice both)", "at(02:30, UTC, mon-fri, gap skip, twice both)"},
     {"at(02:30, mon-sun, twice second)", "at(02:30, UTC, gap run_after, twice second)"},
     {"cron(\"*/5 9-17 * * 1-5\", Europe/Berlin)", plain_cron},
     {plain_cron, plain_cron},
     {"cron( \" 0,30  9 * * MON \" ,gap skip)",
      "cron(\"0,30 9 * * mon\", UTC, gap skip, twice first)"},
     {"cron(\"@daily\")", "cron(\"0 0 * * *\", UTC, gap run_after, twice first)"},
     {"*/5 9-17 * * 1-5", "cron(\"*/5 9-17 * * 1-5\", UTC, gap skip, twice both)"},
     {"  0 9 * * mon\n", "cron(\"0 9 * * mon\", UTC, gap run_after, twice first)"},
     {"@hourly", "cron(\"0 * * * *\", UTC, gap skip, twice both)"}});
}

TEST(parse_schedule, takes_the_other_zone_if_the_text_names_none) {
  const auto in_berlin = [](const char* text) {
    return to_string(parse_schedule(text, known_zone, berlin()));
  };
  EXPECT_EQ(in_berlin("at(02:30)"), plain_at);
  EXPECT_EQ(in_berlin("*/5 9-17 * * 1-5"), plain_cron);
  EXPECT_EQ(in_berlin("at(02:30, UTC)"), "at(02:30, UTC, gap run_after, twice first)");
}

TEST(parse_schedule, shows_the_place_of_unexpected_text) {
  test::expect_refused(
    parse,
    {{"", 1, "expected a schedule: every, at, cron, or five fields of cron; found the end"},
     {"evry(5min)", 1,
      "expected a schedule: every, at, cron, or five fields of cron; found 'evry'; did you mean "
      "every?"},
     {"every", 6, "expected '('; found the end"},
     {"every(5 min)", 7, "expected a span such as 100ms, 1.5s or 2min; found '5'; write 5min"},
     {"every(5min, Europe/Berlin)", 13, "expected 'offset' and a span such as 30s; found 'E'"},
     {"every(5min) daily", 13, "expected the end; found 'daily'"},
     {"at()", 4, "expected a time of day such as 02:30; found ')'"},
     {"at(02:30, noon)", 11,
      "expected a zone such as Europe/Berlin, or 'gap' and a rule, or 'twice' and a rule, or "
      "weekdays such as mon-fri; found 'noon'"},
     {"at(02:30, gap jump)", 15, "expected a rule: run_after or skip; found 'jump'"},
     {"at(02:30, twice bot)", 17,
      "expected a rule: first, second or both; found 'bot'; did you mean both?"},
     {"cron(0 0 * * *)", 6,
      "expected five fields of cron in quotes, or a zone such as Europe/Berlin, or 'gap' and a "
      "rule, or "
      "'twice' and a rule; found '0'"},
     {"cron(\"0 0 * * *)", 17, "expected '\"' after the fields; found the end"},
     {"cron(\"0 0 * * *\", mon)", 19,
      "expected a zone such as Europe/Berlin, or 'gap' and a rule, or 'twice' and a rule; found "
      "'mon'"}});
}

TEST(parse_schedule, names_all_that_is_out_of_range_at_the_first_place) {
  test::expect_refused(
    parse,
    {{"every(5min, offset 5min)", 13, "offset: got 5min, allowed 0ns..299s"},
     {"every(0s)", 7, "period: got 0ns, allowed 1s..8760h"},
     {"at(25:00, Europe/Belin, mon-foo)", 4,
      "zone: got 'Europe/Belin', allowed Europe/Berlin or UTC; time: got '25:00', allowed "
      "00:00..23:59; weekdays: got 'foo', allowed sun..sat"},
     {"at(02:30, Europe/Belin)", 11, "zone: got 'Europe/Belin', allowed Europe/Berlin or UTC"},
     {"cron(\"0 25 * 0 *\", Asia/Foo)", 9,
      "zone: got 'Asia/Foo', allowed Europe/Berlin or UTC; hour: got '25', allowed 0..23; month: "
      "got '0', allowed 1..12 or jan..dec"},
     {" 0 25 * * *", 4, "hour: got '25', allowed 0..23"},
     {"0 0 30 2 *", 5, "day_of_month: got '30', allowed a day that one of the months has"},
     {"* * * *", 1, "fields: got 4, allowed 5: minute hour day_of_month month day_of_week"},
     {"@dayly", 1,
      "fields: got '@dayly', allowed @yearly, @annually, @monthly, @weekly, @daily, @midnight or "
      "@hourly; did you mean @daily?"}});
}

// Whatever the text, it is read and written so that it is read as the same, or refused at a place
// in it.
TEST(parse_schedule, takes_or_refuses_any_text) {
  constexpr std::string_view pieces[] = {
    "every(", "at(",   "cron(\"", "\"", ")",    ", ",    "gap ",          "twice ",  "offset ",
    "5min",   "02:30", "99:99",   "*",  "*/5",  "1-5",   "mon",           "sat-sun", "skip",
    "both",   "first", "0",       "29", "30",   "2",     "Europe/Berlin", "Nowhere", " ",
    "\xff",   "\n",    "@daily",  ",",  "59/7", "31-32", "run_after",     "7",       "\0"};
  std::mt19937 random{2026};
  auto taken = 0;
  for (auto i = 0; i < 100'000; ++i) {
    std::string text{i % 4 == 0 ? "cron(\"" : i % 4 == 1 ? "at(02:30, " : ""};
    for (auto n = random() % 10; n > 0; --n) {
      text += pieces[random() % std::size(pieces)];
      if (random() % 2 == 0)
        text += ' ';
    }
    if (i % 4 == 1)
      text += ')';
    try {
      const auto schedule = parse(text);
      ++taken;
      ASSERT_EQ(parse(to_string(schedule)), schedule) << text;
      const auto next = schedule.next_after(wall(2026, 1, 1));
      ASSERT_TRUE(next && *next > wall(2026, 1, 1)) << text;
    } catch (const ParseError& error) {
      ASSERT_GE(error.column(), 1U) << text;
      ASSERT_LE(error.column(), text.size() + 1) << text;
    }
  }
  EXPECT_GT(taken, 300);
}

} // namespace

} // namespace backoff_actor::parse_schedule_test
