#include "backoff_actor/calendar/internal/calendar_book.hpp"

#include "zones_2026.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace backoff_actor::calendar_book_test {

namespace {

using namespace calendar_test;
using detail::CalendarBook;
using detail::KeptEntry;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Zone find_zone(const std::string& name) {
  if (name == "Europe/Berlin")
    return berlin();
  throw std::runtime_error("there is no zone " + name);
}

constexpr auto evening = wall(2026, 3, 28, 18h);
constexpr auto first = wall(2026, 3, 29, 1h); // after the gap
constexpr auto second = wall(2026, 3, 30, 30min);
constexpr auto third = wall(2026, 3, 31, 30min);

KeptEntry nightly(const std::string& missed = "run_once") {
  KeptEntry result;
  result.row = {"nightly", "at(02:30, Europe/Berlin)", missed, 1min, {}};
  return result;
}

KeptEntry often() {
  KeptEntry result;
  result.row = {"often", "every(1min)", "run_all", 1min, {}};
  return result;
}

WallTime after(WallTime at, Duration span) { return {at.since_epoch + span.count()}; }

class CalendarBookTest : public testing::Test {
protected:
  // The name and the runs of what is due; empty: nothing is.
  std::vector<WallTime> begin(WallTime now, const std::string& of = "nightly") {
    const auto due = book.begin(now);
    if (!due)
      return {};
    EXPECT_EQ(due->name, of);
    return due->runs;
  }

  void run_all(const std::string& name, const std::vector<WallTime>& runs, WallTime now) {
    for (const auto run : runs)
      book.settle(name, run, true, now);
  }

  const CalendarBook::Entry& entry(const std::string& name = "nightly") const {
    return *book.find(name);
  }

  WallTime decided() const { return entry().kept.row.decided_until; }

  CalendarBook book{find_zone};
};

// -- the context ------------------------------------------------------------------------------

TEST(calendar_entry, has_a_context_that_it_is_read_from) {
  auto entry = nightly("skip");
  entry.row.decided_until = evening;
  EXPECT_EQ(context_of(entry),
            "repeat: at(02:30, Europe/Berlin)\nmissed: skip\ngrace: 60000000000\n"
            "decided_until: 1774720800000000000");
  entry.time_to_live = 5s;
  entry.is_paused = true;
  const auto context = context_of(entry);
  EXPECT_THAT(context, testing::EndsWith("\ntime_to_live: 5000000000\npaused: yes"));
  auto read = detail::entry_in(context + "\nnot_before: 12");
  ASSERT_TRUE(read);
  read->row.name = "nightly"; // which is in the key of the delivery
  EXPECT_EQ(*read, entry);
}

TEST(calendar_entry, is_shown_as_an_outbox_keeps_it) {
  auto entry = nightly("run_all");
  entry.row.decided_until = evening;
  entry.is_paused = true;
  EXPECT_EQ(
    kept_calendar_entry("calendar:nightly", context_of(entry)),
    (KeptCalendarEntry{"nightly", "at(02:30, Europe/Berlin)", "run_all", 1min, true, evening, ""}));
  EXPECT_FALSE(kept_calendar_entry("nightly", context_of(entry)));
  EXPECT_FALSE(kept_calendar_entry("calendar:nightly", "not_before: 7"));
  EXPECT_EQ(kept_calendar_entry("calendar:nightly", "repeat: every(5min)\ngrace: soon")->problem,
            "grace: got 'soon', allowed a number of nanoseconds");
}

TEST(calendar_entry, is_none_in_the_context_of_another_message) {
  EXPECT_FALSE(detail::entry_in(""));
  EXPECT_FALSE(detail::entry_in("not_before: 7\nnote: repeat: every(5min)"));
}

TEST(calendar_entry, whose_context_is_broken_is_told_with_its_line) {
  try {
    detail::entry_in("repeat: every(5min)\nmissed: skip\ngrace: soon\ndecided_until: 7");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "grace: got 'soon', allowed a number of nanoseconds");
  }
}

// -- entries --------------------------------------------------------------------------------

TEST_F(CalendarBookTest, is_due_at_its_next_time_and_not_before) {
  EXPECT_FALSE(book.next_look());
  EXPECT_EQ(book.put(nightly(), 3, evening), CalendarChange::added);
  EXPECT_EQ(book.next_look(), first);
  EXPECT_THAT(begin(after(first, -1ns)), IsEmpty());
  EXPECT_THAT(begin(first), ElementsAre(first));
  EXPECT_FALSE(book.next_look()); // its run is under way
  ASSERT_NE(book.settle("nightly", first, true, first), nullptr);
  EXPECT_EQ(decided(), first);
  EXPECT_EQ(book.next_look(), second);
  EXPECT_EQ(entry().next, second);
  EXPECT_EQ(entry().delivery, 3u);
}

