#pragma once

// Inside of the durable outbox; not for its users.

#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/incoming.hpp"
#include "backoff_actor/engine/outbox/intake_rows.hpp"
#include "backoff_actor/process/internal/checked_lock.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

namespace backoff_actor {

// What the reader of other programs' messages, the sender, and the writer share. `IntakeRows` says
// what becomes of each row; this wakes whoever is to know.
class BACKOFF_ACTOR_HIDDEN IncomingDesk {
public:
  using OpenIntake = std::function<std::unique_ptr<Intake>()>;

  explicit IncomingDesk(OpenIntake open) : open_(std::move(open)) {}

  // -- the sender -----------------------------------------------------------------------

  // Messages come in for this sender from now on. Returns the number of its turn.
  std::uint64_t begin(const caf::actor_addr& sender);

  // Keeps the reader alive until the end.
  void keep(caf::actor reader);

  // All rows that are committed now come before the sender's own messages.
  void catch_up();

  // The same, from the reader's next look on: it is not woken from a delay.
  void catch_up_later();

  // Whether the sender has all of them.
  bool has_caught_up() const;

  // None comes in any more. What is waiting is given back.
  void end();

  // What has come in since the last call. A later `call_sender` sends a message once more.
  std::vector<IncomingMessage> take();

  // No delivery was made of it.
  void give_back(std::uint64_t row);

  // Sends `IncomingNews` to the sender if something waits here, or elsewhere. Does nothing if it
  // was sent and the sender has not looked yet.
  void call_sender(bool waits_elsewhere = false);

  // -- the writer -----------------------------------------------------------------------

  // These changes are committed.
  void settle(std::span<const StoreChange> changes);

  // -- the reader of one turn -----------------------------------------------------------

  // What the reader may do now.
  struct Task {
    bool is_over = false;  // to end
    bool is_early = false; // another reader has not ended yet
    IntakeRows::Look look{};
  };
  Task next_task(std::uint64_t turn);

  // Opens the intake; null: the turn is over.
  std::shared_ptr<Intake> open(std::uint64_t turn);

  // The held rows, between `next_task` and `put`: nobody changes them meanwhile.
  const std::unordered_set<std::uint64_t>& in_hand() const BACKOFF_ACTOR_WITHOUT_LOCK {
    return rows_.in_hand();
  }

  // @param has_caught_up as `Intake::has_caught_up`
  void put(std::uint64_t turn, std::vector<IncomingMessage> messages, bool has_caught_up);

  // The reader has ended, and with it its intake.
  void leave(std::uint64_t turn);

private:
  caf::actor whom_to_tell(bool waits_elsewhere) BACKOFF_ACTOR_REQUIRES(mutex_);

  const OpenIntake open_;
  mutable detail::Mutex mutex_;
  IntakeRows rows_ BACKOFF_ACTOR_GUARDED_BY(mutex_);
  caf::actor_addr sender_ BACKOFF_ACTOR_GUARDED_BY(mutex_);
  caf::actor reader_ BACKOFF_ACTOR_GUARDED_BY(mutex_);
  std::shared_ptr<Intake> intake_ BACKOFF_ACTOR_GUARDED_BY(mutex_); // to interrupt it
  std::uint64_t turn_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = 0;         // of the present sender
  std::uint64_t
    at_work_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = 0; // the turn of the reader that may read; 0: none
  bool is_over_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = true;
  bool is_sender_called_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = false;
};

} // namespace backoff_actor
