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

using backoff_actor::to_string; // of spans, which would be hidden by those below

/// One line of an `EventLog`.
struct LogEntry {
  Instant at;         ///< when it happened
  std::string sender; ///< who told it, also a supervisor; empty: one without a name, or a note
  std::variant<Event, std::string, SupervisorEvent> what; ///< what was told, or a note

  /// The event of a sender; none if it is anything else.
  const Event* event() const { return std::get_if<Event>(&what); }

  /// The event of a supervisor; none if it is anything else.
  const SupervisorEvent* supervisor_event() const { return std::get_if<SupervisorEvent>(&what); }
};

/// Renders an entry in one line, without its time: `orders: child 3 down: Danger, High Voltage!`, and
/// a note in brackets.
BACKOFF_ACTOR_EXPORT std::string to_string(const LogEntry& entry);

/// Keeps all events of the senders and supervisors that were given its hooks, and what others have to say; copies of
/// a log share what it holds.
///
/// All who tell it something are to be on one time line.
///
/// @thread safe: hooks and notes may come from any thread while others read.
class BACKOFF_ACTOR_EXPORT EventLog {
public:
  /// Stands for a timeline from the beginning.
  static constexpr std::size_t all_lines = std::numeric_limits<std::size_t>::max();

  /// Keeps everything, which takes some 270 bytes an event.
  EventLog();

  /// A log that forgets the oldest when it has more than `count` entries, for long runs.
  ///
  /// @errors throws `InvalidArgument` if `count` is 0.
  static EventLog keeping_last(std::size_t count);

  /// The hook for `SenderOptions::on_event`; it works on when this object is gone. With a name, the
  /// timeline says of which sender an event is, and `of` finds it.
  EventHook hook(std::string sender = {}) const;

  /// The same for `SupervisorOptions::on_event`.
  SupervisorEventHook supervisor_hook(std::string supervisor = {}) const;

  /// Adds a line to the timeline that is no event: what a test, or whoever makes failures, did.
  void note(Instant at, std::string text) const;

  /// All that is kept, in the order in which it was told.
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

  /// How many entries are not kept any longer.
  std::uint64_t forgotten() const;

  /// What the sender or supervisor of that name has told so far, with all notes, as a log of its own.
  EventLog of(const std::string& sender) const;

  /// What there is so far, as a log of its own.
  EventLog snapshot() const;

  /// Renders the log for people, one entry a line, notes in brackets, times counted from the first
  /// entry: `+10ms  orders: delivery 1 handed over again to child 2`. Of a longer log only the `last`
  /// lines, under one that says how many were left out. Entries whose indices are in `marked`, in
  /// order, begin with `> `, and all others with two spaces, unless none is marked.
  std::string timeline(std::size_t last = all_lines,
                       const std::vector<std::size_t>& marked = {}) const;

  /// How long after its first entry ever something happened, as in the timeline; 0 if there is none.
  Duration since_start(Instant at) const;

  /// Remembers that all there is now has been shown to people.
  void set_shown() const;

  /// Whether all there is has been shown, so that nobody need show it again.
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

  void for_each(const std::function<void(const LogEntry&)>& visit) const; // under the lock

  std::shared_ptr<State> state_;
};

/// Prints how long the log is, for test frameworks; `timeline` prints what is in it.
BACKOFF_ACTOR_EXPORT std::ostream& operator<<(std::ostream& out, const EventLog& log);

} // namespace backoff_actor::testing
