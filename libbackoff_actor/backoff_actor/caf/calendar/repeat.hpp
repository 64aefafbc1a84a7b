#pragma once

#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/calendar/calendar_entry.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/message.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace backoff_actor {

/// Tells a sender to submit a message again and again: an entry of its calendar.
///
///     Repeat{.name = "report", .schedule = "at(02:30, Europe/Berlin)",
///            .message = caf::make_message(Report{})}
///
/// At each time of the schedule the sender submits the message as its own, with the idempotency key
/// `run_key(name, time)`. A program may send its entries at each start: one that is the same stays
/// as it is. A new entry is due from now on, and so is one that gets another schedule. With a
/// durable outbox an entry lives on beyond the process: it is kept as a message that waits, with
/// the idempotency key `entry_key(name)`. Without one it ends with its sender.
///
/// `Cancel` with that key removes the entry, `Replace` gives it another message, and `Ask` says
/// when it is due. An entry is not owed: no drain waits for it, it takes no room from messages, and
/// it does not keep its sender alive.
///
/// Answered with `RepeatAnswer`. With a durable outbox the answer comes once the entry is stored.
///
/// @errors a request with fields that cannot be is answered with `caf::sec::invalid_argument`,
///         which names all of them. If the sender has as many entries as
///         `SenderOptions::capacity`, or as many orders wait for rows of other programs:
///         `SenderError::outbox_full`. While it drains or ends: `draining`. If the message cannot
///         be stored: `not_storable` or `not_stored`. A process that stands by: `not_owner`. With
///         any error the calendar is as it was.
struct Repeat {
  /// Which entry.
  ///
  /// @range as `CalendarEntry::name`
  std::string name{};

  /// When it is due, as `parse_schedule` reads it: `at(02:30, Europe/Berlin)`. A zone other than
  /// UTC needs `RareSenderOptions::find_zone`.
  std::string schedule{};

  caf::message message{}; ///< what the child gets at each time, as `Submit::message`

  /// What becomes of times that have passed while no sender ran.
  Missed missed = Missed::run_once;

  /// As `CalendarEntry::grace`.
  ///
  /// @range 1s and above
  Duration grace = std::chrono::minutes{1};

  std::string key{}; ///< as `Submit::key`, of each run

  /// How long each run may wait for its acknowledgement, as `Submit::time_to_live`.
  ///
  /// @range 1ns and above
  Duration time_to_live = Duration::max();

  /// Whether times pass without a run. They do not count as missed.
  bool is_paused = false;
};

/// Returns all that is wrong with it, whatever its schedule is.
BACKOFF_ACTOR_EXPORT Problems check(const Repeat& repeat);

/// A sender's answer to `Repeat`.
struct RepeatAnswer {
  CalendarChange change = CalendarChange::added; ///< what has become of the entry

  /// When it is due next, by the wall clock; 0: it is paused, or never due again.
  WallTime next{};
};

/// Shows CAF the parts of each message, in their order on the network.
/// @{
auto inspect(auto& f, Repeat& x) {
  return compat::object(f, x, "backoff_actor::Repeat", compat::field("name", x.name),
                        compat::field("schedule", x.schedule), compat::field("message", x.message),
                        compat::enum_field("missed", x.missed), compat::field("grace", x.grace),
                        compat::field("key", x.key), compat::field("time_to_live", x.time_to_live),
                        compat::field("is_paused", x.is_paused));
}
auto inspect(auto& f, RepeatAnswer& x) {
  return compat::object(f, x, "backoff_actor::RepeatAnswer", compat::enum_field("change", x.change),
                        compat::field("next", x.next.since_epoch));
}
/// @}

} // namespace backoff_actor
