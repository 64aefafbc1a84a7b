#pragma once

// Design notes
//
//     stands by --look: it is free--> owns --lost--> stands by
//        ^  |
//        |  +--look: another process owns it, or a failure--+
//        +------------------- a pause ----------------------+
//
// While it stands by, a message becomes a row for the owner. The rows are written in batches: what
// comes while one batch is written is the next. If the process owns the outbox before its last rows
// are written, its clients' next messages wait: those rows come before them. The rows of other
// processes do, too; for these the sender waits.

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/incoming.hpp"
#include "backoff_actor/delivery/shared_store.hpp"
#include "backoff_actor/delivery/store_error.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor {

/// One process that wants an outbox that others want, too.
///
/// @errors none but `std::bad_alloc`.
/// @thread one at a time
class BACKOFF_ACTOR_EXPORT Standby {
public:
  /// How much one transaction writes: so many rows, and so many bytes before the last of them.
  static constexpr std::size_t most_rows_at_once = 1000;
  static constexpr std::size_t most_bytes_at_once = std::size_t{16} << 20;

  /// How many bytes the rows before the last one have that are not written.
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;

  /// Stands by, and wants nothing yet.
  ///
  /// @param store its name, for people
  /// @param capacity how many rows may be unwritten
  /// @param may_block whether the driver's calls of the store may block
  Standby(std::string store, std::size_t capacity, bool may_block);

  // -- the ownership --------------------------------------------------------------------

  /// What the driver does next.
  struct Next {
    Duration pause{0};   ///< after this time:
    Duration at_most{0}; ///< call `SharedStore::own` so, and if that is 0 also `owner`
    std::optional<std::string> notice{}; ///< for people
  };

  /// It stands by, from now on or again.
  Next begin();

  /// This process owns the outbox.
  void own() { owns_ = true; }

  /// It does not: another process does, or did last. None: no process ever did, or nobody has
  /// asked.
  Next stay(std::optional<StoreOwner> owner);

  /// The store has failed.
  Next fail(StoreFailure failure, std::string text);

  /// Why a message is refused that only the owner can take.
  std::string who_owns() const;

  // -- the messages ---------------------------------------------------------------------

  /// Where a client's message goes.
  enum class Place {
    row,    ///< to the owner, by `add`; what cannot be a row is refused
    held,   ///< nowhere, until all rows are written
    sender, ///< to the sender of this process
  };

  /// Where the next one goes.
  Place place() const;

  /// Takes a row for the owner. Returns false if there is no room.
  bool add(IncomingMessage row);

  /// Returns the rows that are to be written in one transaction, in order. None: none waits, or a
  /// batch is not settled yet.
  std::vector<IncomingMessage> next_batch();

  /// The batch is written, or was refused. Returns how many rows it had.
  std::size_t settle();

  /// How many rows are not settled.
  std::size_t unsettled() const { return waiting_.size() + in_batch_; }

private:
  std::optional<std::string> notice_of_holder(const std::string& held_by);

  const std::string store_;
  const std::size_t capacity_;
  const bool may_block_;
  bool owns_ = false;
  bool waits_ = false; // the present look; it does not ask who owns the outbox
  BackOff delay_;
  std::optional<StoreOwner> owner_{};
  std::string last_holder_{}; // as `StoreOwner::held_by`, at the last look
  std::string told_holder_{};
  std::deque<IncomingMessage> waiting_{};
  std::size_t in_batch_ = 0;
  std::size_t bytes_ = 0; // of the rows that are not settled
  std::size_t bytes_in_batch_ = 0;
};

} // namespace backoff_actor
