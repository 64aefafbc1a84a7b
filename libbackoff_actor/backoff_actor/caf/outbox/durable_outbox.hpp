#pragma once

// Design notes
//
// A sender with a durable outbox decides in memory, as any other, and tells the store what has
// changed. Its thread only puts the changes into a queue; a writer of its own (outbox_writer.hpp)
// takes them out in batches, and each batch is one commit:
//
//     sender --changes--> queue --batch--> writer --commit--> store
//        ^                                    |
//        +------ up to which number ----------+
//
// What comes while a batch is being written makes the next one, so batches grow with the load by
// themselves. A submission waits for its commit before it is handed over and before its client can
// learn of it. An acknowledgement waits for nothing: it goes into the next batch, and a process that
// dies before that has its delivery made once more.
//
// A sender that ends leaves what it owes in the memory of the outbox, from which the next one takes
// it: so the restart of a sender reads nothing, and does not wait for what the writer still has to
// write. The store is read once, when the outbox is made.

#include "backoff_actor/caf/messages/dead_letter_record.hpp"
#include "backoff_actor/caf/outbox/durable_types.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/store_error.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace backoff_actor {

class OutboxQueue;

/// On which thread a durable outbox writes.
enum class WriterThread : std::uint8_t {
  own,       ///< one of its own: a disk that hangs holds up nobody else
  scheduler, ///< those of the actor system: for tests in virtual time, and stores that do not block
};

/// How a durable outbox writes.
struct DurableOptions {
  /// How many changes one commit takes at the most.
  ///
  /// @range 1 and above
  std::size_t max_batch = 1000;

  /// How long a change that came alone waits for others, so that one commit takes them all; it ends
  /// early when there are `max_batch`, or when the sender ends. 0: it goes at once, and those that
  /// come meanwhile go next.
  ///
  /// @range 0 and above
  Duration max_wait{0};

  /// On which thread it writes.
  WriterThread thread = WriterThread::own;

  /// Is called with each failure to write, in the writer's thread; it must not block. Submissions that
  /// could not be stored are refused, whether there is such a function or not; everything else is
  /// tried again until it is written, unless it is too large for the store, and without a sender
  /// three times.
  ///
  /// @errors what it throws is dropped.
  std::function<void(const StoreError&)> on_error{};

  /// Says what time it is; empty: the system's clock does.
  ///
  /// @thread any
  std::function<WallTime()> wall_clock{};
};

/// Returns all that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const DurableOptions& options);

/// What a sender owes, kept in a store beyond the life of the process: a handle that can be copied,
/// for `SenderOptions::outbox`. One sender uses it at a time; when that has ended, the next one goes
/// on with what it owed.
///
/// @thread any
class BACKOFF_ACTOR_EXPORT DurableOutbox {
public:
  /// None: what is owed is kept in memory.
  DurableOutbox() = default;

  /// Reads what is owed in the store, whose messages consist of these types.
  ///
  /// @errors throws `InvalidArgument` if the options are wrong or there is no store, and `StoreError`
  ///         if the store cannot be read, or holds messages of other types or of another version of
  ///         CAF.
  DurableOutbox(std::shared_ptr<DeliveryStore> store, DurableTypes types,
                DurableOptions options = {});

  /// Whether there is one.
  explicit operator bool() const { return queue_ != nullptr; }

  /// How many deliveries wait for the next sender; 0 while one is using it.
  std::size_t suspended() const;

  /// Returns the dead letters that were not taken, in order; their messages are empty where the
  /// types are not known any more. Reads the store, and waits for it.
  ///
  /// @errors throws `StoreError`
  std::vector<DeadLetter> dead_letters() const;

  /// Takes these dead letters out of the store, and waits for it; returns how many there were: one of
  /// which a sender has only just told is written a moment later, and not there before. Whoever
  /// submits one again takes it out when that was accepted, and then it is there.
  ///
  /// @errors throws `StoreError`
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids) const;

private:
  friend class BackOffSender;

  std::shared_ptr<OutboxQueue> queue_;
};

} // namespace backoff_actor
