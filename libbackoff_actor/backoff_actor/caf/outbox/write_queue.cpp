#include "backoff_actor/caf/outbox/internal/write_queue.hpp"

#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace backoff_actor {

namespace {

// The delay between two attempts to write.
const Policy retry_policy =
  Exponential{.first = std::chrono::milliseconds{100}, .cap = std::chrono::seconds{10}};

// How long the next sender waits for the `detach` of the last one, which has ended.
constexpr std::chrono::seconds longest_end{5};

// So many dead letters are counted quickly. When some of more are removed, the others are not
// counted again: the time of the oldest may then be that of one that is gone.
constexpr std::uint64_t quickly_counted = 1000;

std::string list(const std::vector<std::string>& names) {
  std::string result;
  for (const auto& name : names)
    result.append(result.empty() ? "" : ", ").append(name);
  return result;
}

// Returns a place among those whose numbers are seen; null: nobody sees these.
std::unique_ptr<detail::OutboxSeat> seat_of(const DurableOptions& options) {
  if (!options.observed_by)
    return nullptr;
  return std::make_unique<detail::OutboxSeat>(
    options.observed_by->state()->outboxes(options.name.empty() ? "outbox" : options.name));
}

std::shared_ptr<IncomingDesk> desk_of(const std::shared_ptr<DeliveryStore>& store) {
  if (!store->open_intake())
    return nullptr;
  return std::make_shared<IncomingDesk>([store] { return store->open_intake(); });
}

// The same for the ownership of the store.
std::unique_ptr<detail::ShardSeat> shard_seat_of(const DurableOptions& options,
                                                 const std::optional<StoreOwnership>& ownership) {
  if (!options.observed_by || !ownership)
    return nullptr;
  auto result = std::make_unique<detail::ShardSeat>(
    options.observed_by->state()->shards(options.name.empty() ? "outbox" : options.name));
  result->own(ownership->epoch);
  return result;
}

} // namespace

// -- reading ------------------------------------------------------------------------

WriteQueue::WriteQueue(std::shared_ptr<DeliveryStore> store, DurableTypes types,
                       DurableOptions options)
  : types_(std::move(types)), options_(std::move(options)), store_(std::move(store)),
    letters_(std::make_shared<detail::LetterCount>()), ownership_(store_->ownership()),
    incoming_(desk_of(store_)), pending_(options_.max_batch),
    lease_(ownership_ ? OwnerLease{ownership_->lease} : OwnerLease{}),
    retry_delay_(retry_policy, 0, 0), seat_(seat_of(options_)),
    shard_seat_(shard_seat_of(options_, ownership_)) {
  const auto format = compat::binary_format();
  const auto found = store_->message_format();
  if (found.empty())
    store_->set_message_format(format);
  else if (found != format)
    throw StoreError(
      StoreFailure::incompatible,
      store_->name() + ": its messages were written by " + found + ", and this program uses "
        + format + ", which cannot read them; let the old program deliver what is still owed");
  read_content();
  set_letters(store_->count_dead_letters());
  look_at_store();
}

void WriteQueue::read_content() {
  std::vector<std::string> unknown;
  std::string unreadable;
  store_->for_each_owed([&](StoredDelivery x) {
    if (!types_.knows(x.message, unknown))
      return;
    try {
      content_.owed.push_back({x.id, x.attempts, x.hand_overs, x.submitted_at, x.deadline,
                               std::move(x.key), std::move(x.idempotency_key), std::move(x.context),
                               types_.load(x.message)});
    } catch (const std::exception& exception) {
      if (unreadable.empty())
        unreadable = "delivery " + std::to_string(x.id) + ", " + exception.what();
    }
  });
  if (!unknown.empty())
    throw StoreError(StoreFailure::incompatible,
                     store_->name() + ": it holds messages of the types " + list(unknown)
                       + ", which this program does not list as durable types; add them to "
                         "durable<...>()");
  if (!unreadable.empty())
    throw StoreError(
      StoreFailure::incompatible,
      store_->name() + ": a message cannot be read: " + unreadable
        + "; if the type has changed, let the old program deliver what is still owed");
  store_->for_each_acknowledged_key(
    [&](AcknowledgedKey x) { content_.acknowledged.push_back(std::move(x)); });
  content_.last_id = store_->last_id();
}

WriteQueue::~WriteQueue() = default;

WallTime WriteQueue::wall_time() const {
  if (options_.wall_clock)
    return options_.wall_clock();
  using std::chrono::system_clock;
  const auto since_epoch = system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count()};
}

// -- the sender ---------------------------------------------------------------------

OutboxContent WriteQueue::attach(const caf::actor_addr& sender) {
  const auto has_last_ended = last_sender_has_ended();
  std::unique_lock lock{mutex_};
  // CAF 1 reports an actor's end before the actor's thread has freed its state. So `detach` may
  // still be to come.
  if (has_last_ended)
    is_free_.wait_for(lock, longest_end, [&] { return !is_attached_; });
  if (is_attached_)
    throw StoreError(
      StoreFailure::in_use,
      store_->name() + ": another sender of this process uses it; give each sender its own store");
  if (lease_.is_lost())
    throw StoreError(StoreFailure::disowned, store_->name() + ": another process owns it now");
  is_attached_ = true;
  sender_ = sender;
  failures_alone_ = 0;
  told_lag_ = Lag::none;
  is_news_out_ = false;
  return std::exchange(content_, {});
}

