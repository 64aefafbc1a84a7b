#include "calendar.hpp"

#include "backoffctl/common/commands.hpp"
#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/text/table.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/calendar/parse_schedule.hpp"
#include "backoff_actor/core/internal/one_line.hpp"

#ifndef BACKOFFCTL_HAS_NO_ZONES
#include "backoff_actor/zones/find_zone.hpp"
#endif

#include <nlohmann/json.hpp>

#include <chrono>

namespace backoffctl {

namespace {

using backoff_actor::WallTime;
using backoff_actor::Zone;
using Json = nlohmann::ordered_json;

constexpr auto calendar_description = R"(Shows and changes what is due again and again.

A schedule is a text: a period, a local time of day, or five fields of cron. next computes its times
with the zones of the system. All others are about the calendar of an outbox on a server of
PostgreSQL: its entries, of which the owner of the outbox makes messages. list shows the entries of
a file, too.
)";

constexpr auto calendar_footer = R"(
Examples:
  backoffctl calendar next 'at(02:30, Europe/Berlin)'
      the next ten times
  backoffctl calendar next '*/5 9-17 * * 1-5' --zone America/New_York
      the same for five fields of cron
  backoffctl calendar list 'postgres://reader@db1/shop#orders'
      the entries of the calendar of an outbox
  backoffctl calendar next --help
      explain schedules, and the rules for clocks that are put forward or back

backoffctl calendar COMMAND --help explains a command, with examples.
)";

constexpr auto next_description = R"(Shows the next times of a schedule.

For each time, next prints the instant in UTC, what the clocks of the zone show then, and what the
clocks did to it. A time is due right after the gap if the local time does not exist, because the
clocks are put forward past it. A local time comes twice if the clocks are put back.
)";

constexpr auto next_footer = R"(
A schedule is a text; quote it in the shell:
  every(5min)                 at each multiple of 5 minutes since 1970; real time, without a zone
  every(1h, offset 10min)     ten minutes later
  at(02:30, Europe/Berlin)    each day at a local time
  at(09:00, mon-fri)          on these weekdays; sat sun are two. Without a zone: that of --zone
  cron("0,30 9-17 * * 1-5", Europe/Berlin)
                              five fields: minute, hour, day of the month, month, weekday
  0,30 9-17 * * 1-5           the same in the zone of --zone
  @hourly                     and @daily, @midnight, @weekly, @monthly, @yearly, @annually

A field of cron is a list with commas of values and ranges, or * for all; */5 and 0-30/5 are steps.
Months and weekdays have names: jan, mon. 0 and 7 are Sunday. If neither the day of the month nor
the weekday begins with *, either is enough; else a day must be in both.

Rules for local times, each at the end of at(...) and cron(...):
  gap run_after     a time that does not exist is due right after the gap
  gap skip          it is not due that day
  twice first       a time that comes twice is due when it comes first
  twice second      ... when it comes for the second time
  twice both        ... each time
By default gap run_after and twice first. Fields with * at the beginning of minute or hour are an
interval, which goes on in real time: gap skip and twice both, as in the cron of Debian.

Examples:
  backoffctl calendar next 'at(02:30, Europe/Berlin)' --from 2026-03-27 --count 4
      a night without 02:30
  backoffctl calendar next 'at(02:30, Europe/Berlin, twice both)' --from 2026-10-24 --count 4
      a night with two
  backoffctl calendar next '*/30 * * * *' --zone Europe/Berlin --from 2026-10-25
      an interval in the same night
  backoffctl calendar next '0 0 29 2 *' --json
      the next leap days, for programs

Keys of the JSON:
  schedule    the schedule with all its parts
  zone        whose clocks show the local times
  from        the time that all are later than, in UTC
  times       an object for each time:
    utc         the instant
    local       what the clocks show, with the offset
    utc_offset_s
                what the zone adds to UTC, in seconds
    note        what the clocks did to the time; null if nothing
)";

