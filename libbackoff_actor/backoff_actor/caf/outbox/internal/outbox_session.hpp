#pragma once

// Inside of the sender; not for its users.

#include "backoff_actor/caf/calendar/repeat.hpp"
#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/caf/messages/submit.hpp"
#include "backoff_actor/caf/outbox/internal/write_queue.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/engine/sender/sender_effects.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor {

// The sender's side of a durable outbox. It collects the changes of one step, and knows which
// insertions have no outcome yet. All members run in the sender's thread.
class BACKOFF_ACTOR_HIDDEN SenderStore {
public:
  // Takes the outbox over for this sender, whose clock shows `now`. Throws `StoreError` if another
  // sender has it.
  SenderStore(std::shared_ptr<WriteQueue> queue, const caf::actor_addr& sender, Instant now);

  SenderStore(const SenderStore&) = delete;
  SenderStore& operator=(const SenderStore&) = delete;
  // Calls `end`, unless that was done.
  ~SenderStore();

  // Returns what the last sender has left. Call it at most once.
  OutboxContent take_content();

  // Starts the writer.
  void start(caf::actor_system& system);

  // Serializes the message that is being submitted, for `insert`. Throws `NotStorable`.
  void prepare(caf::actor_system& system, const caf::message& message, Instant deadline);

  // Whether the bytes of a message are those that were prepared. Throws `NotStorable`.
  bool is_prepared(caf::actor_system& system, const caf::message& message) const {
    return save(system, message) == prepared_;
  }

  // -- messages of other programs -------------------------------------------------------

  // Whether there may be any.
  bool has_intake() const { return queue_->incoming() != nullptr; }

  // Takes what has come in.
  void take_incoming();

  // The next of it.
  std::optional<IncomingMessage> next_incoming();

  // Returns it from the bytes of its decoder's type. Throws any exception.
  caf::message load(const StoredMessage& stored) const { return queue_->types().load(stored); }

  // Keeps the bytes for `insert`, which then deletes the row, too.
  void prepare(StoredMessage message, Instant deadline, std::uint64_t row);

  // For `insert` of a row that nobody has read.
  void prepare_unread(std::uint64_t row);

  // The message is known already, or was done what it says: its row is to go, and so are older rows
  // with `key`, if it is not empty.
  void drop_incoming(std::uint64_t row, std::string key = {}) {
    changes_.emplace_back(change::DropIncoming{row, std::move(key)});
  }

  // No delivery is made of it now. It comes in again.
  void give_back(std::uint64_t row) { queue_->incoming()->give_back(row); }

  // The same of a row that could not be stored, and of all that wait behind it: they must not be
  // stored before it. Nor must the sender's own messages.
  void give_back_refused(std::uint64_t row);
  // Whether that was called since the last call of this.
  bool take_has_refused_rows() { return std::exchange(has_refused_rows_, false); }

  // It comes first again, once there is room in the outbox.
  void wait_for_room(IncomingMessage message);
  bool waits_for_room() const { return waits_for_room_; }

  // Lets the sender look once more, if anything waits.
  void call_for_incoming();

  // -- messages of the sender's own, which come after those of other programs ----------

  struct Held {
    std::variant<Submit, Cancel, Replace, Repeat> what{};
    compat::OpenRequest client{};
    Instant at{}; // when it came
  };

  // Hands an order over as a row, if a row waits for its time that may be the message which it
  // names. The client hears whether it was. Returns false if the store has no way to write rows.
  bool pass_on(caf::actor_system& system, IncomingMessage order, compat::OpenRequest& client);

  // Returns the bytes of a message. Throws `NotStorable`.
  StoredMessage save(caf::actor_system& system, const caf::message& message) const {
    return queue_->types().save(system, message);
  }

  // What other programs have committed by now comes before the sender's own messages.
  void catch_up();

  // Whether a message that comes now must be held.
  bool is_behind() { return !held_.empty() || is_catching_up(); }

  void hold(Held message) { held_.push_back(std::move(message)); }
  std::size_t held() const { return held_.size(); }

  // The next whose turn has come.
  std::optional<Held> next_held();

  // All of them, whether their turn has come or not.
  std::deque<Held> take_held() { return std::exchange(held_, {}); }

  // -- changes ------------------------------------------------------------------------

  // Stores the prepared message as a delivery.
  void insert(std::uint32_t slot, std::uint64_t id, Instant now, std::string key,
              std::string idempotency_key, std::string context);
  void acknowledge(std::uint64_t id, Instant now);
  // Removes a delivery that was not done: it is cancelled, or was restored, and another one has its
  // key.
  void drop(std::uint64_t id, Instant now);
  void set_context(std::uint64_t id, std::string context, bool is_awaited = false);
  // Gives the delivery the prepared message.
  void set_message(std::uint64_t id, Instant now);
  // Gives older rows with the idempotency key of this row its message. The row is to go.
  void replace_by(std::uint64_t row);
  void count_attempts(std::uint64_t id, std::uint32_t attempts);
  void bury(std::uint64_t id, DeadLetterReason reason, std::uint32_t attempts, std::string cause,
            std::string text, Instant now);
  void forget_keys(Instant before);

  // Writes down a hand-over before the child gets the delivery. Once that is written,
  // `take_hand_overs` returns it.
  void count_hand_over(const effect::HandOver& x);
  // Whether the delivery is to be given to a child once its hand-over is written.
  bool waits_for_count(std::uint64_t id) const;
  // Ends the hand-over of a delivery: no child holds it any more. Does nothing if none was counted.
  void end_hand_over(std::uint64_t id);

