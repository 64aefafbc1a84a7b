#pragma once

// Design notes
//
// A store keeps owed deliveries beyond the life of a process. The sender decides in memory, as it
// does without a store, and tells the store what has changed; the store never decides anything. A
// store has two duties: to commit a batch of changes atomically, durably and in the given order,
// and to list at the next start what is owed.
//
//     owed --Acknowledge--> gone (its idempotency key stays until ForgetKeys)
//       \ ---Bury--> dead letter --remove, resubmit--> gone, owed under a new number
//
// Time is wall-clock time here, and only here: a sender's own time line ends with its process.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/dead_letter.hpp"
#include "backoff_actor/delivery/incoming.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor {

/// A message as bytes.
struct StoredMessage {
  /// The names of its parts' types, in order, separated by `;`: what is needed to read the bytes.
  std::string types{};
  std::vector<std::byte> bytes{}; ///< the parts, in order

  /// Whether types and bytes are the same.
  friend bool operator==(const StoredMessage&, const StoredMessage&) = default;
};

/// What a store knows of a delivery that is owed.
struct StoredDelivery {
  std::uint64_t id = 0;               ///< 1, 2, 3 ... in order of submission; never used twice
  WallTime submitted_at{};            ///< when it was accepted first
  std::optional<WallTime> deadline{}; ///< when the sender gives it up; none: never
  std::uint32_t attempts = 0;         ///< failed attempts
  /// How often the process ended while a child had the delivery, plus one while a child has it now.
  /// Counted only with `RareSenderOptions::max_hand_overs`.
  std::uint32_t hand_overs = 0;
  std::string key{};             ///< deliveries with the same key stay in order; empty: none
  std::string idempotency_key{}; ///< see `Submit::idempotency_key`; empty: none
  std::string context{};   ///< what else goes with it: lines of `name: value`, see `retries_in`
  StoredMessage message{}; ///< what the child gets

  /// Whether all parts are the same.
  friend bool operator==(const StoredDelivery&, const StoredDelivery&) = default;
};

/// What a store knows of a delivery that was given up.
struct StoredDeadLetter {
  StoredDelivery delivery{};                            ///< as it was when it ended
  DeadLetterReason reason = DeadLetterReason::rejected; ///< why nothing more was tried
  std::string cause{};                                  ///< as `DeadLetter::cause`
  WallTime at{};                                        ///< when it ended
  /// The message in words, as far as the program that gave it up has said it; empty: it has not.
  std::string text{};

  /// Whether all parts are the same.
  friend bool operator==(const StoredDeadLetter&, const StoredDeadLetter&) = default;
};

/// How many dead letters there are.
struct DeadLetterTally {
  std::uint64_t count = 0; ///< that were not taken
  WallTime oldest{};       ///< when the first of them was given up, if there is one

  /// Whether both are the same.
  friend bool operator==(const DeadLetterTally&, const DeadLetterTally&) = default;
};

/// A key under which a delivery was submitted and acknowledged.
struct AcknowledgedKey {
  std::string idempotency_key{}; ///< not empty
  WallTime at{}; ///< when it was acknowledged; never before the time of an earlier key

  /// Whether both are the same.
  friend bool operator==(const AcknowledgedKey&, const AcknowledgedKey&) = default;
};

/// What has become of a message.
enum class MessageState : std::uint8_t {
  unknown, ///< there is no such message, or nobody here knows of it any more
  waiting, ///< no child has it
  in_work, ///< a child has it
  owed,    ///< it waits, or a child has it: rows of a store do not say which
  done,    ///< it was acknowledged
  dead,    ///< it was given up, and is a dead letter
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(MessageState state);

/// The answer to a message that was acknowledged, see `RareSenderOptions::largest_kept_answer`.
struct KeptAnswer {
  StoredMessage message{}; ///< empty: the answer was too large
  std::uint64_t bytes = 0; ///< of the answer

  /// Whether both are the same.
  friend bool operator==(const KeptAnswer&, const KeptAnswer&) = default;
};

/// What the rows of a store say of a message.
struct FoundMessage {
  MessageState state = MessageState::unknown; ///< never `in_work`

