#pragma once

// Inside of the durable outbox; not for its users.

#include "backoff_actor/caf/outbox/durable_outbox.hpp"
#include "backoff_actor/caf/outbox/internal/incoming_desk.hpp"
#include "backoff_actor/delivery/shared_store.hpp"
#include "backoff_actor/delivery/store_error.hpp"
#include "backoff_actor/engine/outbox/outbox_engine.hpp"
#include "backoff_actor/process/internal/checked_lock.hpp"
#include "backoff_actor/sinks/internal/letter_book.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace backoff_actor {

namespace detail {
class OutboxSeat;
class OwnershipSeat;
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
  // Of deliveries with a payload of which the store has said nothing: the number, and the payload
  // that the store has, as far as is known.
  std::vector<std::pair<std::uint64_t, caf::message>> unwritten{};
};

// The present time, by the clock of the options.
WallTime wall_time(const DurableOptions& options);

// What the sender has to do after it put changes into the queue.
struct PutOutcome {
  bool wakes_writer = false; // send `GoOn` to the writer
  std::optional<outbox_effect::TellBehind> behind{};
};

// Tells the callback of the options. What it throws must not stop an actor.
void report(const DurableOptions& options, const StoreError& error);

// What the sender has not been told yet.
struct StoreReplies {
  std::vector<outbox_effect::TellInsertions> insertions{};
  std::vector<outbox_effect::TellHandOver> hand_overs{};
  std::vector<std::uint64_t> cancelled{}; // as `outbox_effect::TellCancelled`
  std::vector<outbox_effect::TellReplaced> replaced{};
  std::optional<outbox_effect::TellBehind> behind{};
  std::optional<outbox_effect::TellSure> sure{};
  std::vector<std::string> notices{};
};

// The state shared by the sender that uses a durable outbox, its writers, and the holders of the
// handle. When one sender takes over from another, there may be two writers for a moment, but only
// one is awake.
//
// `OutboxEngine` decides; this carries out. There are two locks; no thread holds both at once. The
// lock of the queue is held only briefly. The lock of the store is held while the store works; only
// writers and calls about dead letters wait for it.
class BACKOFF_ACTOR_HIDDEN WriteQueue {
public:
  WriteQueue(std::shared_ptr<DeliveryStore> store, DurableTypes types, DurableOptions options);
  ~WriteQueue();

  const DurableTypes& types() const { return types_; }
  const DurableOptions& options() const { return options_; }
  WallTime wall_time() const { return backoff_actor::wall_time(options_); }

  // The name of the outbox; of the store, if it has none.
  std::string shown_name() const { return options_.name.empty() ? store_->name() : options_.name; }

  // -- the sender that uses it --------------------------------------------------------

  // Lets `sender` use the outbox, and sends it `StoreNews` from now on. Throws `StoreError`,
  // `in_use`, if another sender uses it; if that sender has already ended, waits for its `detach`
  // first.
  OutboxContent attach(const caf::actor_addr& sender, Instant now);

  // The sender stops using the outbox, and leaves `rest` for the next one. Returns whether the
  // caller must send `GoOn` to the writer, so that waiting changes are written at once.
  bool detach(OutboxContent rest);

  std::size_t suspended() const;

  // Appends the changes, which are left empty.
  PutOutcome put(std::vector<StoreChange>& changes);

  // Whether the writer is needed before there are changes: an earlier sender has left some, or the
  // ownership must be renewed. The caller must then send `GoOn`.
  bool wake_for_the_rest();

  // Under which ownership the store is written; none: no other process can own it.
  const std::optional<StoreOwnership>& ownership() const { return ownership_; }

  // Where messages of other programs come in; null: the store takes none.
  const std::shared_ptr<IncomingDesk>& incoming() const { return incoming_; }

  // Where the reader of these messages shows what the calendar of the store says; null: nowhere.
  const std::shared_ptr<detail::OwnershipSeat>& ownership_seat() const { return ownership_seat_; }

  // What the sender has to know since the last call.
  StoreReplies take_replies();

  // -- the writer that is awake ---------------------------------------------------------

  // What the writer has to do after `work`.
  struct Next {
    bool goes_on = false;       // call `work` again, behind what waits in the mailbox
    Duration sleep{0};          // or call `wake` after this time; 0: rest
    std::uint64_t sleep_id = 0; // for `wake`
  };

  // Decides, and then calls the store at most once. `now` is the time of the writer's actor system.
  Next work(Instant now);

  // Ends the sleep. Returns false if it was ended before, by a change or by the end of a sender.
  bool wake(std::uint64_t sleep_id, Instant now);

