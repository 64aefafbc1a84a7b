#include "backoff_actor/calendar/calendar_entry.hpp"

#include "backoff_actor/calendar/internal/calendar_row.hpp"
#include "backoff_actor/core/internal/check_span.hpp"
#include "backoff_actor/core/internal/enum_names.hpp"
#include "backoff_actor/core/internal/one_line.hpp"

#include <algorithm>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t longest_entry_name = 200;

constexpr auto missed_names = detail::enum_names<Missed>({"run_once", "run_all", "skip"});
constexpr auto change_names = detail::enum_names<CalendarChange>({"added", "changed", "unchanged"});

bool is_usable(std::string_view name) {
  return !name.empty() && name.size() <= longest_entry_name && detail::one_line(name) == name;
}

// Whether a time is no older than a span.
bool is_within(Duration grace, WallTime time, WallTime now) {
  return Instant{Duration{now.since_epoch}} - Instant{Duration{time.since_epoch}} <= grace;
}

std::vector<WallTime> first_times(const Schedule& schedule, WallTime after, WallTime until,
                                  std::size_t most) {
  std::vector<WallTime> result;
  for (auto next = schedule.next_after(after); next && *next <= until && result.size() < most;
       next = schedule.next_after(*next))
    result.push_back(*next);
  return result;
}

} // namespace

std::string_view to_string(Missed missed) { return missed_names.of(missed); }

std::string_view to_string(CalendarChange change) { return change_names.of(change); }

std::optional<Missed> detail::find_missed(std::string_view name) { return missed_names.find(name); }

Problems check(const CalendarEntry& entry) {
  Problems problems;
  if (!is_usable(entry.name))
    problems.add("name", "'" + entry.name + "'",
                 "1 to 200 bytes of UTF-8 without control characters");
  detail::check_span(problems, "grace", entry.grace, 1s, Duration::max());
  return problems;
}

DueTimes due_times(const CalendarEntry& entry, WallTime decided_until, WallTime now,
                   std::size_t most) {
  if (now <= decided_until)
    return {{}, decided_until};
  if (entry.missed == Missed::run_all) {
    auto run = first_times(entry.schedule, decided_until, now, most);
    const auto until = run.size() == most ? run.back() : now;
    return {std::move(run), until};
  }
  const auto last = entry.schedule.last_within(decided_until, now);
  if (!last || (entry.missed == Missed::skip && !is_within(entry.grace, *last, now)))
    return {{}, now};
  return {{*last}, now};
}

std::string run_key(std::string_view name, WallTime time) {
  return std::string{name}.append("@").append(to_string(time));
}

std::string entry_key(std::string_view name) { return std::string{"calendar:"}.append(name); }

} // namespace backoff_actor
