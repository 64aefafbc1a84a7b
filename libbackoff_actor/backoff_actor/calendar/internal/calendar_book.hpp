#pragma once

// Inside of senders; not for their users.

#include "backoff_actor/calendar/calendar_entry.hpp"
#include "backoff_actor/calendar/internal/calendar_row.hpp"
#include "backoff_actor/calendar/parse_schedule.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace backoff_actor::detail {

// An entry that a sender keeps, without its message and its key.
struct KeptEntry {
  CalendarRow row{};
  std::optional<Duration> time_to_live{}; // of each run; none: as the sender says
  bool is_paused = false;

  friend bool operator==(const KeptEntry&, const KeptEntry&) = default;
};

// Returns the context of an entry: lines such as `repeat: every(5min, offset 0ns)`.
BACKOFF_ACTOR_EXPORT std::string context_of(const KeptEntry& entry);

// Returns the entry that has this context; nothing if it is the context of another message. Its
// name is not in there.
//
// Throws `std::invalid_argument` if its lines cannot be read.
BACKOFF_ACTOR_EXPORT std::optional<KeptEntry> entry_in(std::string_view context);

// Returns the name of the entry whose key this is; nothing if it is another key.
BACKOFF_ACTOR_EXPORT std::optional<std::string> name_in_key(std::string_view idempotency_key);

// Finds UTC, and what a function of the program finds, if there is one.
BACKOFF_ACTOR_EXPORT ZoneFinder with_utc(ZoneFinder find_zone);

// The entries of a sender, and which of their times are to run. It decides; the sender submits.
//
//     waits --begin--> its runs are submitted --settle, all of them--> waits for its next time
//       ^                                     --settle, one was not--> waits for a second
//       +--------------------------------------------------------------------+
//
// Which times have been dealt with moves on only once their runs are stored. So a process that dies
// at any moment leaves out none. A run that it has submitted already has the same key when it comes
// again.
//
// All times are those of the wall clock, which may go back.
class BACKOFF_ACTOR_EXPORT CalendarBook {
public:
  static constexpr std::size_t most_runs = 100; // that `begin` returns
  static constexpr Duration pause = std::chrono::seconds{1};

  struct Entry {
    KeptEntry kept{};
    std::uint64_t delivery = 0;        // its number in the outbox
    std::optional<WallTime> next{};    // when it is due; nothing: it is paused, wrong, or never due
    std::string problem{};             // why it cannot run; empty: nothing is wrong
    CalendarStep step{};               // whose runs are being submitted
    std::size_t open = 0;              // of these runs, how many are not settled
    std::size_t done = 0;              // how many come before the first that could not be submitted
    std::optional<WallTime> look_at{}; // when `begin` is to return it
  };

  explicit CalendarBook(ZoneFinder find_zone);

  // -- its entries ------------------------------------------------------------------------

  std::size_t size() const { return entries_.size(); }
  const std::map<std::string, Entry>& entries() const { return entries_; }

  // Null: there is none.
  const Entry* find(const std::string& name) const;

  // Whether there is the same entry, whatever was decided about its times.
  bool has(const KeptEntry& entry) const;

  // Returns what `put` makes of an entry: it says until when its times are decided.
  KeptEntry as_put(KeptEntry entry, WallTime now) const;

  // Returns when an entry is due; nothing: it is paused, wrong, or never due.
  std::optional<WallTime> next_of(const KeptEntry& entry) const;

  // Adds the entry, or changes the one of its name. One that is new is due from `now` on, and so is
  // one with another schedule, and one that is paused no more. Otherwise what was decided stays.
  CalendarChange put(KeptEntry entry, std::uint64_t delivery, WallTime now);

  // Adds an entry as an earlier sender has left it. Of two with one name the later counts.
  const Entry& restore(KeptEntry entry, std::uint64_t delivery);

  // Adds one that cannot be read.
  const Entry& restore(const std::string& name, std::uint64_t delivery, std::string problem);

  void remove(const std::string& name);

  // -- what is due --------------------------------------------------------------------------

  // When to call `begin`: when the next entry is due. Nothing: none waits for a time.
  std::optional<WallTime> next_look() const;

  struct Due {
    std::string name;
    std::vector<WallTime> runs; // the oldest first; none: its context alone is to be stored
  };

  // Returns an entry that is due, and which runs of it are to be submitted. Then `settle` must be
  // called for each of these. Nothing: none is due.
  std::optional<Due> begin(WallTime now);

  // A run was submitted, and is stored. If not, it is to be submitted again a second later.
  //
  // Returns the entry if another context of it is to be stored; else null.
  const Entry* settle(const std::string& name, WallTime run, bool is_done, WallTime now);

private:
  void set_look(const std::string& name, Entry& entry, std::optional<WallTime> at);
  void look_ahead(const std::string& name, Entry& entry);

  ZoneFinder find_zone_;
  std::map<std::string, Entry> entries_;
  std::set<std::pair<WallTime, std::string>> looks_; // when to look at which
};

} // namespace backoff_actor::detail