  /// Its number, see `Accepted::id`; 0: it has none yet, or it is done.
  std::uint64_t delivery = 0;

  WallTime since{};                     ///< when it was submitted, acknowledged or given up
  std::uint32_t attempts = 0;           ///< failed attempts
  std::optional<WallTime> not_before{}; ///< when its time comes, if it has one and is not done
  std::string note{};                   ///< the last one of its child, see `Working::note`
  std::string why{};                    ///< why it is dead: the reason, and the cause
  std::optional<KeptAnswer> answer{};   ///< of what is done; none: none was kept

  /// Whether all parts are the same.
  friend bool operator==(const FoundMessage&, const FoundMessage&) = default;
};

namespace detail {

// What the row of an owed delivery says to whoever asks for its message, and that of a dead letter.
BACKOFF_ACTOR_EXPORT FoundMessage found_owed(const StoredDelivery& x);
BACKOFF_ACTOR_EXPORT FoundMessage found_dead(const StoredDeadLetter& x);

} // namespace detail

/// What changes in a store. A change that names a delivery which is not owed changes nothing.
namespace change {

/// This delivery is owed from now on.
struct Insert {
  StoredDelivery delivery; ///< its number is higher than all before it
  /// The row that it was made of, see `IncomingMessage::row`. The store deletes that row; 0: none.
  std::uint64_t incoming = 0;
  /// Keys, context and message are those of the row, which nobody has read.
  bool is_left_in_row = false;
};

/// No delivery is made of this row, and the store deletes it: its message is known already, or the
/// row is none.
struct DropIncoming {
  std::uint64_t incoming; ///< as `Insert::incoming`
  /// Older rows with this key go, too, whether they were read or not; empty: none. It is the
  /// idempotency key of rows that were cancelled.
  std::string cancelled_key{};
};

/// A delivery was acknowledged, and is owed no longer. Its idempotency key, if it has one, is kept.
struct Acknowledge {
  std::uint64_t delivery; ///< its number
  WallTime at;            ///< when
  /// It is owed no longer, but was not done: it was cancelled, or has joined another delivery that
  /// is owed and has its key. Then the key is not kept.
  bool is_dropped = false;
};

/// A delivery has failed once more.
struct CountAttempts {
  std::uint64_t delivery; ///< its number
  std::uint32_t attempts; ///< failed attempts in all
};

/// A child has the delivery, or has it no longer.
struct CountHandOvers {
  std::uint64_t delivery;   ///< its number
  std::uint32_t hand_overs; ///< as `StoredDelivery::hand_overs`
};

/// The context of a delivery is another one.
struct SetContext {
  std::uint64_t delivery;  ///< its number
  std::string context;     ///< as `StoredDelivery::context`
  bool is_awaited = false; ///< its sender is to be told once it is stored
};

/// The message of a delivery is another one, which has not failed: its failed attempts and its
/// hand-overs are 0.
struct SetMessage {
  std::uint64_t delivery; ///< its number; 0: of none, as no delivery has that number
  StoredMessage message;  ///< what the child gets
  /// The row that says so, see `IncomingMessage::row`. The store deletes that row, and older rows
  /// with its idempotency key get its message, too. 0: none.
  std::uint64_t incoming = 0;
  /// Which sender is told of it, by the engine of the outbox. A store does not heed it.
  std::uint64_t sender = 0;
};

/// A delivery was given up: it is owed no longer, and is a dead letter until it is taken.
struct Bury {
  std::uint64_t delivery;  ///< its number
  DeadLetterReason reason; ///< why
  std::uint32_t attempts;  ///< failed attempts
  std::string cause;       ///< as `DeadLetter::cause`
  WallTime at;             ///< when
  std::string text{};      ///< as `StoredDeadLetter::text`
};

/// The delivery that is acknowledged next has this answer. It is kept as long as the key, in place
/// of an earlier one.
struct KeepAnswer {
  std::string idempotency_key; ///< of the delivery; not empty
  KeptAnswer answer;           ///< what is kept
  WallTime at;                 ///< as `Acknowledge::at`
};

/// The store may forget all keys that were acknowledged before this instant, with their answers; it
/// no longer lists them.
struct ForgetKeys {
  WallTime before; ///< keys of exactly this instant stay
};

} // namespace change

/// Any of the changes.
using StoreChange =
  std::variant<change::Insert, change::Acknowledge, change::CountAttempts, change::CountHandOvers,
               change::Bury, change::ForgetKeys, change::DropIncoming, change::SetContext,
               change::SetMessage, change::KeepAnswer>;

/// The times of the acknowledged keys of a store, in nanoseconds since 1970. They never go back, so
/// that the keys that are forgotten are those at one end. If a wall clock was ahead, and was set
/// back since, all keys would stay until it has caught up: so the later times are given up. For a
/// `DeliveryStore`, also of your own:
///
///     if (clock.is_ahead_of(changes)) { // of a commit
///       const auto at = *KeyClock::newest(changes);
///       clock.set_back(at);
///       // each key that is later than `at` gets the time `at`
///     }
///     // then, for each acknowledgement of a delivery with a key: its time is clock.next(x.at)
///
/// @thread one at a time
struct KeyClock {
  /// Before all times.
  static constexpr auto never = std::numeric_limits<std::int64_t>::min();