TEST_F(CalendarBookTest, leaves_the_same_entry_as_it_is) {
  book.put(nightly(), 3, evening);
  EXPECT_TRUE(book.has(nightly()));
  EXPECT_EQ(book.put(nightly(), 4, after(evening, 1h)), CalendarChange::unchanged);
  EXPECT_EQ(decided(), evening);
  EXPECT_EQ(entry().delivery, 4u);
}

TEST_F(CalendarBookTest, keeps_what_was_decided_if_only_its_rule_is_another_one) {
  book.put(nightly(), 3, evening);
  EXPECT_FALSE(book.has(nightly("run_all")));
  EXPECT_EQ(book.put(nightly("run_all"), 4, third), CalendarChange::changed);
  EXPECT_THAT(begin(third), ElementsAre(first, second, third));
}

TEST_F(CalendarBookTest, is_due_by_another_schedule_from_then_on) {
  book.put(nightly("run_all"), 3, evening);
  auto other = nightly("run_all");
  other.row.schedule = "at(03:30, Europe/Berlin)";
  EXPECT_EQ(book.put(other, 4, after(second, 5min)), CalendarChange::changed);
  EXPECT_EQ(book.next_look(), after(second, 1h));
}

TEST_F(CalendarBookTest, lets_times_pass_while_it_is_paused) {
  auto paused = nightly("run_all");
  paused.is_paused = true;
  book.put(nightly("run_all"), 3, evening);
  book.put(paused, 4, after(evening, 1h));
  EXPECT_FALSE(book.next_look());
  EXPECT_FALSE(entry().next);
  EXPECT_THAT(begin(third), IsEmpty());
  book.put(nightly("run_all"), 5, after(second, 1h));
  EXPECT_EQ(book.next_look(), third);
}

TEST_F(CalendarBookTest, never_decides_again_after_the_clock_went_back) {
  book.put(nightly(), 3, evening);
  run_all("nightly", begin(first), first);
  EXPECT_THAT(begin(evening), IsEmpty());
  auto other = nightly();
  other.row.schedule = "at(02:30, Europe/Berlin, gap skip)";
  book.put(other, 4, evening);
  EXPECT_EQ(decided(), first);
}

TEST_F(CalendarBookTest, forgets_what_was_removed) {
  book.put(nightly(), 3, evening);
  begin(first);
  book.remove("nightly");
  EXPECT_EQ(book.settle("nightly", first, true, first), nullptr);
  EXPECT_EQ(book.size(), 0u);
  EXPECT_FALSE(book.next_look());
}

// -- what an earlier sender has left --------------------------------------------------------------

TEST_F(CalendarBookTest, follows_the_rule_for_times_that_passed_meanwhile) {
  auto left = nightly("run_all");
  left.row.decided_until = evening;
  book.restore(left, 3);
  EXPECT_THAT(begin(after(second, 1h)), ElementsAre(first, second));
}

TEST_F(CalendarBookTest, stores_that_a_time_was_left_out) {
  auto left = nightly("skip");
  left.row.decided_until = evening;
  book.restore(left, 3);
  const auto due = book.begin(after(first, 1h));
  ASSERT_TRUE(due);
  EXPECT_THAT(due->runs, IsEmpty());
  EXPECT_EQ(decided(), after(first, 1h));
  EXPECT_EQ(book.next_look(), second);
}

TEST_F(CalendarBookTest, waits_if_it_cannot_be_read) {
  auto left = nightly();
  left.row.schedule = "at(02:30, Mars/Olympus)";
  left.row.decided_until = evening;
  EXPECT_EQ(book.restore(left, 3).problem, "there is no zone Mars/Olympus");
  EXPECT_EQ(book.restore("other", 4, "grace: got 'soon'").problem, "grace: got 'soon'");
  EXPECT_FALSE(book.next_look());
  EXPECT_THAT(begin(third), IsEmpty());
  EXPECT_EQ(book.put(nightly(), 5, third), CalendarChange::changed);
  EXPECT_EQ(entry().problem, "");
}

TEST(calendar_book, knows_utc_alone_if_nobody_finds_zones) {
  CalendarBook book{nullptr};
  auto entry = nightly();
  entry.row.schedule = "at(02:30, UTC)";
  EXPECT_EQ(book.restore(entry, 3).problem, "");
  entry.row.schedule = "at(02:30, Europe/Berlin)";
  EXPECT_THAT(book.restore(entry, 3).problem,
              HasSubstr("zone: got Europe/Berlin, allowed UTC, for the sender has no "
                        "RareSenderOptions::find_zone"));
}

// -- what could not be submitted ------------------------------------------------------------

