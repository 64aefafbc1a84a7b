#pragma once

// Inside of the sender; not for its users.

#include "backoff_actor/caf/outbox/internal/write_queue.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/engine/sender/sender_effects.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace backoff_actor {

// A sender's side of its durable outbox: gathers what changes in a step, and knows which insertions
// are not answered yet. All members run in the sender's thread.
class BACKOFF_ACTOR_HIDDEN SenderStore {
public:
  // Takes the outbox over for this sender, whose clock shows `now`. Throws `StoreError` if another
  // sender has it.
  SenderStore(std::shared_ptr<OutboxQueue> queue, const caf::actor_addr& sender, Instant now);

  SenderStore(const SenderStore&) = delete;
  SenderStore& operator=(const SenderStore&) = delete;
  // Lets go of the outbox, unless that was done.
  ~SenderStore();

  // What the last sender has left; once.
  OutboxContent take_content();

  // Starts the writer.
  void start(caf::actor_system& system);

  // Makes the bytes of the message that is being submitted. Throws `NotStorable`.
  void prepare(caf::actor_system& system, const caf::message& message, Instant deadline);

  // -- changes ------------------------------------------------------------------------

  // The message that was prepared is a delivery.
  void insert(std::uint32_t slot, std::uint64_t id, Instant now, std::string key,
              std::string idempotency_key);
  void acknowledge(std::uint64_t id, Instant now);
  void count_attempts(std::uint64_t id, std::uint32_t attempts);
  void bury(std::uint64_t id, DeadLetterReason reason, std::uint32_t attempts, std::string cause,
            Instant now);
  void forget_keys(Instant before);

  // A child is to be given the delivery: that is written down before. Then `take_hand_overs` has it.
  void count_hand_over(const effect::HandOver& x);
  // No child has the delivery, if one had.
  void end_hand_over(std::uint64_t id);

  // Gives what has changed to the writer. Returns whether there is something new in `take_state`.
  bool flush();

  // -- outcomes -----------------------------------------------------------------------

  struct Outcome {
    std::uint32_t slot;
    std::uint64_t id;
    std::shared_ptr<const Cause> failure; // none: it is stored
  };

  // What has become of insertions since the last call.
  std::vector<Outcome> take_outcomes();

  struct WrittenHandOver {
    effect::HandOver hand_over;
    bool is_over; // the delivery was given up meanwhile
  };

  // The hand-overs that are written down since the last call, and were not taken back.
  std::vector<WrittenHandOver> take_hand_overs();

  // What the store has said since the last call.
  StoreState take_state();

  // The last notices of the store.
  const std::vector<std::string>& notices() const { return notices_; }

  // -- the end ------------------------------------------------------------------------

  // Stays owed, for the next sender. In order of the numbers.
  void suspend(SuspendedDelivery delivery);

  // Lets go of the outbox; `acknowledged` are the keys that are remembered.
  void end(std::vector<AcknowledgedKey> acknowledged);

  // -- time ---------------------------------------------------------------------------

  WallTime wall_time(Instant at) const { return {(at + to_wall_).since_origin.count()}; }
  Instant instant(WallTime at) const { return Instant{Duration{at.since_epoch}} + -to_wall_; }

private:
  struct Insertion {
    std::uint32_t slot;
    std::uint64_t id;
  };

  std::shared_ptr<OutboxQueue> queue_;
  Duration to_wall_;
  OutboxContent content_;
  caf::actor writer_;
  bool was_taken_ = false; // the content
  StoredMessage prepared_;
  Instant deadline_ = Instant::never(); // of what is prepared
  std::vector<StoreChange> changes_;    // of this step
  std::deque<Insertion> unanswered_;    // in order of their numbers
  // What is written of the hand-overs of a delivery, which is mostly nothing.
  struct HandOvers {
    std::uint32_t before = 0;    // as the last process has left it
    std::uint32_t unwritten = 0; // counts that are on their way
    std::optional<effect::HandOver> waiting{};
    bool is_over = false; // the delivery was given up
  };

  std::unordered_map<std::uint64_t, HandOvers> hand_overs_; // by delivery
  std::vector<std::string> notices_;
  std::uint64_t last_id_ = 0;
};

} // namespace backoff_actor
