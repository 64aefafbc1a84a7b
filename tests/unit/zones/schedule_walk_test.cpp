// Random schedules beside a slow reference, which walks through a year of real zones minute by
// minute.

#include "backoff_actor/calendar/schedule.hpp"
#include "backoff_actor/zones/find_zone.hpp"
#include "unit/calendar/zones_2026.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace backoff_actor::schedule_walk_test {

namespace {

using namespace calendar_test;
using std::chrono::local_seconds;

// What five fields say, as plain lists, and their text.
struct Fields {
  std::array<std::vector<bool>, 5> sets; // minute, hour, day, month, weekday
  std::array<bool, 5> has_star{};
  std::string text;
};

constexpr std::array<int, 5> least{0, 0, 1, 1, 0};
constexpr std::array<int, 5> most{59, 23, 31, 12, 6};

class Walk {
public:
  Walk(const char* zone, int year) : zone_(find_zone(zone)), begin_(utc(year, 1, 1)) {
    const auto end = utc(year + 1, 1, 1);
    for (auto at = begin_; at < end; at += 1min)
      local_.push_back(zone_.local_time(wall(at)));
    // A local time comes again, if at all, within a day.
    is_first_.assign(local_.size(), true);
    is_last_.assign(local_.size(), true);
    for (std::size_t i = 1; i < local_.size(); ++i)
      for (auto j = i; local_[i] <= local_[i - 1] && j < std::min(i + 1440, local_.size()); ++j)
        for (auto k = i - std::min<std::size_t>(i, 1440); k < i; ++k)
          if (local_[j] == local_[k])
            is_first_[j] = is_last_[k] = false;
  }

  const Zone& zone() const { return zone_; }

  // All times of the year but the first, whose past is not known.
  std::vector<WallTime> times(const Fields& fields, Gap gap, Twice twice) const {
    std::vector<WallTime> result;
    for (std::size_t i = 0; i < local_.size(); ++i) {
      auto is_due = false;
      if (i > 0 && gap == Gap::run_after)
        for (auto left_out = local_[i - 1] + 1min; left_out < local_[i]; left_out += 1min)
          is_due = is_due || matches(fields, left_out);
      if (matches(fields, local_[i])) {
        is_due =
          is_due || twice == Twice::both || (twice == Twice::first ? is_first_[i] : is_last_[i]);
      }
      if (is_due && i > 0)
        result.push_back(wall(begin_ + std::chrono::minutes{i}));
    }
    return result;
  }

private:
  static bool matches(const Fields& fields, local_seconds at) {
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date{day};
    const auto of_day = at - day;
    const auto has = [&](std::size_t field, auto value) {
      return fields.sets[field][static_cast<std::size_t>(value)];
    };
    const auto is_day = has(2, static_cast<unsigned>(date.day()));
    const auto is_weekday = has(4, std::chrono::weekday{day}.c_encoding());
    const auto is_either = !fields.has_star[2] && !fields.has_star[4];
    return has(0, of_day % 1h / 1min) && has(1, of_day / 1h)
           && has(3, static_cast<unsigned>(date.month()))
           && (is_either ? is_day || is_weekday : is_day && is_weekday);
  }

  Zone zone_;
  std::chrono::sys_seconds begin_;
  std::vector<local_seconds> local_; // of each minute
  std::vector<bool> is_first_;       // of the times that come twice
  std::vector<bool> is_last_;
};

Fields random_fields(std::mt19937& random) {
  const auto below = [&](int n) {
    return static_cast<int>(random() % static_cast<std::uint32_t>(n));
  };
  Fields result;
  for (std::size_t i = 0; i < 5; ++i) {
    auto& set = result.sets[i];
    set.assign(64, false);
    const auto add = [&](int first, int last, int step) {
      for (auto value = first; value <= last; value += step)
        set[static_cast<std::size_t>(value)] = true;
    };
    const auto range = most[i] - least[i] + 1;
    std::string text;
    const auto kind = below(i == 2 || i == 3 ? 8 : 5);
    if (kind > 2) {
      result.has_star[i] = true;
      const auto step = kind == 4 ? 1 + below(most[i]) : 1;
      add(least[i], most[i], step);
      text = step == 1 ? "*" : "*/" + std::to_string(step);
    } else {
      for (auto parts = 1 + below(3); parts > 0; --parts) {
        // Hours near the changes of the clocks come more often.
        const auto first = i == 1 && below(2) == 0 ? below(4) : least[i] + below(range);
        const auto last = kind == 0 ? first : first + below(most[i] - first + 1);
        const auto step = kind == 2 ? 1 + below(5) : 1;
        add(first, last, step);
        text += (text.empty() ? "" : ",") + std::to_string(first);
        if (kind > 0)
          text += "-" + std::to_string(last);
        if (step > 1)
          text += "/" + std::to_string(step);
      }
    }
    result.text += (i == 0 ? "" : " ") + text;
  }
  return result;
}

void walk(const char* zone, int year) {
  const Walk reference{zone, year};
  std::mt19937 random{static_cast<std::uint32_t>(year)};
  auto compared = 0U;
  for (auto round = 0; round < 10; ++round) {
    const auto fields = random_fields(random);
    for (const auto gap : {Gap::run_after, Gap::skip})
      for (const auto twice : {Twice::first, Twice::second, Twice::both}) {
        if (random() % 3 != 0)
          continue;
        const auto expected = reference.times(fields, gap, twice);
        Schedule schedule = every(1s);
        try {
          schedule = cron(fields.text, reference.zone()) | gap | twice;
        } catch (const InvalidArgument&) { // a day that never comes
          ASSERT_TRUE(expected.empty()) << fields.text;
          continue;
        }
        auto time = wall(year, 1, 1);
        for (const auto& next : expected) {
          ASSERT_EQ(text_of(schedule.next_after(time)), to_string(next))
            << to_string(schedule) << " after " << to_string(time);
          time = next;
          ++compared;
        }
        const auto beyond = schedule.next_after(time);
        ASSERT_TRUE(!beyond || *beyond >= wall(year + 1, 1, 1))
          << to_string(schedule) << " after " << to_string(time);
      }
  }
  EXPECT_GT(compared, 150U);
}

TEST(schedule_walk, europe_berlin) { walk("Europe/Berlin", 2026); }
TEST(schedule_walk, america_new_york) { walk("America/New_York", 2027); }
TEST(schedule_walk, half_an_hour_on_lord_howe) { walk("Australia/Lord_Howe", 2026); }
TEST(schedule_walk, no_change_in_kathmandu) { walk("Asia/Kathmandu", 2026); }
TEST(schedule_walk, at_midnight_in_sao_paulo) { walk("America/Sao_Paulo", 2017); }
TEST(schedule_walk, no_saturday_in_apia) { walk("Pacific/Apia", 2011); }
TEST(schedule_walk, four_changes_in_casablanca) { walk("Africa/Casablanca", 2014); }
TEST(schedule_walk, after_2037) { walk("Europe/Berlin", 2040); }

} // namespace

} // namespace backoff_actor::schedule_walk_test
