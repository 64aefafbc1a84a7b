#pragma once

#include "backoff_actor/calendar/calendar_entry.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/incoming.hpp"
#include "backoff_actor/store/postgres/postgres_store.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor {

/// An entry in the table `calendar`.
struct PostgresCalendarEntry {
  std::string name{}; ///< as `CalendarEntry::name`

  /// When it is due, as `parse_schedule` reads it. Another program may have written a text that
  /// nobody can read: then `problem` says so.
  std::string schedule{};

  Missed missed = Missed::run_once; ///< as `CalendarEntry::missed`
  Duration grace{};                 ///< as `CalendarEntry::grace`
  bool is_paused = false;           ///< whether its times pass without a run
  std::string type{};               ///< as `IncomingMessage::type`, of each run
  std::string key{};                ///< as `IncomingMessage::key`, of each run

  /// No time before it comes again.
  WallTime decided_until{};

  /// When the owner looks at it next. Nothing: it is paused, has a problem, or is never due again,
  /// or no owner has looked at it yet.
  std::optional<WallTime> next{};

  std::string problem{}; ///< why no owner can run it; empty: nothing is wrong

  /// Whether all is the same.
  friend bool operator==(const PostgresCalendarEntry&, const PostgresCalendarEntry&) = default;
};

/// The calendar of an outbox on a server of PostgreSQL: what is to be done again and again. The
/// entries are rows of the table `backoff.calendar`. The process that owns the outbox makes a
/// message of each of their times, if it has `PostgresOptions::find_zone`.
///
///     PostgresCalendar calendar{address};
///     IncomingMessage message;
///     message.type = "report.v1";
///     calendar.put({.name = "report", .schedule = at("02:30", find_zone("Europe/Berlin"))},
///                  message);
///
/// Each call connects. The user needs the role `backoff_worker`; for `list`, `backoff_reader` is
/// enough.
///
/// @errors each member may throw `StoreError`
/// @thread any, several at the same time
class BACKOFF_ACTOR_EXPORT PostgresCalendar {
public:
  /// Connects to nothing yet.
  ///
  /// @errors throws `InvalidArgument` naming every problem of the address
  explicit PostgresCalendar(const PostgresAddress& address);

  /// Makes an entry, or changes the one that has its name. Makes the outbox if it is not there.
  ///
  /// A new entry is due from now on. One that gets another schedule is due by it from now on; times
  /// of the schedule before that have not run yet are dropped. One that is paused stays so.
  ///
  /// @param message what is submitted at each time, as the decoder of its type reads it. Its
  ///                `time_to_live` counts from the moment at which the owner submits it. Its `row`
  ///                does not count.
  /// @range `message` has a type, and no `idempotency_key`: that is `run_key`
  /// @errors throws `InvalidArgument` naming all that is wrong. Then nothing is written.
  CalendarChange put(const CalendarEntry& entry, const IncomingMessage& message) const;

  /// Returns all entries, in order of their names.
  std::vector<PostgresCalendarEntry> list() const;

  /// Lets the times of an entry pass without a run from now on.
  ///
  /// @returns false if there is no such entry
  bool pause(const std::string& name) const;

  /// Lets it run again, at the times from now on. Those that have passed meanwhile do not count as
  /// missed.
  ///
  /// @returns false if there is no such entry
  bool resume(const std::string& name) const;

  /// Removes an entry. Runs that are submitted already stay.
  ///
  /// @returns false if there is no such entry
  bool remove(const std::string& name) const;

  /// Submits a run now, also of an entry that is paused. The times of the entry stay as they are.
  ///
  /// @returns the idempotency key of the run, which no time of a schedule has, for it has
  ///          microseconds: `report@2026-03-29T01:00:00.123456Z`. Nothing: there is no such entry.
  std::optional<std::string> run_now(const std::string& name) const;

private:
  bool change(const char* sql, const std::string& name) const;

  PostgresAddress address_;
};

} // namespace backoff_actor
