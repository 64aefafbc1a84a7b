#include "backoff_actor/calendar/internal/calendar_row.hpp"

#include "zones_2026.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace backoff_actor::calendar_row_test {

namespace {

using namespace calendar_test;
using detail::calendar_step;
using detail::CalendarRow;
using detail::CalendarStep;

using testing::ElementsAre;

Zone find_zone(const std::string& name) {
  if (name == "Europe/Berlin")
    return berlin();
  throw std::runtime_error("there is no zone " + name);
}

constexpr auto evening = wall(2026, 3, 28, 18h);

CalendarRow nightly(const std::string& missed = "run_once") {
  return {"nightly", "at(02:30, Europe/Berlin)", missed, 1min, evening};
}

CalendarStep step(const CalendarRow& row, WallTime now, std::size_t most = 100) {
  return calendar_step(row, find_zone, now, most);
}

TEST(calendar_step, of_a_new_entry_says_when_to_look_again) {
  const auto now = wall(2026, 3, 28, 18h + 5s);
  EXPECT_EQ(step(nightly(), now), (CalendarStep{{}, now, wall(2026, 3, 29, 1h), ""}));
}

TEST(calendar_step, runs_what_is_due_and_looks_at_the_next_time) {
  const auto now = wall(2026, 3, 29, 1h);
  EXPECT_EQ(step(nightly(), now), (CalendarStep{{now}, now, wall(2026, 3, 30, 30min), ""}));
}

TEST(calendar_step, follows_the_rule_for_missed_times) {
  const auto now = wall(2026, 3, 31, 12h);
  const auto first = wall(2026, 3, 29, 1h);
  const auto second = wall(2026, 3, 30, 30min);
  const auto third = wall(2026, 3, 31, 30min);
  EXPECT_THAT(step(nightly("run_once"), now).run, ElementsAre(third));
  EXPECT_THAT(step(nightly("run_all"), now).run, ElementsAre(first, second, third));
  EXPECT_THAT(step(nightly("skip"), now).run, ElementsAre());
  auto late = nightly("skip");
  late.grace = 12h;
  EXPECT_THAT(step(late, now).run, ElementsAre(third));
}

TEST(calendar_step, that_leaves_runs_looks_again_at_a_time_that_has_passed) {
  const auto now = wall(2026, 3, 31, 12h);
  EXPECT_EQ(step(nightly("run_all"), now, 2),
            (CalendarStep{{wall(2026, 3, 29, 1h), wall(2026, 3, 30, 30min)},
                          wall(2026, 3, 30, 30min),
                          wall(2026, 3, 31, 30min),
                          ""}));
}

TEST(calendar_step, does_nothing_while_the_clock_is_behind_what_was_decided) {
  EXPECT_EQ(step(nightly(), wall(2026, 3, 27)),
            (CalendarStep{{}, evening, wall(2026, 3, 29, 1h), ""}));
}

TEST(calendar_step, says_what_is_wrong_and_leaves_the_entry_as_it_is) {
  const auto problem_of = [](CalendarRow row) {
    const auto result = step(row, wall(2026, 4, 1));
    EXPECT_EQ(result, (CalendarStep{{}, evening, std::nullopt, result.problem}));
    return result.problem;
  };
  auto row = nightly();
  row.schedule = "every(5 parsecs)";
  EXPECT_EQ(problem_of(row),
            "schedule: column 7: expected a span such as 100ms, 1.5s or 2min; found '5'");
  row.schedule = "at(02:30, Europe/Berlni)";
  EXPECT_EQ(problem_of(row), "there is no zone Europe/Berlni");
  row = nightly("now and then");
  row.grace = 0s;
  EXPECT_EQ(problem_of(row), "grace: got 0ns, allowed 1s..9223372036.854775807s; missed: got 'now "
                             "and then', allowed run_once, run_all or skip");
}

TEST(calendar_step, names_rules_as_the_table_does) {
  EXPECT_EQ(detail::find_missed("run_all"), Missed::run_all);
  EXPECT_EQ(detail::find_missed("all"), std::nullopt);
}

// Whoever decides when, and however the clock goes: no time runs twice, none runs early, and with
// `run_all` none is left out.
TEST(calendar_step, runs_each_time_once_in_a_random_walk) {
  std::mt19937_64 random{7};
  const auto seconds = [](std::uint64_t count) {
    return static_cast<std::int64_t>(count) * 1'000'000'000;
  };
  for (auto walk = 0; walk < 300; ++walk) {
    CalendarRow row{"e", walk % 2 == 0 ? "*/7 * * * *" : "every(90s)", "run_all", 1min, evening};
    auto now = evening;
    auto latest = evening;
    std::vector<WallTime> all;
    std::optional<WallTime> next = evening;
    for (auto i = 0; i < 50; ++i) {
      now.since_epoch += seconds(random() % 600) - (random() % 8 == 0 ? seconds(1000) : 0);
      latest = std::max(latest, now);
      if (!next || *next > now)
        continue; // the table does not show it
      const auto result = step(row, now, 1 + random() % 4);
      for (const auto time : result.run)
        EXPECT_LE(time, now);
      all.insert(all.end(), result.run.begin(), result.run.end());
      if (random() % 5 == 0)
        all.resize(all.size() - result.run.size()); // the commit is not made
      else
        row.decided_until = result.decided_until, next = result.next;
    }
    EXPECT_TRUE(std::ranges::is_sorted(all));
    EXPECT_EQ(std::set<WallTime>(all.begin(), all.end()).size(), all.size());
    const auto schedule = parse_schedule(row.schedule, find_zone);
    std::size_t due = 0;
    for (auto x = schedule.next_after(evening); x && *x <= row.decided_until;
         x = schedule.next_after(*x))
      ++due;
    EXPECT_EQ(all.size(), due);
    EXPECT_LE(row.decided_until, latest);
  }
}

} // namespace

} // namespace backoff_actor::calendar_row_test
