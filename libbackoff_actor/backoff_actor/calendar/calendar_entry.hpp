#pragma once

#include "backoff_actor/calendar/schedule.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor {

/// What becomes of times that have passed while nobody ran them.
enum class Missed : std::uint8_t {
  run_once, ///< the last of them runs, and stands for all
  run_all,  ///< all of them run, the oldest first
  skip      ///< the last of them runs if it is no older than `CalendarEntry::grace`
};

/// The name of a rule: `run_once`.
BACKOFF_ACTOR_EXPORT std::string_view to_string(Missed missed);

/// One entry of a calendar: what it is called, when it is due, and what becomes of missed times.
struct CalendarEntry {
  /// Its name. The keys of its runs begin with it.
  ///
  /// @range 1 to 200 bytes of UTF-8, without control characters
  std::string name;

  /// When it is due.
  Schedule schedule;

  /// What becomes of times that have passed while nobody ran them.
  Missed missed = Missed::run_once;

  /// With `Missed::skip`: how late a time may run.
  ///
  /// @range 1s or more
  Duration grace = std::chrono::minutes{1};

  /// Whether all is the same.
  friend bool operator==(const CalendarEntry&, const CalendarEntry&) = default;
};

/// What has become of an entry that a program has put.
enum class CalendarChange : std::uint8_t {
  added,    ///< there was no entry of this name
  changed,  ///< the entry was another one
  unchanged ///< the same entry was there already
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(CalendarChange change);

/// Returns all that is wrong with an entry.
BACKOFF_ACTOR_EXPORT Problems check(const CalendarEntry& entry);

/// The times of an entry that are to run now.
struct DueTimes {
  std::vector<WallTime> run{}; ///< the oldest first
  WallTime decided_until{};    ///< the next call's `decided_until`

  /// Whether all is the same.
  friend bool operator==(const DueTimes&, const DueTimes&) = default;
};

/// Returns which times of an entry are to run at `now`. It decides about those that are later than
/// `decided_until` and not later than `now`.
///
/// A time that it has decided about never comes again, as long as what it returns is kept and given
/// to the next call. A new entry begins with the time at which it was made. If the clock was put
/// back, nothing is due until it is later than `decided_until` again.
///
/// @param most with `Missed::run_all`: how many times one call returns. If there are more, the next
///             call goes on behind them.
/// @range  `most` is 1 or more
BACKOFF_ACTOR_EXPORT DueTimes due_times(const CalendarEntry& entry, WallTime decided_until,
                                        WallTime now, std::size_t most = 1000);

/// Returns the idempotency key of a run: the entry's name and the time, as
/// `nightly@2026-03-29T01:00:00Z`. Two runs have the same key only if name and time are the same.
BACKOFF_ACTOR_EXPORT std::string run_key(std::string_view name, WallTime time);

/// Returns the idempotency key of an entry that a sender keeps, see `Repeat`: `calendar:nightly`.
BACKOFF_ACTOR_EXPORT std::string entry_key(std::string_view name);

/// An entry as a durable outbox keeps it for its sender, see `Repeat`.
struct KeptCalendarEntry {
  std::string name{};     ///< as `CalendarEntry::name`
  std::string schedule{}; ///< when it is due, as `parse_schedule` reads it
  std::string missed{};   ///< the name of its rule for missed times
  Duration grace{};       ///< as `CalendarEntry::grace`
  bool is_paused = false; ///< whether its times pass without a run

  /// No time before it comes again.
  WallTime decided_until{};

  std::string problem{}; ///< why nobody can read it; empty: nothing is wrong

  /// Whether all is the same.
  friend bool operator==(const KeptCalendarEntry&, const KeptCalendarEntry&) = default;
};

/// Returns the entry that a delivery is; nothing if it is another message.
///
/// @param idempotency_key of the delivery
/// @param context         of the delivery, see `StoredDelivery`
BACKOFF_ACTOR_EXPORT std::optional<KeptCalendarEntry>
kept_calendar_entry(std::string_view idempotency_key, std::string_view context);

} // namespace backoff_actor
