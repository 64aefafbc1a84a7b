#pragma once

// Jobs that nobody submits: the owner of the outbox makes them at the times of its calendar.

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/store/postgres/calendar/postgres_calendar.hpp"
#include "common/private_postgres.hpp"
#include "ledger.hpp"
#include "records.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cluster {

/// A change of an entry. It was made between two points in time, in microseconds since 1970.
struct EntryChange {
  std::int64_t from = 0;
  std::int64_t to = 0;
  bool is_on = true; ///< not: it is paused or gone from then on
};

/// An entry of the calendar.
struct Entry {
  std::string name{};
  std::int64_t period = 1;            ///< seconds
  bool runs_all = true;               ///< not: the last of the times that were missed
  std::vector<EntryChange> changes{}; ///< in order
};

/// What became of the times of the calendar.
struct CalendarVerdict {
  std::uint64_t times = 0;        ///< that became messages
  std::uint64_t missing = 0;      ///< of entries that run all; and those whose message was not done
  std::uint64_t twice = 0;        ///< that became two messages
  std::uint64_t early = 0;        ///< that became messages before they had come
  std::uint64_t while_paused = 0; ///< that became messages though the entry was paused then

  /// Whether all numbers are the same.
  friend bool operator==(const CalendarVerdict&, const CalendarVerdict&) = default;
};

/// Compares the times of the entries with what the server has stored and the service has done.
///
/// A time is missing if a later one became a message before the entry was changed. What is due when
/// an entry is paused is dropped.
CalendarVerdict judge_calendar(const std::vector<Entry>& entries,
                               const std::vector<CalendarTime>& times,
                               const std::vector<Call>& calls);

/// Renders it as one line: `calendar: times 100, missing 0, twice 0, early 0, while paused 0`.
std::string to_string(const CalendarVerdict& verdict);

/// The calendar of an outbox: one entry that runs all times, each second; one each two seconds
/// that runs the last of those that were missed; and one that is paused now and then.
///
/// @errors every member may throw `std::runtime_error`
/// @thread the thread that made it
class Calendar {
public:
  /// Of the messages that the entries submit. The payload is the number of the entry, as text.
  static constexpr auto type = "calendar.v1";

  Calendar(const example::PrivatePostgres& server, const Records& records,
           const std::string& outbox);

  /// Adds the entries.
  void start();

  /// Pauses and resumes an entry when it is time. If the server does not answer, a later call does
  /// it.
  void go_on();

  /// Waits until each time that has come is a message with a number, and removes the entries.
  ///
  /// @return whether all of them are, before the patience is over
  bool stop(backoff_actor::Duration patience);

  /// The times that have become messages.
  std::vector<CalendarTime> times() const { return records_.calendar_times(); }

  CalendarVerdict judge(const std::vector<Call>& calls) const {
    return judge_calendar(entries_, times(), calls);
  }

private:
  void change(Entry& entry, bool is_on, const std::function<void()>& make);

  backoff_actor::PostgresCalendar calendar_;
  const Records& records_;
  std::vector<Entry> entries_;
  std::int64_t next_change_ = 0;  // of the last entry
  std::int64_t trying_since_ = 0; // to make a change; 0: none is to be made
};

} // namespace cluster