#ifdef BACKOFFCTL_HAS_NO_ZONES
Zone zone_named(const std::string& name) {
  if (name == "UTC")
    return {};
  Problems problems;
  problems.add("zone", quoted(name),
               "UTC alone: this backoffctl was built without cctz; install libcctz-dev and build "
               "it again");
  throw backoff_actor::InvalidArgument{problems};
}
#else
Zone zone_named(const std::string& name) { return backoff_actor::find_zone(name); }
#endif

Reader time(std::optional<WallTime>& value) {
  return [&value](const std::string& flag, const std::string& given, Problems& problems) {
    value = read_wall_time(given);
    if (!value)
      problems.add(flag, quoted(given),
                   "a day such as 2026-03-29, or a time in UTC such as 2026-03-29T01:00:00Z, "
                   "1678..2261");
  };
}

WallTime now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
}

std::string text_of(const backoff_actor::Schedule& schedule, const Zone& zone,
                    const std::vector<ShownTime>& times) {
  Table table{{"UTC", zone.name(), "", "clocks"}};
  for (const auto& x : times)
    table.add({to_string(x.at), x.weekday + " " + x.local, x.offset, or_dash(x.note)});
  return to_string(schedule) + "\n\n" + table.text();
}

std::string json_of(const backoff_actor::Schedule& schedule, const Zone& zone, WallTime from,
                    const std::vector<ShownTime>& times) {
  auto list = Json::array();
  for (const auto& x : times)
    list.push_back({{"utc", to_string(x.at)},
                    {"local", x.local + x.offset},
                    {"utc_offset_s", x.offset_s},
                    {"note", x.note.empty() ? Json() : Json(x.note)}});
  const Json all{{"schedule", to_string(schedule)},
                 {"zone", zone.name()},
                 {"from", to_string(from)},
                 {"times", list}};
  return backoff_actor::detail::plain_json(all.dump(2)) + "\n";
}

} // namespace

Reader zone_flag(Zone& value) {
  return [&value](const std::string& flag, const std::string& given, Problems& problems) {
    try {
      value = zone_named(given);
    } catch (const backoff_actor::InvalidArgument& error) {
      for (const auto& problem : error.problems().list())
        problems.add(flag, problem.given, problem.allowed);
    }
  };
}

std::optional<backoff_actor::Schedule> read_schedule(const std::optional<std::string>& text,
                                                     const Zone& otherwise, Problems& problems) {
  if (!text || text->empty()) {
    problems.add("SCHEDULE", "nothing", "a schedule such as 'at(02:30, Europe/Berlin)'");
    return std::nullopt;
  }
  try {
    return backoff_actor::parse_schedule(*text, zone_named, otherwise);
  } catch (const backoff_actor::ParseError& error) {
    problems.add("SCHEDULE", indented(error.what()), "");
    return std::nullopt;
  }
}

CalendarNextCommand::CalendarNextCommand(CLI::App& calendar)
  : Command(calendar, "next", next_description, next_footer) {
  add_value("SCHEDULE", text_, "when something is due, such as 'at(02:30, Europe/Berlin)'");
  add_flag("--zone", zone_flag(zone_), "ZONE", "the zone if the schedule names none; default UTC");
  add_flag("--count", whole(count_, 1, 10'000), "N", "how many times, 1..10000; default 10");
  add_flag("--from", time(from_), "TIME",
           "show times later than this: a day such as 2026-03-29, or a\ntime in UTC such as "
           "2026-03-29T01:00:00Z; default now");
  add_switch("--json", as_json_, "print JSON instead of text");
}

void CalendarNextCommand::check(Problems& problems) {
  schedule_ = read_schedule(text_, zone_, problems);
}

std::string CalendarNextCommand::run() {
  const auto from = from_.value_or(now());
  const auto& zone = schedule_->is_local() ? schedule_->zone() : zone_;
  const auto times = shown_times(*schedule_, zone, from, count_);
  return as_json_ ? json_of(*schedule_, zone, from, times) : text_of(*schedule_, zone, times);
}

void add_calendar_commands(CLI::App& program, Commands& commands) {
  auto& calendar = add_subcommand(program, "calendar", calendar_description, calendar_footer);
  add_command<CalendarNextCommand>(calendar, commands);
  add_calendar_server_commands(calendar, commands);
}

} // namespace backoffctl
