#pragma once

#include "backoff_actor/calendar/time_fields.hpp"
#include "backoff_actor/calendar/zone.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace backoff_actor {

/// What becomes of a local time that does not exist, because the clocks are put forward past it.
enum class Gap : std::uint8_t {
  run_after, ///< it is due at the first instant after the gap; several of a gap are one
  skip       ///< it is not due that day
};

/// When a local time is due that comes twice, because the clocks are put back.
enum class Twice : std::uint8_t {
  first,  ///< when it comes for the first time
  second, ///< when it comes for the second time
  both    ///< each time
};

/// The name of a rule as in the text of a schedule: `run_after`.
/// @{
BACKOFF_ACTOR_EXPORT std::string_view to_string(Gap gap);
BACKOFF_ACTOR_EXPORT std::string_view to_string(Twice twice);
/// @}

/// When something is due, again and again, as an immutable value.
///
///     Schedule often = every(5min);
///     Schedule nightly = at("02:30", find_zone("Europe/Berlin"));
///     Schedule weekly = cron("0 9 * * mon", find_zone("Europe/Berlin")) | Gap::skip;
///
/// It keeps no state: the next time follows from the time asked about. So all processes that have
/// the same schedule and the same zone database find the same times.
///
/// @shape  `next_after(WallTime) -> optional<WallTime>`; pure and total. Nothing is allocated.
/// @units  whole seconds
/// @thread safe from any thread, as long as nobody assigns to it.
class BACKOFF_ACTOR_EXPORT Schedule {
public:
  /// Returns the first time strictly after `time`; nothing if it would be after April 2262, which a
  /// `WallTime` cannot name.
  std::optional<WallTime> next_after(WallTime time) const;

  /// Returns the last time that is later than `after` and not later than `until`; nothing if there
  /// is none.
  std::optional<WallTime> last_within(WallTime after, WallTime until) const;

  /// The zone; UTC for `every`, which needs none.
  const Zone& zone() const { return zone_; }

  /// Whether the times are local ones, as of `at` and `cron`. The rules for gaps, and for what
  /// comes twice, are of use for these alone.
  bool is_local() const { return kind_ != Kind::every; }

  /// The rule for a local time that does not exist.
  Gap gap() const { return gap_; }

  /// The rule for a local time that comes twice.
  Twice twice() const { return twice_; }

  /// Whether two are written in the same way, with the same zone.
  friend bool operator==(const Schedule&, const Schedule&) = default;

  /// Renders it in the form that `parse_schedule` takes, with everything in it:
  /// `at(02:30, Europe/Berlin, mon-fri, gap run_after, twice first)`.
  BACKOFF_ACTOR_EXPORT friend std::string to_string(const Schedule& schedule);

  BACKOFF_ACTOR_EXPORT friend Schedule every(Duration period, Duration offset);
  BACKOFF_ACTOR_EXPORT friend Schedule at(std::string_view time, const Zone& zone,
                                          std::string_view days);
  BACKOFF_ACTOR_EXPORT friend Schedule cron(std::string_view fields, const Zone& zone);
  BACKOFF_ACTOR_EXPORT friend Schedule operator|(Schedule schedule, Gap gap);
  BACKOFF_ACTOR_EXPORT friend Schedule operator|(Schedule schedule, Twice twice);

private:
  enum class Kind : std::uint8_t { every, at, cron };

  Schedule() = default;

  std::optional<std::chrono::sys_seconds> next_period(std::chrono::sys_seconds after) const;
  std::optional<std::chrono::sys_seconds> next_local(std::chrono::sys_seconds after) const;

  std::chrono::seconds period_{0};
  std::chrono::seconds offset_{0};
  detail::TimeFields times_{};
  Zone zone_{};
  std::string fields_{}; // of cron
  Kind kind_ = Kind::every;
  Gap gap_ = Gap::run_after;
  Twice twice_ = Twice::first;
};

/// Due at each multiple of `period` since the beginning of 1970 in UTC, plus `offset`. It is real
/// time: clocks that are put forward or back change nothing. For each day at the same local time,
/// take `at`.
///
/// @range  whole seconds; `period` 1s to 8760h, `offset` 0s to less than `period`
/// @errors throws `InvalidArgument` naming all that is out of range.
BACKOFF_ACTOR_EXPORT Schedule every(Duration period, Duration offset = Duration::zero());

/// Due each day at a local time, or on some weekdays.
///
/// @param time hour and minute: `02:30`
/// @param days names of weekdays with blanks between them, such as `mon-fri` or `sat sun`
/// @errors throws `InvalidArgument` naming all that is wrong.
BACKOFF_ACTOR_EXPORT Schedule at(std::string_view time, const Zone& zone = {},
                                 std::string_view days = "mon-sun");

/// Due at local times that five fields of cron name: `*/5 9-17 * * 1-5`.
///
/// The fields are minute (0-59), hour (0-23), day of the month (1-31), month (1-12 or jan-dec) and
/// weekday (0-7 or sun-sat; 0 and 7 are Sunday). A field is a list with commas of values and
/// ranges, or a star for all. A range or a star can have a step: `*/5`, `0-30/10`. If neither day
/// of the month nor weekday begins with a star, a day needs to be in one of them only. Else it must
/// be in both. `@hourly`, `@daily`, `@midnight`, `@weekly`, `@monthly`, `@yearly` and `@annually`
/// stand for fields.
///
/// If minute or hour begins with a star, the schedule is an interval in real time, and its rules
/// are `Gap::skip` and `Twice::both`. Else they are `Gap::run_after` and `Twice::first`. Debian's
/// cron does the same.
///
/// @errors throws `InvalidArgument` naming all fields that are wrong; also if no day ever comes, as
///         for 30 February.
BACKOFF_ACTOR_EXPORT Schedule cron(std::string_view fields, const Zone& zone = {});

/// Returns the schedule with another rule.
///
/// @errors throws `InvalidArgument` for `every`, which has no local times.
/// @{
BACKOFF_ACTOR_EXPORT Schedule operator|(Schedule schedule, Gap gap);
BACKOFF_ACTOR_EXPORT Schedule operator|(Schedule schedule, Twice twice);
/// @}

BACKOFF_ACTOR_EXPORT std::string to_string(const Schedule& schedule);

} // namespace backoff_actor