  std::int64_t since = never; ///< older keys are forgotten, even if their rows are still there
  std::int64_t last = never;  ///< the time of the newest key

  /// Whether keys are later than what is acknowledged now. A second is no step of a clock, because
  /// threads read it at different moments.
  bool is_ahead_of(std::span<const StoreChange> changes) const {
    constexpr std::int64_t tolerance = 1'000'000'000;
    const auto key = std::max(since, last);
    if (key < never + tolerance)
      return false; // there has been none
    const auto now = newest(changes);
    return now && *now < key - tolerance;
  }

  /// When the last of the changes' deliveries was acknowledged; nothing if none was.
  static std::optional<std::int64_t> newest(std::span<const StoreChange> changes) {
    std::optional<std::int64_t> result;
    for (const auto& one : changes)
      if (const auto* const x = std::get_if<change::Acknowledge>(&one))
        result = std::max(result.value_or(x->at.since_epoch), x->at.since_epoch);
    return result;
  }

  /// Nothing is later than `at` any more. The store gives all later keys this time.
  void set_back(std::int64_t at) {
    since = std::min(since, at);
    last = std::min(last, at);
  }

  /// Keys before this time are forgotten.
  void forget(std::int64_t before) { since = std::max(since, before); }

  /// Returns the time of a key that is acknowledged at `at`.
  std::int64_t next(std::int64_t at) { return last = std::max({last, since, at}); }

  /// Whether both are the same.
  friend bool operator==(const KeyClock&, const KeyClock&) = default;
};

/// Keeps owed deliveries beyond the life of a process.
///
/// @errors every member may throw `StoreError`.
/// @thread one at a time, but not always the same thread.
class BACKOFF_ACTOR_EXPORT DeliveryStore {
public:
  /// A store is made by its own kind's function.
  DeliveryStore() = default;
  DeliveryStore(const DeliveryStore&) = delete;
  DeliveryStore& operator=(const DeliveryStore&) = delete;
  /// Closes it. All that was committed stays.
  virtual ~DeliveryStore() = default;

  /// Where it is, for people: the file's name.
  virtual std::string name() const = 0;

  /// Makes the changes, in order, all or none. They are durable when it returns.
  ///
  /// @errors throws `StoreError`. Then this store shows no change, and the caller may try again.
  ///         But after a failure of the disk itself (`input_output`), a process that opens the
  ///         store after a crash may find the changes made. After `unreachable`, nobody knows
  ///         whether they are made: the next commit must have the same changes, and the store makes
  ///         them once. If that fails too, they are not made only if it is `full` or `too_large`.
  ///         After `disowned`, the store fails for ever.
  virtual void commit(std::span<const StoreChange> changes) = 0;

