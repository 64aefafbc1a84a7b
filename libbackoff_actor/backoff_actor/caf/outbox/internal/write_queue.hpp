#pragma once

// Inside of the durable outbox; not for its users.

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/caf/outbox/durable_outbox.hpp"
#include "backoff_actor/caf/outbox/internal/incoming_desk.hpp"
#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/delivery/internal/owner_lease.hpp"
#include "backoff_actor/delivery/internal/unwritten_changes.hpp"
#include "backoff_actor/sinks/internal/letter_book.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace backoff_actor {

namespace detail {
class OutboxSeat;
class ShardSeat;
} // namespace detail

// A delivery that waits for a sender, as its last one left it.
struct SuspendedDelivery {
  std::uint64_t id = 0;
  std::uint32_t attempts = 0;
  std::uint32_t hand_overs = 0;
  WallTime submitted_at{};
  std::optional<WallTime> deadline{};
  std::string key{};
  std::string idempotency_key{};
  std::string context{};
  caf::message message{};
};

// What a sender finds when it begins to use an outbox, and leaves there when it ends.
struct OutboxContent {
  std::vector<SuspendedDelivery> owed;       // in order of their numbers
  std::vector<AcknowledgedKey> acknowledged; // in order of time
  std::uint64_t last_id = 0;
};

// What the sender has to do after it put changes into the queue.
struct PutOutcome {
  bool wakes_writer = false; // send `WriteNow` to the writer
  bool is_news = false;      // call `take_state`: it has something new
};

// The state of the store, and its notices since the sender asked last.
struct StoreState {
  bool is_behind = false;   // more waits for the store than may
  Cause failure{};          // why commits fail, if it is behind because of that
  bool has_changed = false; // whether one of the above has changed since the last call
  std::vector<std::string> notices{};
};

// Outcome of all unreported insertions up to `last_id`: stored, or failed with `failure`.
struct InsertOutcome {
  std::uint64_t last_id;
  std::optional<Cause> failure;
};

// The state shared by the sender that uses a durable outbox, its writers, and the holders of the
// handle. When one sender takes over from another, there may be two writers for a moment, but only
// one is awake.
//
// There are two locks; no thread holds both at once. The lock of the queue is held only briefly.
// The lock of the store is held while the store works; only writers and calls about dead letters
// wait for it.
class BACKOFF_ACTOR_HIDDEN WriteQueue {
public:
  WriteQueue(std::shared_ptr<DeliveryStore> store, DurableTypes types, DurableOptions options);
  ~WriteQueue();

  const DurableTypes& types() const { return types_; }
  const DurableOptions& options() const { return options_; }
  WallTime wall_time() const;

  // The name of the outbox; of the store, if it has none.
  std::string shown_name() const { return options_.name.empty() ? store_->name() : options_.name; }

  // -- the sender that uses it --------------------------------------------------------

  // Lets `sender` use the outbox, and sends it `StoreNews` from now on. Throws `StoreError`,
  // `in_use`, if another sender uses it; if that sender has already ended, waits for its `detach`
  // first.
  OutboxContent attach(const caf::actor_addr& sender);

  // The sender stops using the outbox, and leaves `rest` for the next one. Returns whether the
  // caller must send `WriteNow` to the writer, so that waiting changes are written at once.
  bool detach(OutboxContent rest);

  std::size_t suspended() const;

  // Appends the changes, which are left empty.
  PutOutcome put(std::vector<StoreChange>& changes);

  // Whether the writer is needed before there are changes: an earlier sender has left some, or the
  // ownership must be renewed. The caller must then send `WriteNow`.
  bool wake_for_the_rest();

  // Under which ownership the store is written; none: no other process can own it.
  const std::optional<StoreOwnership>& ownership() const { return ownership_; }

  // Where messages of other programs come in; null: the store takes none.
  const std::shared_ptr<IncomingDesk>& incoming() const { return incoming_; }

  // The last answer of the server is the sender's to know: until when no other process can own the
  // store, and whether one does.
  struct Sureness {
    Instant until = Instant::never();
    bool is_lost = false;
  };
  Sureness take_sureness();

  std::vector<InsertOutcome> take_outcomes();
  StoreState take_state();

  // The hand-overs whose counts were written since the last call.
  std::vector<change::CountHandOvers> take_counted();

  // -- the writer that is awake ---------------------------------------------------------

  // The writer's next task. After a sleep of `span` it calls `wake`.
  struct Task {
    enum class Kind { rest, sleep, write, renew, tidy_up } kind;
    Duration span{0};           // of the sleep
    std::uint64_t sleep_id = 0; // for `wake`
  };

