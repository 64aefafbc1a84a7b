#include "backoff_actor/calendar/internal/calendar_row.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/core/internal/one_line.hpp"

#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace backoff_actor::detail {

namespace {

// Several problems have a line each.
std::string in_one_line(std::string_view text) {
  std::string result;
  for (const auto one : text)
    result += one == '\n' ? std::string{"; "} : std::string(1, one);
  return one_line(result);
}

} // namespace

CalendarStep calendar_step(const CalendarRow& row, const ZoneFinder& find_zone, WallTime now,
                           std::size_t most) {
  CalendarStep result;
  result.decided_until = row.decided_until;
  try {
    const auto missed = find_missed(row.missed);
    CalendarEntry entry{.name = row.name,
                        .schedule = parse_schedule(row.schedule, find_zone),
                        .missed = missed.value_or(Missed::run_once),
                        .grace = row.grace};
    auto problems = check(entry);
    if (!missed)
      problems.add("missed", "'" + row.missed + "'", "run_once, run_all or skip");
    problems.raise_if_any();
    auto due = due_times(entry, row.decided_until, now, most);
    result.run = std::move(due.run);
    result.decided_until = due.decided_until;
    result.next = entry.schedule.next_after(result.decided_until);
  } catch (const ParseError& error) {
    result.problem = "schedule: column ";
    result.problem.append(std::to_string(error.column())).append(": ").append(error.problem());
  } catch (const std::exception& exception) { // also one of `find_zone`
    result.problem = exception.what();
  }
  result.problem = in_one_line(result.problem);
  return result;
}

} // namespace backoff_actor::detail