  // A writer has ended. If it was at work, or if the queue still waits for its sleep, the next
  // change wakes another writer.
  void forget_writer(bool was_at_work, std::uint64_t sleep_id);

  // -- for holders of the handle --------------------------------------------------------

  // How many dead letters the store has. It does not ask the store.
  const std::shared_ptr<const detail::LetterCount>& letter_count() const { return shown_letters_; }

  std::vector<StoredDeadLetter> dead_letters();
  std::vector<StoredDeadLetter> newest_dead_letters(std::uint64_t below, std::size_t at_most);
  std::optional<StoredDeadLetter> dead_letter(std::uint64_t id);
  FoundMessage find_message(const std::string& idempotency_key, std::uint64_t delivery);
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids);

  // Returns a way to write rows for the owner to read, from any thread; null: the store has none.
  std::unique_ptr<IncomingWriter> open_row_writer() const {
    return owned_ ? owned_->open_writer() : nullptr;
  }

private:
  bool last_sender_has_ended() const;
  OutboxContent read_content() const;
  void step(Instant now, OutboxInput&& input) BACKOFF_ACTOR_REQUIRES(mutex_);
  void carry_out(OutboxEffect& effect) BACKOFF_ACTOR_REQUIRES(mutex_);
  struct CallOutcome {
    std::optional<StoreError> failure{};
    std::vector<std::string> notices{};
    bool is_untidy = false; // the store has put off some of its housekeeping
  };
  CallOutcome call(const OutboxEffect& what);
  std::optional<StoreError> attempt(const OutboxEffect& what) BACKOFF_ACTOR_REQUIRES(store_mutex_);
  void look_at_store(CallOutcome& outcome) const BACKOFF_ACTOR_REQUIRES(store_mutex_);
  OutboxInput answer_of(const OutboxEffect& what, const CallOutcome& outcome) const;
  void commit(const outbox_effect::Commit& x) BACKOFF_ACTOR_REQUIRES(store_mutex_);
  void set_letters(const DeadLetterTally& tally) BACKOFF_ACTOR_REQUIRES(store_mutex_);
  void count_burials(const outbox_effect::Commit& x) BACKOFF_ACTOR_REQUIRES(store_mutex_);
  StoreFailure failure_of_exceptions() const;
  void show() BACKOFF_ACTOR_REQUIRES(mutex_);
  caf::actor whom_to_tell() BACKOFF_ACTOR_REQUIRES(mutex_);

  const DurableTypes types_;
  const DurableOptions options_;

  detail::Mutex store_mutex_;
  const std::shared_ptr<DeliveryStore> store_;
  const std::shared_ptr<OwnedStore> owned_; // the same; null: no other process can own it
  const std::shared_ptr<detail::LetterCount> letters_; // written with the lock of the store
  const std::shared_ptr<const detail::LetterCount> shown_letters_ = letters_;
  const std::optional<StoreOwnership> ownership_;
  const std::shared_ptr<IncomingDesk> incoming_; // null: the store has no intake

  mutable detail::Mutex mutex_;
  std::condition_variable is_free_;                        // nobody is attached
  OutboxContent content_ BACKOFF_ACTOR_GUARDED_BY(mutex_); // while nobody is attached
  OutboxEngine engine_ BACKOFF_ACTOR_GUARDED_BY(mutex_);
  OutboxEffects effects_ BACKOFF_ACTOR_GUARDED_BY(mutex_); // of a step
  std::optional<OutboxEffect>
    call_ BACKOFF_ACTOR_GUARDED_BY(mutex_); // of the store, which the writer has not made yet
  StoreReplies replies_ BACKOFF_ACTOR_GUARDED_BY(mutex_);
  Instant now_ BACKOFF_ACTOR_GUARDED_BY(mutex_){};             // of the last step
  bool goes_on_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = false;      // the engine asks for `Go`
  bool is_to_report_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = false; // the failure of the last call
  std::uint64_t last_sleep_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = 0;
  bool is_untidy_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = false; // by the last call of the store
  bool is_news_out_ BACKOFF_ACTOR_GUARDED_BY(mutex_) =
    false; // the sender was sent `StoreNews`, and has not looked yet
  caf::actor_addr sender_ BACKOFF_ACTOR_GUARDED_BY(mutex_);
  bool is_attached_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = false;
  const std::unique_ptr<detail::OutboxSeat> seat_; // none: nobody sees the numbers
  const std::shared_ptr<detail::OwnershipSeat>
    ownership_seat_;        // none: that, or no other process wants it
  Duration commit_took_{0}; // the last; the writer's
};

} // namespace backoff_actor