  Task next_task(Instant now);

  // Tells the server that the owner is alive.
  void renew(Instant now);

  // Commits one batch. `now` is the time of the writer's actor system.
  void write(Instant now);

  // Lets the store do a part of its deferred work.
  void tidy_up();

  // Ends the sleep. Returns false if it was ended before, by a change or by the end of a sender.
  bool wake(std::uint64_t sleep_id);

  // A writer has ended. If it was at work, or if the queue still waits for its sleep, the next
  // change wakes another writer.
  void forget_writer(bool was_at_work, std::uint64_t sleep_id);

  // -- for holders of the handle --------------------------------------------------------

  // How many dead letters the store has. It does not ask the store.
  const std::shared_ptr<const detail::LetterCount>& letter_count() const { return shown_letters_; }

  std::vector<StoredDeadLetter> dead_letters();
  std::vector<StoredDeadLetter> newest_dead_letters(std::uint64_t below, std::size_t at_most);
  std::optional<StoredDeadLetter> dead_letter(std::uint64_t id);
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids);

private:
  enum class Writer { rests, writes, lingers, retries, idles, watches };
  enum class Lag { none, is_slow, fails };

  bool last_sender_has_ended() const;
  bool is_asleep() const {
    return writer_ == Writer::lingers || writer_ == Writer::retries || writer_ == Writer::idles
           || writer_ == Writer::watches;
  }
  void read_content();
  void commit(std::span<const StoreChange> changes);
  StoreFailure failure_of_exceptions() const;
  void set_letters(const DeadLetterTally& tally);
  void count_burials(std::span<const StoreChange> changes);
  void set_apart(std::vector<StoreChange>& changes);
  void succeed(std::span<const StoreChange> changes);
  void fail(std::vector<StoreChange>& changes, const StoreError& error, Instant now, bool is_known);
  bool nothing_waits() const { return waiting() == 0; }
  std::size_t waiting() const { return pending_.size() + unanswered_.size() + apart_.size(); }
  bool look_whether_behind();
  bool note_answer();
  bool doubt();
  void disown();
  void look_at_store();
  void send_news();

  const DurableTypes types_;
  const DurableOptions options_;

  std::mutex store_mutex_;
  const std::shared_ptr<DeliveryStore> store_;
  const std::shared_ptr<detail::LetterCount> letters_; // written with the lock of the store
  const std::shared_ptr<const detail::LetterCount> shown_letters_ = letters_;
  const std::optional<StoreOwnership> ownership_;
  const std::shared_ptr<IncomingDesk> incoming_; // null: the store has no intake

  mutable std::mutex mutex_;
  std::condition_variable is_free_; // nobody is attached
  OutboxContent content_;           // while nobody is attached
  UnwrittenChanges pending_;
  // The changes of a commit that the server did not answer. They are committed again, as they are,
  // before any others.
  std::vector<StoreChange> unanswered_;
  std::deque<StoreChange> apart_; // of a batch that was too large: each gets a commit of its own
  OwnerLease lease_;
  Instant told_sure_until_{Duration::min()}; // what the sender took
  std::vector<InsertOutcome> outcomes_;
  std::vector<change::CountHandOvers> counted_;
  std::vector<std::string> notices_;
  std::optional<Cause> failure_; // of the last commit
  Lag lag_ = Lag::none;
  Lag told_lag_ = Lag::none; // the last value that the sender took
  bool is_news_out_ = false; // the sender was sent `StoreNews`, and has not looked yet
  caf::actor_addr sender_;
  BackOff retry_delay_;
  std::uint64_t last_sleep_ = 0;
  Writer writer_ = Writer::rests;
  bool is_attached_ = false;
  bool has_lingered_ = false; // for the next batch
  bool has_just_failed_ = false;
  bool is_unanswered_ = false;                          // the last call
  bool is_untidy_ = false;                              // the store has deferred work
  bool was_quiet_ = false;                              // the quiet time for that work has passed
  int failures_alone_ = 0;                              // in a row, while no sender is attached
  const std::unique_ptr<detail::OutboxSeat> seat_;      // none: nobody sees the numbers
  const std::unique_ptr<detail::ShardSeat> shard_seat_; // none: that, or no other process wants it
  Duration commit_took_{0};                             // the last; the writer's
  // Some burials may be of deliveries that the store has refused; the writer's.
  bool are_burials_doubtful_ = false;
};

} // namespace backoff_actor
