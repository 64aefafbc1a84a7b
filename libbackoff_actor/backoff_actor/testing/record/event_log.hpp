#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/events.hpp"
#include "backoff_actor/observe/supervisor_events.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace backoff_actor::testing {

using backoff_actor::to_string; // for spans; the overloads below would hide it

/// One line of an `EventLog`.
struct LogEntry {
  Instant at;         ///< when it happened
  std::string sender; ///< the sender or supervisor; empty for one without a name, and for a note
  std::variant<Event, std::string, SupervisorEvent> what; ///< the event or the note

  /// The event of a sender, or null.
  const Event* event() const { return std::get_if<Event>(&what); }

  /// The event of a supervisor, or null.
  const SupervisorEvent* supervisor_event() const { return std::get_if<SupervisorEvent>(&what); }
};

/// Renders an entry in one line, without its time: `orders: child 3 down: Danger, High Voltage!`,
/// and a note in brackets. It names the sender as the hook does, and not by `Event::of`, whose
/// number may be another in each run.
BACKOFF_ACTOR_EXPORT std::string to_string(const LogEntry& entry);

/// Keeps notes, and all events of the senders and supervisors that have its hooks. Copies of a log
/// share their entries.
///
/// All its sources must be on one time line.
///
/// @thread safe: hooks and notes may come from any thread while others read.
class BACKOFF_ACTOR_EXPORT EventLog {
public:
  /// For `timeline`: all lines, from the beginning.
  static constexpr std::size_t all_lines = std::numeric_limits<std::size_t>::max();

  /// Makes a log that keeps everything. It takes about 310 bytes for each event.
  EventLog();

  /// Makes a log for long runs: with more than `count` entries it forgets the oldest.
  ///
  /// @errors throws `InvalidArgument` if `count` is 0.
  static EventLog keeping_last(std::size_t count);

  /// The hook for `SenderOptions::on_event`; it may outlive this object. The name appears in the
  /// timeline, and `of` finds the sender's events by it.
  EventHook hook(std::string sender = {}) const;

  /// The same for `SupervisorOptions::on_event`.
  SupervisorEventHook supervisor_hook(std::string supervisor = {}) const;

  /// Adds a note to the timeline, such as an action of the test.
  void note(Instant at, std::string text) const;

  /// All entries that are kept, in the order in which they came.
  std::vector<LogEntry> entries() const;

  /// All events of senders that are kept, in order.
  std::vector<Event> events() const;

  /// All events of one type that are kept, in order, of senders or of supervisors.
  template <class T>
  std::vector<T> all() const {
    std::vector<T> result;
    for_each([&result](const LogEntry& entry) {
      if (const auto* x = get_if<T>(entry))
        result.push_back(*x);
    });
    return result;
  }

  /// How many events of one type are kept.
  template <class T>
  std::size_t count() const {
    std::size_t result = 0;
    for_each([&result](const LogEntry& entry) { result += get_if<T>(entry) != nullptr; });
    return result;
  }

  /// How many entries the log has forgotten.
  std::uint64_t forgotten() const;

  /// Returns a separate log with the events so far of the sender or supervisor of that name, and
  /// all notes.
  EventLog of(const std::string& sender) const;

  /// Returns a separate log with all entries so far.
  EventLog snapshot() const;

  /// Renders the log for people, one entry a line, notes in brackets, times counted from the first
  /// entry: `+10ms  orders: delivery 1 handed over again to child 2`. If the log is longer than
  /// `last` lines, only the last ones are shown, below a line with the number of lines left out.
  /// `marked` holds indices of entries, in order. If it is not empty, the lines of these entries
  /// begin with `> `, and all other lines with two spaces.
  std::string timeline(std::size_t last = all_lines,
                       const std::vector<std::size_t>& marked = {}) const;

  /// Returns the time since the first entry ever, as in the timeline; 0 if there is none.
  Duration since_start(Instant at) const;

  /// Remembers that all entries so far have been shown.
  void set_shown() const;

  /// Whether all entries have been shown, so that they need not be shown again.
  bool is_shown() const;

private:
  struct State;

  explicit EventLog(std::size_t limit);

  template <class T>
  static const T* get_if(const LogEntry& entry) {
    if constexpr (std::is_constructible_v<Event, const T&>)
      return entry.event() ? std::get_if<T>(entry.event()) : nullptr;
    else
      return entry.supervisor_event() ? std::get_if<T>(entry.supervisor_event()) : nullptr;
  }

  void for_each(const std::function<void(const LogEntry&)>& visit) const; // holds the lock

  std::shared_ptr<State> state_;
};

/// Prints the length of the log, for test frameworks; `timeline` renders its entries.
BACKOFF_ACTOR_EXPORT std::ostream& operator<<(std::ostream& out, const EventLog& log);

} // namespace backoff_actor::testing