  // The delivery, which no child has, has another message: no process has ended over that.
  void forget_hand_overs(std::uint64_t id) { hand_overs_.erase(id); }

  // Gives the changes to the writer. Returns whether `take_behind` has something new.
  bool flush();

  // Keeps the answer of the delivery that was just acknowledged. Empty: it was too large. Throws
  // `NotStorable`.
  void keep_answer(caf::actor_system& system, const std::string& key, const caf::message& answer,
                   std::uint64_t bytes, Instant now);

  // Lets the writer answer the client by the rows. `known` is what the sender knows.
  void find_in_rows(const Ask& what, compat::OpenRequest client, AskAnswer known);

  // -- what the store says --------------------------------------------------------------

  // Takes what the store has said. The following functions return it, each once.
  void look();

  // Until when no other process can own the store, and whether one does.
  std::optional<outbox_effect::TellSure> take_sure() {
    return std::exchange(unread_.sure, std::nullopt);
  }

  // Whether more waits for the store than may.
  std::optional<outbox_effect::TellBehind> take_behind() {
    return std::exchange(unread_.behind, std::nullopt);
  }

  std::vector<std::string> take_notices();

  struct Outcome {
    std::uint32_t slot;
    std::uint64_t id;
    std::shared_ptr<const Cause> failure; // null: it is stored
  };

  // Returns the outcomes of insertions.
  std::vector<Outcome> take_outcomes();

  // Returns the cancelled deliveries of which it is stored what becomes of them.
  std::vector<std::uint64_t> take_cancelled() { return std::exchange(unread_.cancelled, {}); }

  // Returns what became of the messages that `set_message` and `replace_by` were called for, in
  // order. The second have no delivery.
  std::vector<outbox_effect::TellReplaced> take_replaced();

  struct WrittenHandOver {
    effect::HandOver hand_over;
    bool is_over; // the delivery has meanwhile become a dead letter
  };

  // Returns the hand-overs that were written, without those that
  // `end_hand_over` has ended.
  std::vector<WrittenHandOver> take_hand_overs();

  // The last notices of the store.
  const std::vector<std::string>& notices() const { return notices_; }

  // How many dead letters the store has.
  DeadLetterTally dead_letters() const { return queue_->letter_count()->get(); }

  // What the outbox is called, for people.
  std::string outbox_name() const { return queue_->shown_name(); }

  // -- the ownership ------------------------------------------------------------------

  // Under which ownership the store is written; none: no other process can own it.
  const std::optional<StoreOwnership>& ownership() const { return queue_->ownership(); }

  // Whether another process may own the store, by the last `look`.
  bool is_doubtful(Instant now) const { return now >= sure_until_; }

  // -- the end ------------------------------------------------------------------------

  // Leaves an owed delivery for the next sender.
  void suspend(SuspendedDelivery delivery);

  // Leaves an entry of the calendar.
  void suspend_entry(SuspendedDelivery entry);

  // The message of a delivery that is left for the next sender is not stored yet; `before`: the one
  // that is, as far as is known.
  void note_unwritten(std::uint64_t id, caf::message before) {
    content_.unwritten.emplace_back(id, std::move(before));
  }

  // Detaches from the outbox; `acknowledged` are the keys that are remembered.
  void end(std::vector<AcknowledgedKey> acknowledged);

  // -- time ---------------------------------------------------------------------------

  // Looks at the wall clock, at most once for each batch of changes: it may be set meanwhile.
  void note_time(Instant now);

  WallTime wall_now() const;
  // Empty: it is that of the system.
  const std::function<WallTime()>& wall_clock() const { return queue_->options().wall_clock; }
  WallTime wall_time(Instant at) const { return {(at + to_wall_).since_origin.count()}; }
  // Of a key: its age is that of the actor system's clock as long as the sender lives.
  WallTime key_time(Instant at) const { return {(at + to_key_).since_origin.count()}; }
  Instant instant(WallTime at) const { return Instant{Duration{at.since_epoch}} + -to_wall_; }

private:
  bool is_catching_up();

  struct Insertion {
    std::uint32_t slot;
    std::uint64_t id;
  };

  std::shared_ptr<WriteQueue> queue_;
  const caf::actor_addr sender_;
  bool has_refused_rows_ = false;
  caf::actor row_writer_{}; // none: nothing was passed on
  Duration to_wall_;        // by the last look at the wall clock
  Duration to_key_;         // by the first
  OutboxContent content_;
  caf::actor writer_;
  bool was_taken_ = false; // the content
  StoredMessage prepared_;
  Instant deadline_ = Instant::never(); // of the prepared message
  std::uint64_t row_ = 0;               // of the prepared message; 0: none
  bool is_left_in_row_ = false;         // the prepared message
  bool waits_for_room_ = false;         // a message of another program
  bool is_catching_up_ = false;
  std::deque<IncomingMessage> incoming_; // taken, and no delivery yet
  std::deque<Held> held_;
  std::vector<StoreChange> changes_; // of this step
  std::deque<Insertion> unanswered_; // in order of their numbers
  // The counted hand-overs of a delivery. Most deliveries have none.
  struct HandOvers {
    std::uint32_t before = 0;    // the count that the last process has left
    std::uint32_t unwritten = 0; // counts that are not written yet
    std::optional<effect::HandOver> waiting{};
    bool is_over = false; // the delivery has become a dead letter
  };

  std::unordered_map<std::uint64_t, HandOvers> hand_overs_; // by delivery
  StoreReplies unread_;
  std::vector<std::string> notices_;
  std::uint64_t last_id_ = 0;
  Instant sure_until_ = Instant::never();
};

} // namespace backoff_actor
