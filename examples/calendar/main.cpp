// calendar: when something is due that comes again and again, in a zone whose clocks are put
// forward and back, and what becomes of times that were missed. Needs no CAF.

#include <backoff_actor/calendar/calendar_entry.hpp>
#include <backoff_actor/zones/find_zone.hpp>

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

using namespace backoff_actor;
using namespace std::chrono_literals;

WallTime utc(std::chrono::sys_days day, std::chrono::seconds of_day) {
  return {std::chrono::nanoseconds{(day + of_day).time_since_epoch()}.count()};
}

std::string text_of(const std::vector<WallTime>& times) {
  std::string result;
  for (const auto time : times)
    result += " " + to_string(time);
  return result;
}

int main() {
  using namespace std::chrono;

  // [schedules]
  const auto berlin = find_zone("Europe/Berlin");
  const Schedule often = every(5min);
  const Schedule nightly = at("02:30", berlin);
  const Schedule mornings = at("09:00", berlin, "mon-fri");
  const Schedule busy = cron("*/5 9-17 * * 1-5", berlin);
  const Schedule both = at("02:30", berlin) | Gap::skip | Twice::both;
  // The same from a text, of a file of settings for example:
  const Schedule read = parse_schedule("at(02:30, Europe/Berlin, gap skip, twice both)");
  // [schedules]
  std::cout << to_string(busy) << '\n' << (read == both ? "the same" : "another") << '\n';

  // [next]
  const auto saturday = utc(2026y / March / 28, 18h);
  for (const auto& schedule : {often, nightly, mornings})
    if (const auto next = schedule.next_after(saturday))
      std::cout << to_string(*next) << '\n';
  // [next]

  // [due]
  const CalendarEntry report{.name = "report", .schedule = nightly, .missed = Missed::run_all};
  check(report).raise_if_any();
  const auto decided_until = saturday;          // the last call's, which was kept
  const auto now = utc(2026y / March / 31, 6h); // the process did not run for three nights
  const auto due = due_times(report, decided_until, now);
  for (const auto time : due.run)
    std::cout << run_key(report.name, time) << '\n'; // the idempotency key of this run
  // due.decided_until is to be kept with what runs: no time before it comes again.
  // [due]
  std::cout << due.run.size() << " due:" << text_of(due.run) << std::endl;
}
