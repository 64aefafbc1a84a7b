#pragma once

// Design notes
//
// Other programs hand messages over by writing rows to a table of a shared store, in transactions
// of their own. The owner of the store makes deliveries of them:
//
//     row --take--> given to the sender --Insert, committed--> a delivery; the row is gone
//      ^                  |
//      +---- given back --+
//
// A commit inserts the delivery and deletes the row, both or neither. So a row is neither lost nor
// delivered twice, whatever dies when. Only the memory knows what was given and is not committed.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace backoff_actor {

/// A message that another program has handed over.
struct IncomingMessage {
  std::uint64_t row = 0;         ///< the number of its row, above 0; never used twice
  std::string key{};             ///< as `Submit::key`
  std::string idempotency_key{}; ///< as `Submit::idempotency_key`
  std::string type{};            ///< which decoder reads the payload

  /// The message, as the decoder of its type reads it.
  std::vector<std::byte> payload{};

  /// How long it may still wait, when it was taken, by the server's clock. 0 or less: its deadline
  /// has passed. None: it names no deadline.
  std::optional<Duration> time_to_live{};

  std::string context{}; ///< as `StoredDelivery::context`

  /// How many bytes its parts have, if they are more than may be read. Then all parts are empty:
  /// they stay in the row. 0: it was read.
  std::uint64_t bytes_left = 0;

  /// How many bytes its parts have that were read.
  std::size_t size() const {
    return key.size() + idempotency_key.size() + type.size() + payload.size() + context.size();
  }

  /// Whether all parts are the same.
  friend bool operator==(const IncomingMessage&, const IncomingMessage&) = default;
};

/// Returns a row that is no message, but cancels those with this idempotency key that were handed
/// over before it, see `Cancel`.
///
/// @param wants_letter whether they become dead letters
BACKOFF_ACTOR_EXPORT IncomingMessage row_that_cancels(std::string idempotency_key,
                                                      bool wants_letter);

/// Returns a row that is no message of its own, but replaces the payload of the one with this
/// idempotency key that was handed over before it and waits, see `Replace`.
///
/// @param payload as the decoder of `type` reads it
BACKOFF_ACTOR_EXPORT IncomingMessage row_that_replaces(std::string idempotency_key,
                                                       std::string type,
                                                       std::vector<std::byte> payload);

/// What the calendar of a store says, see `PostgresCalendar`.
struct CalendarOutlook {
  /// How long until the next entry is due; below 0: it is overdue. None: no entry will be due.
  std::optional<Duration> next_in{};

  std::uint64_t problems = 0; ///< entries that cannot run

  /// Whether both are the same.
  friend bool operator==(const CalendarOutlook&, const CalendarOutlook&) = default;
};

/// Reads what other programs have handed over.
///
/// @errors `take` and `wait` may throw `StoreError`. The next call connects again.
/// @thread one at a time; `interrupt` at any time from any thread.
class Intake {
public:
  /// An intake is made by its store.
  Intake() = default;
  Intake(const Intake&) = delete;
  Intake& operator=(const Intake&) = delete;
  /// Rows that were taken stay where they are.
  virtual ~Intake() = default;

  /// Returns messages that may be delivered now, in order of their rows. Messages that were to wait
  /// until a certain time come last.
  ///
  /// @param at_most how many; fewer if they are large
  /// @param held the rows that were taken before, and are neither committed nor given back
  virtual std::vector<IncomingMessage> take(std::size_t at_most,
                                            const std::unordered_set<std::uint64_t>& held) = 0;

  /// Lets `has_caught_up` be false until `take` has returned what is committed now. An intake
  /// begins so.
  virtual void catch_up() = 0;

  /// Whether `take` has returned all that was committed before the last `catch_up`, but for rows
  /// that are held, and those that were to wait until a certain time.
  virtual bool has_caught_up() const = 0;

  /// These rows are no longer held. A later `take` returns them again.
  virtual void give_back(std::span<const std::uint64_t> rows) = 0;

  /// Waits until there may be something to take. It may return early.
  ///
  /// @param at_most how long to wait
  virtual void wait(Duration at_most) = 0;

  /// What the calendar of the store says, as the last `take` has found it, and the time since then.
  /// None: the owner runs no calendar. Throws nothing.
  virtual std::optional<CalendarOutlook> calendar() const { return std::nullopt; }

  /// Ends a call of `wait` or `take` soon, and every later one at once. Throws nothing.
  virtual void interrupt() = 0;
};

/// Hands messages over to the owner of a shared store, as other programs do.
///
/// @errors `write` may throw `StoreError`. The next call connects again.
/// @thread one at a time, but not always the same thread
class IncomingWriter {
public:
  /// A writer is made by its store.
  IncomingWriter() = default;
  IncomingWriter(const IncomingWriter&) = delete;
  IncomingWriter& operator=(const IncomingWriter&) = delete;
  /// Rows that were written stay where they are.
  virtual ~IncomingWriter() = default;

  /// Writes one row for each message, in this order, in one transaction. Returns when it is
  /// committed. After `StoreFailure::unreachable` it may be committed, too.
  ///
  /// @param messages their `row` does not count; their `time_to_live` does from now on
  /// @param format of the payloads, as `DeliveryStore::message_format`
  /// @errors `incompatible`: the store has messages of another format
  virtual void write(std::span<const IncomingMessage> messages, const std::string& format) = 0;

  /// Writes a row that cancels or replaces, if a row with its idempotency key is there that it can
  /// mean. Returns whether it has. Throws as `write` does.
  virtual bool write_order(const IncomingMessage& order, const std::string& format) {
    write({&order, 1}, format);
    return true;
  }
};

} // namespace backoff_actor
