#pragma once

// Inside of the sender; not for its users.

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/calendar/internal/calendar_book.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/sender_numbers.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_system.hpp>
#include <caf/message.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace backoff_actor {

/// A sender's message to its alarm, and back once that time has come: look at the calendar.
struct CalendarLook {
  Instant at{}; ///< on the actor system's clock
};

/// Shows CAF the parts of the message.
auto inspect(auto& f, CalendarLook& x) {
  return compat::object(f, x, "backoff_actor::CalendarLook",
                        compat::field("at", x.at.since_origin));
}

// The calendar of a sender: what each entry submits, and what the store is to say of entries and
// runs. `CalendarBook` decides. A sender without entries has none.
class BACKOFF_ACTOR_HIDDEN SenderCalendar {
public:
  // What an entry submits, and as what.
  struct Content {
    caf::message message{};
    std::string key{};
    WallTime submitted_at{};
    std::string unreadable{}; // its context, if that cannot be read
  };

  // An entry of which the store has said nothing.
  struct Unstored {
    detail::KeptEntry entry{};
    std::string context{}; // as it is stored
    Content content{};
    bool is_replacement = false; // its client has sent a `Replace`
    compat::OpenRequest client{};
  };

  // A run of which the store has said nothing.
  struct OpenRun {
    std::string name{};
    WallTime time{};
  };

  // `wall_clock`: empty, if it is that of the system.
  SenderCalendar(ZoneFinder find_zone, std::function<WallTime()> wall_clock, Instant now);

  SenderCalendar(const SenderCalendar&) = delete;
  SenderCalendar& operator=(const SenderCalendar&) = delete;

  bool is_empty() const { return book.size() == 0 && unstored.empty(); }

  // The time by the wall clock. That of the system goes on with `now` in virtual time, too.
  WallTime wall(Instant now) const;

  // The name of the entry that a message means, by its key or its number, also one that is not
  // stored yet; null: none is meant.
  const std::string* find(const std::string& key, std::uint64_t delivery) const;

  // The last one of this name that is not stored yet; null: there is none.
  Unstored* last_unstored(const std::string& name);

  // Adds how many entries there are, and when the next is due.
  void show(SenderGlance& glance, Instant now) const;

  // Has `CalendarLook` sent to the sender when the book says so, and once a minute: somebody may
  // set the clock meanwhile. Not before `pause` is over.
  void set_alarm(caf::actor_system& system, const caf::actor_addr& sender, Instant now,
                 Duration pause = Duration::zero());

  // The alarm has rung.
  void note_alarm() { alarm_at_ = Instant::never(); }

  detail::CalendarBook book;
  std::unordered_map<std::string, Content> contents{};    // by entry
  std::map<std::uint64_t, Unstored> unstored{};           // by delivery
  std::unordered_map<std::uint64_t, OpenRun> open_runs{}; // by delivery

private:
  Duration until(WallTime at, Instant now) const;

  std::function<WallTime()> wall_clock_;
  Duration virtual_lead_; // how far the actor system's clock was ahead of the real one
  caf::actor alarm_{};    // none: it was not needed yet
  Instant alarm_at_ = Instant::never();
};

} // namespace backoff_actor
