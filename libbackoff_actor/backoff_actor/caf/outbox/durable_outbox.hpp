#pragma once

// Design notes
//
// A sender with a durable outbox keeps its state in memory, like any sender, and also writes each
// change to the store. The sender's thread only puts the changes into a queue. A separate writer
// actor (outbox_writer.hpp) takes them out in batches, and each batch is one commit:
//
//     sender --changes--> queue --batch--> writer --commit--> store
//        ^                                    |
//        +------ stored up to number n -------+
//
// The changes that come during a commit form the next batch, so batches grow with the load. A
// submission waits for its commit before it is handed over, and before its client gets an answer.
// An acknowledgement waits for nothing: it goes into the next batch. If the process dies before
// that batch is committed, the delivery is redelivered.
//
// A sender that ends leaves its owed deliveries in the memory of the outbox, and the next sender
// takes them from there. So the restart of a sender reads nothing from the store, and does not wait
// for the writer's backlog. The store is read once, when the outbox is made.

#include "backoff_actor/caf/messages/dead_letter_record.hpp"
#include "backoff_actor/caf/outbox/durable_types.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/store_error.hpp"
#include "backoff_actor/sinks/observatory.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace backoff_actor {

class WriteQueue;

/// On which thread a durable outbox writes.
enum class WriterThread : std::uint8_t {
  own,       ///< a thread of its own: a disk that hangs blocks no other actor
  scheduler, ///< the actor system's threads: for tests in virtual time, and stores that never block
};

/// How a durable outbox writes.
struct DurableOptions {
  /// What the outbox is, for people and their metrics. Empty: `outbox`.
  ///
  /// @range 1 to 64 characters of `a-z`, `0-9`, `_`, `.` and `-`, or empty
  std::string name{};

  /// How many changes one commit takes at the most.
  ///
  /// @range 1 to 1,000,000,000
  std::size_t max_batch = 1000;

  /// How long a change waits for others, so that one commit writes them all. The wait ends early
  /// when `max_batch` changes are waiting, or when the sender ends. 0: the change is written at
  /// once, and the changes that come meanwhile form the next batch.
  ///
  /// @range 0 and above
  Duration max_wait{0};

  /// The thread that writes.
  WriterThread thread = WriterThread::own;

  /// Is called with each failure to write, in the writer's thread; it must not block. With or
  /// without this function, submissions that could not be stored are refused. Any other change is
  /// retried until it is written; while no sender uses the outbox, the writer stops after three
  /// failures in a row. A change that is too large for the store is dropped. What the function
  /// captures must live as long as the actor system and every copy of the outbox.
  ///
  /// @errors its exceptions are ignored.
  std::function<void(const StoreError&)> on_error{};

  /// Returns the current time. Empty: the system's clock is used.
  ///
  /// @thread any
  std::function<WallTime()> wall_clock{};

  /// Sees the numbers of the outbox, under its `name`. Unset: nobody does.
  std::optional<Observatory> observed_by{};
};

/// Returns all problems of the options.
BACKOFF_ACTOR_EXPORT Problems check(const DurableOptions& options);

/// An outbox whose owed deliveries are kept in a store, and so outlive the process. It is a handle
/// that can be copied, for `SenderOptions::outbox`. One sender uses it at a time. When that sender
/// has ended, the next one continues with its owed deliveries.
///
/// @thread any
class BACKOFF_ACTOR_EXPORT DurableOutbox {
public:
  /// No durable outbox: the sender keeps its owed deliveries in memory.
  DurableOutbox() = default;

  /// Reads the owed deliveries from the store. The parts of their messages must be of `types`.
  /// Of an `OwnedStore` it also renews the ownership and takes what other programs hand over.
  ///
  /// @errors throws `InvalidArgument` if the options are wrong or there is no store, and
  ///         `StoreError` if the store cannot be read, or holds messages of other types or of
  ///         another version of CAF.
  DurableOutbox(std::shared_ptr<DeliveryStore> store, DurableTypes types,
                DurableOptions options = {});

  /// Whether there is one.
  explicit operator bool() const { return queue_ != nullptr; }

  /// How many owed deliveries wait for the next sender; 0 while a sender uses the outbox.
  std::size_t suspended() const;

  /// Returns the dead letters that were not removed, in order. A message that cannot be read with
  /// these types is empty. Blocks until the store is read.
  ///
  /// @errors throws `StoreError`
  std::vector<DeadLetter> dead_letters() const;

  /// Returns the newest of them whose numbers are below `below`, the highest number first, at most
  /// so many. The store reads no others.
  ///
  /// @errors throws `StoreError`
  std::vector<DeadLetter> newest_dead_letters(std::uint64_t below, std::size_t at_most) const;

  /// Returns the one of this number. Nothing if it was removed, or never was. The store reads no
  /// others.
  ///
  /// @errors throws `StoreError`
  std::optional<DeadLetter> dead_letter(std::uint64_t id) const;

  /// Returns how many dead letters there are that were not removed, and since when. Does not block:
  /// the outbox counts them as it writes. What other programs delete from the store counts until
  /// the next removal.
  DeadLetterTally count_dead_letters() const;

  /// Removes these dead letters from the store, and blocks until that is done. Returns how many
  /// were removed. A letter that the sender reported a moment ago may not be written yet, and is
  /// then not removed and not counted. To resubmit a letter, submit its message first, and remove
  /// the letter when that submission was accepted: by then the letter is written.
  ///
  /// @errors throws `StoreError`
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids) const;

private:
  friend class BackOffSender;

  std::shared_ptr<WriteQueue> queue_;
};

} // namespace backoff_actor