  /// Calls `visit` with each delivery that is owed, in order of their numbers. If another process
  /// writes meanwhile: with those that are owed all the time, and with some others. However long
  /// `visit` takes, it holds up nobody.
  virtual void for_each_owed(const std::function<void(StoredDelivery)>& visit) = 0;

  /// Calls `visit` with each key that was acknowledged and is not forgotten, in order of time. A
  /// key that was acknowledged again may be visited again; the last visit counts.
  virtual void for_each_acknowledged_key(const std::function<void(AcknowledgedKey)>& visit) = 0;

  /// Calls `visit` with each dead letter that was not taken, in order of their numbers.
  virtual void for_each_dead_letter(const std::function<void(StoredDeadLetter)>& visit) = 0;

  /// Calls `visit` with the newest dead letters whose numbers are below `below`, the highest number
  /// first, at most so many. A store may know a quicker way than to visit all.
  virtual void for_each_newest_dead_letter(std::uint64_t below, std::size_t at_most,
                                           const std::function<void(StoredDeadLetter)>& visit) {
    std::deque<StoredDeadLetter> newest;
    for_each_dead_letter([&](StoredDeadLetter x) {
      if (x.delivery.id >= below)
        return;
      newest.push_front(std::move(x));
      if (newest.size() > at_most)
        newest.pop_back();
    });
    for (auto& x : newest)
      visit(std::move(x));
  }

  /// Returns the dead letter of this number; nothing if it was taken, or never was.
  std::optional<StoredDeadLetter> dead_letter(std::uint64_t id) {
    std::optional<StoredDeadLetter> result;
    if (id != std::numeric_limits<std::uint64_t>::max())
      for_each_newest_dead_letter(id + 1, 1, [&](StoredDeadLetter x) {
        if (x.delivery.id == id)
          result = std::move(x);
      });
    return result;
  }

  /// Counts the dead letters that were not taken. A store may know a quicker way than to visit all.
  virtual DeadLetterTally count_dead_letters() {
    DeadLetterTally result;
    for_each_dead_letter([&result](const StoredDeadLetter& x) {
      if (result.count++ == 0 || x.at < result.oldest)
        result.oldest = x.at;
    });
    return result;
  }

  /// Returns what the rows say of the message with this idempotency key or, if that is empty, with
  /// this number: of an owed delivery first, then of what is done, then of the newest dead letter.
  /// The number of a delivery that is done is not kept. A store may know a quicker way than to
  /// visit all. A store that keeps answers has one of its own, which returns them, too.
  virtual FoundMessage find_message(const std::string& idempotency_key, std::uint64_t delivery);

  /// The highest number that a delivery ever had; 0 if none was ever stored.
  virtual std::uint64_t last_id() = 0;

  /// The format of the messages' bytes, as `set_message_format` set it; empty in a new store.
  virtual std::string message_format() = 0;

  /// Sets the format of the messages' bytes, for good.
  ///
  /// @range only in a store that has no format yet; otherwise throws `std::logic_error`
  virtual void set_message_format(const std::string& format) = 0;

  /// Removes these dead letters from the store; returns how many of them it had.
  virtual std::size_t remove_dead_letters(std::span<const std::uint64_t> ids) = 0;

  /// Makes these dead letters owed again, under new numbers, in the order given, without a deadline
  /// and with no attempt charged; returns how many of them it had. A store with an intake puts what
  /// is `unreadable` back among the incoming messages. Do not call it while an outbox
  /// uses the store: the outbox assigns numbers too, and has already read what is owed.
  virtual std::size_t resubmit_dead_letters(std::span<const std::uint64_t> ids) = 0;

  /// Returns the store's notices for people, each notice once. Failures of a call are thrown
  /// instead.
  virtual std::vector<std::string> take_notices() { return {}; }

  /// Whether `tidy_up` has work to do.
  virtual bool is_untidy() const { return false; }

  /// Does a part of the housekeeping. The owner calls it when nothing has been committed for a
  /// while.
  virtual void tidy_up() {}
};

} // namespace backoff_actor