TEST_F(CalendarBookTest, goes_on_a_second_later_at_the_first_run_that_was_not_submitted) {
  book.put(nightly("run_all"), 3, evening);
  const auto runs = begin(third);
  EXPECT_EQ(book.settle("nightly", first, true, third), nullptr);
  EXPECT_EQ(book.settle("nightly", second, false, third), nullptr);
  EXPECT_NE(book.settle("nightly", third, false, third), nullptr);
  EXPECT_EQ(decided(), first);
  EXPECT_EQ(entry().next, second);
  EXPECT_EQ(book.next_look(), after(third, 1s));
  EXPECT_THAT(begin(after(third, 1s)), ElementsAre(second, third));
}

TEST_F(CalendarBookTest, keeps_all_that_comes_behind_a_run_that_was_not_stored) {
  book.put(nightly("run_all"), 3, evening);
  begin(third);
  book.settle("nightly", first, false, third);
  book.settle("nightly", second, true, third);
  EXPECT_EQ(book.settle("nightly", third, true, third), nullptr);
  EXPECT_EQ(decided(), evening);
  EXPECT_THAT(begin(after(third, 1s)), ElementsAre(first, second, third));
}

TEST_F(CalendarBookTest, drops_what_is_under_way_if_it_gets_another_schedule) {
  book.put(nightly("run_all"), 3, evening);
  begin(second);
  auto other = nightly("run_all");
  other.row.schedule = "at(03:30, Europe/Berlin)";
  book.put(other, 4, second);
  EXPECT_EQ(book.settle("nightly", first, false, second), nullptr);
  EXPECT_EQ(book.settle("nightly", second, false, second), nullptr);
  EXPECT_EQ(decided(), second);
  EXPECT_EQ(book.next_look(), after(second, 1h));
}

TEST_F(CalendarBookTest, goes_on_with_what_is_under_way_if_it_is_put_again) {
  book.put(nightly(), 3, evening);
  begin(first);
  book.put(nightly("run_all"), 4, first);
  EXPECT_FALSE(book.next_look());
  EXPECT_NE(book.settle("nightly", first, true, first), nullptr);
  EXPECT_EQ(book.next_look(), second);
}

TEST_F(CalendarBookTest, returns_at_most_a_hundred_runs_and_looks_again_at_once) {
  book.put(often(), 3, evening);
  const auto now = after(evening, 250min);
  std::vector<std::size_t> sizes;
  for (auto runs = begin(now, "often"); !runs.empty(); runs = begin(now, "often")) {
    sizes.push_back(runs.size());
    run_all("often", runs, now);
  }
  EXPECT_THAT(sizes, ElementsAre(100u, 100u, 50u));
  EXPECT_EQ(book.next_look(), after(evening, 251min));
}

TEST_F(CalendarBookTest, returns_one_entry_after_the_other_by_their_times) {
  book.put(often(), 3, evening);
  book.put(nightly(), 4, after(evening, 1min));
  EXPECT_EQ(book.begin(first)->name, "often");
  EXPECT_EQ(book.begin(first)->name, "nightly");
  EXPECT_FALSE(book.begin(first));
}

// -- all of it ---------------------------------------------------------------------------------

// A process that dies at any moment, a store that fails, a clock that is put back: with `run_all`
// each time is done, and what was done and decided never comes again.
TEST(calendar_book, leaves_out_no_time_whatever_happens) {
  for (auto seed = 1U; seed <= 200; ++seed) {
    std::mt19937 chance{seed};
    const auto draw = [&](int below) { return static_cast<int>(chance() % unsigned(below)); };
    CalendarBook book{find_zone};
    book.put(often(), 1, evening);
    auto stored = book.find("often")->kept;
    std::map<WallTime, int> done;
    auto now = evening;
    const auto steps = 300;
    for (auto step = 0; step < steps; ++step) {
      const auto is_last = step > steps - 20;
      now = after(now, draw(10) == 0 && !is_last ? -5min : Duration{draw(400) * 1s});
      const auto due = book.begin(now);
      if (due) {
        for (const auto run : due->runs) {
          EXPECT_GT(run, stored.row.decided_until) << seed;
          EXPECT_LE(run, now) << seed;
          const auto is_done = is_last || draw(4) != 0;
          done[run] += is_done ? 1 : 0;
          if (const auto* const entry = book.settle("often", run, is_done, now))
            stored = entry->kept;
        }
      }
      if (draw(10) == 0 && !is_last) { // another process
        book = CalendarBook{find_zone};
        book.restore(stored, 1);
      }
    }
    const auto until = stored.row.decided_until;
    ASSERT_GT(until, after(evening, 1h)) << seed;
    for (auto at = after(evening, 1min); at <= until; at = after(at, 1min))
      EXPECT_GE(done[at], 1) << seed << ", " << to_string(at);
  }
}

} // namespace

} // namespace backoff_actor::calendar_book_test
