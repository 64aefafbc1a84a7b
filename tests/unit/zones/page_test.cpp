// The table of docs/how-to/run_at_times.md is what the library computes.

#include "backoff_actor/zones/find_zone.hpp"
#include "unit/calendar/zones_2026.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor::run_at_times_page_test {

namespace {

using namespace calendar_test;

std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> result;
  for (auto rest = row.substr(1); rest.find('|') != rest.npos;
       rest.remove_prefix(rest.find('|') + 1)) {
    auto cell = rest.substr(0, rest.find('|'));
    while (cell.starts_with(' '))
      cell.remove_prefix(1);
    while (cell.ends_with(' '))
      cell.remove_suffix(1);
    result.emplace_back(cell);
  }
  return result;
}

// The times from 00:00 to 02:59 in UTC of a day.
std::string times_of(const Schedule& schedule, WallTime day) {
  std::string result;
  const WallTime end{day.since_epoch + Duration{3h}.count()};
  for (auto next = schedule.next_after({day.since_epoch - 1}); next && *next < end;
       next = schedule.next_after(*next))
    result.append(result.empty() ? "" : " ").append(to_string(*next).substr(11, 5));
  return result;
}

TEST(run_at_times_page, has_the_times_of_four_nights_in_berlin) {
  std::ifstream page{RUN_AT_TIMES_PAGE};
  const std::vector<WallTime> days{wall(2026, 3, 29), wall(2026, 10, 25), wall(2027, 3, 28),
                                   wall(2027, 10, 31)};
  const auto zone = find_zone("Europe/Berlin");
  std::string line;
  while (std::getline(page, line) && line != "<!-- times: Europe/Berlin -->") {
  }
  std::getline(page, line);
  EXPECT_EQ(line, "| schedule | 2026-03-29 | 2026-10-25 | 2027-03-28 | 2027-10-31 |");
  std::getline(page, line);
  auto rows = 0;
  for (; std::getline(page, line) && line.starts_with('|'); ++rows) {
    const auto cells = cells_of(line);
    ASSERT_EQ(cells.size(), 5U) << line;
    const auto schedule =
      parse_schedule(std::string_view{cells[0]}.substr(1, cells[0].size() - 2), zone);
    for (std::size_t i = 0; i < days.size(); ++i)
      EXPECT_EQ(cells[i + 1], times_of(schedule, days[i])) << line;
  }
  EXPECT_EQ(rows, 9);
}

} // namespace

} // namespace backoff_actor::run_at_times_page_test