// Whether the sender that uses the queue has ended. It will then call `detach` soon.
bool WriteQueue::last_sender_has_ended() const {
  caf::actor_addr
    last; // used without the lock: `has_ended` may free the actor, which then takes the lock
  {
    const std::lock_guard lock{mutex_};
    last = sender_;
  }
  return compat::has_ended(last);
}

bool WriteQueue::detach(OutboxContent rest) {
  const std::lock_guard lock{mutex_};
  is_attached_ = false;
  is_free_.notify_all();
  sender_ = {};
  content_ = std::move(rest);
  outcomes_.clear();
  counted_.clear();
  retry_delay_ = retry_delay_.reset(); // the end of the actor system may wait for the writer
  const auto is_to_be_woken = is_asleep();
  if (is_to_be_woken)
    writer_ = Writer::writes;
  return is_to_be_woken;
}

std::size_t WriteQueue::suspended() const {
  const std::lock_guard lock{mutex_};
  return content_.owed.size();
}

PutOutcome WriteQueue::put(std::vector<StoreChange>& changes) {
  const std::lock_guard lock{mutex_};
  const auto insertion = std::any_of(changes.begin(), changes.end(), [](const auto& x) {
    return std::holds_alternative<change::Insert>(x);
  });
  for (auto& x : changes)
    pending_.put(std::move(x), failure_.has_value());
  changes.clear();
  const auto size = pending_.size();
  if (seat_)
    seat_->set_waiting(waiting());
  PutOutcome result;
  result.wakes_writer = writer_ == Writer::rests || writer_ == Writer::idles
                        || writer_ == Writer::watches
                        || (writer_ == Writer::lingers && size >= options_.max_batch)
                        || (writer_ == Writer::retries && insertion && unanswered_.empty());
  if (lease_.is_lost())
    result.wakes_writer = false;
  if (result.wakes_writer)
    writer_ = Writer::writes;
  result.is_news = look_whether_behind();
  return result;
}

// Updates how far the store is behind. Returns whether that has changed. A store that works may
// have two batches: one that it commits, and one that waits meanwhile.
bool WriteQueue::look_whether_behind() {
  const auto owed = pending_.owed();
  auto lag = Lag::none;
  if (failure_ && owed > options_.max_batch)
    lag = Lag::fails;
  else if (owed >= 2 * options_.max_batch)
    lag = Lag::is_slow;
  return std::exchange(lag_, lag) != lag;
}

bool WriteQueue::wake_for_the_rest() {
  const std::lock_guard lock{mutex_};
  if (writer_ != Writer::rests || (nothing_waits() && !lease_.is_limited()))
    return false;
  writer_ = Writer::writes;
  return true;
}

WriteQueue::Sureness WriteQueue::take_sureness() {
  const std::lock_guard lock{mutex_};
  is_news_out_ = false;
  told_sure_until_ = lease_.sure_until();
  return {told_sure_until_, lease_.is_lost()};
}

std::vector<InsertOutcome> WriteQueue::take_outcomes() {
  const std::lock_guard lock{mutex_};
  is_news_out_ = false;
  return std::exchange(outcomes_, {});
}

std::vector<change::CountHandOvers> WriteQueue::take_counted() {
  const std::lock_guard lock{mutex_};
  return std::exchange(counted_, {});
}

StoreState WriteQueue::take_state() {
  const std::lock_guard lock{mutex_};
  const auto has_changed = std::exchange(told_lag_, lag_) != lag_;
  return {lag_ != Lag::none, lag_ == Lag::fails ? *failure_ : Cause{}, has_changed,
          std::exchange(notices_, {})};
}

// -- for holders of the handle --------------------------------------------------------

std::vector<StoredDeadLetter> WriteQueue::dead_letters() {
  std::vector<StoredDeadLetter> result;
  const std::lock_guard lock{store_mutex_};
  store_->for_each_dead_letter([&](StoredDeadLetter x) { result.push_back(std::move(x)); });
  return result;
}

std::vector<StoredDeadLetter> WriteQueue::newest_dead_letters(std::uint64_t below,
                                                              std::size_t at_most) {
  std::vector<StoredDeadLetter> result;
  const std::lock_guard lock{store_mutex_};
  store_->for_each_newest_dead_letter(below, at_most,
                                      [&](StoredDeadLetter x) { result.push_back(std::move(x)); });
  return result;
}

std::optional<StoredDeadLetter> WriteQueue::dead_letter(std::uint64_t id) {
  const std::lock_guard lock{store_mutex_};
  return store_->dead_letter(id);
}

std::size_t WriteQueue::remove_dead_letters(std::span<const std::uint64_t> ids) {
  const std::lock_guard lock{store_mutex_};
  const auto result = store_->remove_dead_letters(ids);
  auto tally = letters_->get();
  tally.count -= std::min<std::uint64_t>(result, tally.count);
  try {
    if (result != 0 && tally.count <= quickly_counted)
      tally = store_->count_dead_letters();
  } catch (const StoreError&) {
    // They are removed, and that is what counts.
  }
  set_letters(tally);
  return result;
}

// Call it with the lock of the store.
void WriteQueue::set_letters(const DeadLetterTally& tally) {
  letters_->set(tally);
  if (seat_)
    seat_->set_letters(tally);
}

} // namespace backoff_actor
