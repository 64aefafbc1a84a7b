#pragma once

// Inside of the durable outbox; not for its users.

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/caf/outbox/durable_outbox.hpp"
#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/delivery/internal/pending_changes.hpp"

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace backoff_actor {

// A delivery that waits for a sender, as its last one left it.
struct SuspendedDelivery {
  std::uint64_t id = 0;
  std::uint32_t attempts = 0;
  std::uint32_t hand_overs = 0;
  WallTime submitted_at{};
  std::optional<WallTime> deadline{};
  std::string key{};
  std::string idempotency_key{};
  caf::message message{};
};

// What a sender finds when it begins to use an outbox, and leaves there when it ends.
struct OutboxContent {
  std::vector<SuspendedDelivery> owed;       // in order of their numbers
  std::vector<AcknowledgedKey> acknowledged; // in order of time
  std::uint64_t last_id = 0;
};

// What a sender's step has to do after it gave changes to the queue.
struct PutOutcome {
  bool wakes_writer = false; // it is to be sent `WriteNow`
  bool is_news = false;      // there is something new in `take_state`
};

// What the store has said since the sender asked last.
struct StoreState {
  std::optional<Cause> is_behind{}; // more than a batch waits for a store that fails, of this
  bool has_changed = false;         // that, since the last time
  std::vector<std::string> notices{};
};

// All insertions up to this number, of those not told of before, are stored, or could not be.
struct InsertOutcome {
  std::uint64_t last_id;
  std::optional<Cause> failure;
};

// What is shared by the sender that uses a durable outbox, its writers, and whoever holds the handle.
// There may be two writers for a moment, when a sender took over from another; only one is awake.
//
// Two locks, of which none is taken while the other is held: that of the queue is held for moments;
// that of the store while it works, which only writers and those who ask for dead letters wait for.
class BACKOFF_ACTOR_HIDDEN OutboxQueue {
public:
  OutboxQueue(std::shared_ptr<DeliveryStore> store, DurableTypes types, DurableOptions options);

  const DurableTypes& types() const { return types_; }
  const DurableOptions& options() const { return options_; }
  WallTime wall_time() const;

  // -- the sender that uses it --------------------------------------------------------

  // Throws `StoreError`, `in_use`, if another sender does; one that has ended already is waited for.
  // The news that there are outcomes goes to this one from now on.
  OutboxContent attach(const caf::actor_addr& sender);

  // The sender is done with it, and leaves this. Returns whether the writer is to be sent `WriteNow`:
  // what waits waits no longer.
  bool detach(OutboxContent rest);

  std::size_t suspended() const;

  // Appends the changes, which are left empty.
  PutOutcome put(std::vector<StoreChange>& changes);

  // Whether something that an earlier sender has left is to be written, by a writer to be woken now.
  bool wake_for_the_rest();

  std::vector<InsertOutcome> take_outcomes();
  StoreState take_state();

  // The hand-overs whose counts were written since the last call.
  std::vector<change::CountHandOvers> take_counted();

  // -- the writer that is awake ---------------------------------------------------------

  // What it is to do next. The times are to be slept until `wake`.
  struct Task {
    enum class Kind { rest, sleep, write, tidy_up } kind;
    Duration span{0};           // of the sleep
    std::uint64_t sleep_id = 0; // for `wake`
  };

  Task next_task();

  // Commits one batch.
  void write();

  // Lets the store do a part of what can wait.
  void tidy_up();

  // Whether the sleep ends now; false if somebody else has ended it.
  bool wake(std::uint64_t sleep_id);

  // A writer is gone, which was at work or not. If it was the one that is awake, or this was its
  // sleep, another is to be woken for what waits.
  void forget_writer(bool was_at_work, std::uint64_t sleep_id);

  // -- whoever holds the handle ---------------------------------------------------------

  std::vector<StoredDeadLetter> dead_letters();
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids);

private:
  enum class Writer { rests, writes, lingers, retries, idles };

  bool last_sender_has_ended() const;
  bool is_asleep() const {
    return writer_ == Writer::lingers || writer_ == Writer::retries || writer_ == Writer::idles;
  }
  void read_content();
  void commit(std::span<const StoreChange> changes);
  void commit_one_by_one(std::vector<StoreChange>& changes);
  void succeed(std::span<const StoreChange> changes);
  void fail(std::vector<StoreChange>& changes, const StoreError& error);
  bool look_whether_behind();
  void look_at_store();
  void send_news();

  const DurableTypes types_;
  const DurableOptions options_;

  std::mutex store_mutex_;
  const std::shared_ptr<DeliveryStore> store_;

  mutable std::mutex mutex_;
  std::condition_variable is_free_; // nobody is attached
  OutboxContent content_;           // while nobody is attached
  PendingChanges pending_;
  std::vector<InsertOutcome> outcomes_;
  std::vector<change::CountHandOvers> counted_;
  std::vector<std::string> notices_;
  std::optional<Cause> failure_; // of the last commit
  bool is_behind_ = false;
  bool was_behind_ = false;  // as the sender was told
  bool is_news_out_ = false; // the sender is told to look, and has not yet
  caf::actor_addr sender_;
  BackOff retry_delay_;
  std::uint64_t last_sleep_ = 0;
  Writer writer_ = Writer::rests;
  bool is_attached_ = false;
  bool has_lingered_ = false; // for the batch to come
  bool has_just_failed_ = false;
  bool is_untidy_ = false; // the store would do something in a quiet moment,
  bool was_quiet_ = false; // and this is one
  int failures_alone_ = 0; // in a row, since there is no sender
};

} // namespace backoff_actor
