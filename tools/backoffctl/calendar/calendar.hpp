#pragma once

#include "backoffctl/common/command.hpp"

#include "backoff_actor/calendar/schedule.hpp"
#include "backoff_actor/calendar/zone.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// Shows the next times of a schedule.
class CalendarNextCommand final : public Command {
public:
  explicit CalendarNextCommand(CLI::App& calendar);

  std::string run() override;

private:
  void check(Problems& problems) override;

  std::optional<std::string> text_;
  backoff_actor::Zone zone_;
  std::uint64_t count_ = 10;
  std::optional<backoff_actor::WallTime> from_;
  bool as_json_ = false;
  std::optional<backoff_actor::Schedule> schedule_;
};

/// Declares the commands for the entries of an outbox.
void add_calendar_server_commands(CLI::App& calendar, Commands& commands);

/// Reads the name of a zone.
Reader zone_flag(backoff_actor::Zone& value);

/// Reads a schedule; nothing, and a problem, if it is none.
///
/// @param otherwise the zone if the text names none
std::optional<backoff_actor::Schedule> read_schedule(const std::optional<std::string>& text,
                                                     const backoff_actor::Zone& otherwise,
                                                     Problems& problems);

/// One time of a schedule.
struct ShownTime {
  backoff_actor::WallTime at;
  std::string local;     // 2026-03-29T03:00:00
  std::string offset;    // +02:00
  std::string weekday;   // Sun
  std::int64_t offset_s; // to add to UTC
  std::string note;      // what the clocks did to it; empty: nothing

  friend bool operator==(const ShownTime&, const ShownTime&) = default;
};

/// Returns at most so many times strictly after one, as the clocks of a zone show them.
std::vector<ShownTime> shown_times(const backoff_actor::Schedule& schedule,
                                   const backoff_actor::Zone& zone, backoff_actor::WallTime after,
                                   std::uint64_t count);

/// Reads a time in UTC, `2026-03-29T01:00:00Z`, or a day, which means its beginning; nothing if it
/// is neither.
std::optional<backoff_actor::WallTime> read_wall_time(const std::string& text);

} // namespace backoffctl
