#include "backoff_actor/caf/outbox_queue.hpp"

#include "backoff_actor/caf/messages.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace backoff_actor {

namespace {

// Between two attempts to write what must be written.
const Policy retry_policy =
  Exponential{.first = std::chrono::milliseconds{100}, .cap = std::chrono::seconds{10}};

// Without a sender the writer keeps its actor system from ending. What it leaves then is written
// for the next sender; if there is none, it is made once more.
constexpr int max_failures_alone = 3;

// How long the next sender waits for the last one, which has ended, to let go of the queue.
constexpr std::chrono::seconds longest_end{5};

std::uint64_t last_insertion(std::span<const StoreChange> batch) {
  std::uint64_t result = 0;
  for (const auto& x : batch)
    if (const auto* const insertion = std::get_if<change::Insert>(&x))
      result = std::max(result, insertion->delivery.id);
  return result;
}

std::string list(const std::vector<std::string>& names) {
  std::string result;
  for (const auto& name : names)
    result.append(result.empty() ? "" : ", ").append(name);
  return result;
}

} // namespace

// -- reading ------------------------------------------------------------------------

OutboxQueue::OutboxQueue(std::shared_ptr<DeliveryStore> store, DurableTypes types,
                         DurableOptions options)
  : types_(std::move(types)), options_(std::move(options)), store_(std::move(store)),
    retry_delay_(retry_policy, 0, 0) {
  const auto format = seam::binary_format();
  const auto found = store_->message_format();
  if (found.empty())
    store_->set_message_format(format);
  else if (found != format)
    throw StoreError(StoreFailure::incompatible,
                     store_->name() + ": its messages were written by " + found
                       + ", and this program uses " + format
                       + ", which cannot read them; finish what is owed with the old program");
  read_content();
}

void OutboxQueue::read_content() {
  std::vector<std::string> unknown;
  std::string unreadable;
  store_->for_each_owed([&](StoredDelivery x) {
    if (!types_.knows(x.message, unknown))
      return;
    try {
      content_.owed.push_back({x.id, x.attempts, x.submitted_at, x.deadline, std::move(x.key),
                               std::move(x.idempotency_key), types_.load(x.message)});
    } catch (const std::exception& exception) {
      if (unreadable.empty())
        unreadable = "delivery " + std::to_string(x.id) + ", " + exception.what();
    }
  });
  if (!unknown.empty())
    throw StoreError(StoreFailure::incompatible,
                     store_->name() + ": it holds messages of the types " + list(unknown)
                       + ", which are none of the durable types of this program; add them to "
                         "durable<...>()");
  if (!unreadable.empty())
    throw StoreError(StoreFailure::incompatible,
                     store_->name() + ": a message cannot be read: " + unreadable
                       + "; if the type has changed, finish what is owed with the old program");
  store_->for_each_acknowledged_key(
    [&](AcknowledgedKey x) { content_.acknowledged.push_back(std::move(x)); });
  content_.last_id = store_->last_id();
}

WallTime OutboxQueue::wall_time() const {
  if (options_.wall_clock)
    return options_.wall_clock();
  using std::chrono::system_clock;
  const auto since_epoch = system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count()};
}

// -- the sender ---------------------------------------------------------------------

OutboxContent OutboxQueue::attach(const caf::actor_addr& sender) {
  const auto has_last_ended = last_sender_has_ended();
  std::unique_lock lock{mutex_};
  // CAF 1 tells of an actor's end before the actor lets go of what it has, in a thread of its own.
  if (has_last_ended)
    is_free_.wait_for(lock, longest_end, [&] { return !is_attached_; });
  if (is_attached_)
    throw StoreError(StoreFailure::in_use, store_->name()
                                             + ": another sender of this process uses it; give "
                                               "each sender a store of its own");
  is_attached_ = true;
  sender_ = sender;
  failures_alone_ = 0;
  failed_ = 0;
  return std::exchange(content_, {});
}

// Whether the sender that uses the queue, if one does, is about to let go of it.
bool OutboxQueue::last_sender_has_ended() const {
  caf::actor_addr
    last; // which must not be asked under the lock: whoever asks may be the last to hold it
  {
    const std::lock_guard lock{mutex_};
    last = sender_;
  }
  return seam::has_ended(last);
}

bool OutboxQueue::detach(OutboxContent rest) {
  const std::lock_guard lock{mutex_};
  is_attached_ = false;
  is_free_.notify_all();
  sender_ = {};
  content_ = std::move(rest);
  outcomes_.clear();
  failed_ = 0;
  retry_delay_ = retry_delay_.reset(); // an actor system may wait for it
  const auto is_to_be_woken = is_asleep();
  if (is_to_be_woken)
    writer_ = Writer::writes;
  return is_to_be_woken;
}

std::size_t OutboxQueue::suspended() const {
  const std::lock_guard lock{mutex_};
  return content_.owed.size();
}

bool OutboxQueue::put(std::vector<StoreChange>& changes) {
  const std::lock_guard lock{mutex_};
  const auto size = waiting_.size() + changes.size();
  const auto is_to_be_woken = writer_ == Writer::rests
                              || (writer_ == Writer::lingers && size >= options_.max_batch)
                              || (writer_ == Writer::retries && last_insertion(changes) != 0);
  std::move(changes.begin(), changes.end(), std::back_inserter(waiting_));
  if (is_to_be_woken)
    writer_ = Writer::writes;
  changes.clear();
  return is_to_be_woken;
}

bool OutboxQueue::wake_for_the_rest() {
  const std::lock_guard lock{mutex_};
  if (writer_ != Writer::rests || waiting_.empty())
    return false;
  writer_ = Writer::writes;
  return true;
}

std::vector<InsertOutcome> OutboxQueue::take_outcomes() {
  const std::lock_guard lock{mutex_};
  return std::exchange(outcomes_, {});
}

// -- the writer ---------------------------------------------------------------------

OutboxQueue::Task OutboxQueue::next_task() {
  const std::lock_guard lock{mutex_};
  if (waiting_.empty() || (!is_attached_ && failures_alone_ >= max_failures_alone)) {
    writer_ = Writer::rests;
    return {Task::Kind::rest};
  }
  const auto sleep = [&](Writer how, Duration span) -> Task {
    writer_ = how;
    return {Task::Kind::sleep, span, ++last_sleep_};
  };
  const auto is_insertion = [](const StoreChange& x) {
    return std::holds_alternative<change::Insert>(x);
  };
  const auto failed = static_cast<std::ptrdiff_t>(std::exchange(failed_, 0));
  if (failed > 0 && std::none_of(waiting_.begin() + failed, waiting_.end(), is_insertion)) {
    retry_delay_ = retry_delay_.next();
    return sleep(Writer::retries, retry_delay_.wait_time());
  }
  if (is_attached_ && options_.max_wait > Duration::zero() && waiting_.size() < options_.max_batch
      && !std::exchange(has_lingered_, true))
    return sleep(Writer::lingers, options_.max_wait);
  return {Task::Kind::write};
}

bool OutboxQueue::wake(std::uint64_t sleep_id) {
  const std::lock_guard lock{mutex_};
  if (sleep_id != last_sleep_ || !is_asleep())
    return false;
  writer_ = Writer::writes;
  return true;
}

void OutboxQueue::forget_writer(bool was_at_work, std::uint64_t sleep_id) {
  const std::lock_guard lock{mutex_};
  if (was_at_work || (sleep_id == last_sleep_ && is_asleep()))
    writer_ = Writer::rests;
}

void OutboxQueue::write() {
  std::vector<StoreChange> batch;
  {
    const std::lock_guard lock{mutex_};
    const auto size = std::min(waiting_.size(), options_.max_batch);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(size);
    batch.reserve(size);
    std::move(waiting_.begin(), end, std::back_inserter(batch));
    waiting_.erase(waiting_.begin(), end);
    has_lingered_ = false;
  }
  try {
    commit(batch);
    tell({last_insertion(batch), {}});
  } catch (const StoreError& error) {
    if (error.failure() == StoreFailure::too_large && batch.size() > 1)
      commit_one_by_one(batch); // the others can do nothing for it
    else
      fail(batch, error);
  }
}

void OutboxQueue::commit(std::span<const StoreChange> batch) {
  try {
    const std::lock_guard lock{store_mutex_};
    store_->commit(batch);
  } catch (const StoreError&) {
    throw;
  } catch (const std::exception& exception) {
    throw StoreError(StoreFailure::input_output, store_->name() + ": " + exception.what());
  } catch (...) {
    throw StoreError(StoreFailure::input_output, store_->name() + ": an exception of unknown type");
  }
}

// In order: a store takes no number below one that it has.
void OutboxQueue::commit_one_by_one(std::vector<StoreChange>& batch) {
  for (auto next = batch.begin(); next != batch.end(); ++next) {
    const std::span<const StoreChange> one{&*next, 1};
    try {
      commit(one);
      tell({last_insertion(one), {}});
    } catch (const StoreError& error) {
      const auto is_too_large = error.failure() == StoreFailure::too_large;
      const auto end = is_too_large ? next + 1 : batch.end();
      std::vector<StoreChange> failed{std::make_move_iterator(next), std::make_move_iterator(end)};
      fail(failed, error);
      if (!is_too_large)
        return;
    }
  }
}

void OutboxQueue::fail(std::vector<StoreChange>& batch, const StoreError& error) {
  if (options_.on_error) {
    try {
      options_.on_error(error);
    } catch (...) {
      // Whoever watches must not cost what is watched.
    }
  }
  auto last_id = last_insertion(batch);
  if (error.failure() != StoreFailure::too_large) { // which it will be for ever: it is let go
    const std::lock_guard lock{mutex_};
    waiting_.insert(waiting_.begin(), std::make_move_iterator(batch.begin()),
                    std::make_move_iterator(batch.end()));
    last_id = keep_what_must_be_written(batch.size());
    has_lingered_ = true;
    failures_alone_ += is_attached_ ? 0 : 1;
  }
  constexpr std::uint64_t failure_of_the_store = 2; // 1 is the engine's silence
  tell({last_id, Cause{failure_of_the_store, error.what()}});
}

// The first `size` of those that wait could not be written. What nobody was promised is not stored:
// the insertions among them, or, if there are none, all, for whom nothing would change while these
// stay in front. The rest must be written, sometime, and so must dead letters that were not stored
// before they ended, but not more than a batch of them: their clients were told. Returns up to which
// number insertions were dealt with.
std::uint64_t OutboxQueue::keep_what_must_be_written(std::size_t size) {
  std::unordered_map<std::uint64_t, std::size_t> last_change; // of each delivery
  std::unordered_set<std::uint64_t> buried;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const auto& x = waiting_[i];
    if (const auto* const count = std::get_if<change::CountAttempts>(&x))
      last_change[count->delivery] = i;
    else if (const auto* const acknowledgement = std::get_if<change::Acknowledge>(&x))
      last_change[acknowledgement->delivery] = i;
    else if (const auto* const burial = std::get_if<change::Bury>(&x)) {
      last_change[burial->delivery] = i;
      buried.insert(burial->delivery);
    }
  }
  const auto may_be_refused = [&](const StoreChange& x) {
    const auto* const insertion = std::get_if<change::Insert>(&x);
    return insertion != nullptr && buried.count(insertion->delivery.id) == 0;
  };
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(size);
  const auto reach = std::any_of(waiting_.begin(), end, may_be_refused) ? size : waiting_.size();

  auto all = std::exchange(waiting_, {});
  std::uint64_t last_id = 0;
  std::size_t letters = 0;
  std::unordered_set<std::uint64_t> lost;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == reach)
      failed_ = waiting_.size();
    auto& x = all[i];
    if (const auto* const insertion = std::get_if<change::Insert>(&x)) {
      const auto id = insertion->delivery.id;
      if (i < reach)
        last_id = id;
      if (i < reach && may_be_refused(x))
        continue;
      if (!may_be_refused(x) && ++letters > options_.max_batch) {
        lost.insert(id);
        continue;
      }
    } else if (const auto* const count = std::get_if<change::CountAttempts>(&x)) {
      if (last_change[count->delivery] != i)
        continue;
    } else if (const auto* const burial = std::get_if<change::Bury>(&x)) {
      if (lost.count(burial->delivery) != 0)
        continue;
    }
    waiting_.push_back(std::move(x));
  }
  if (reach == all.size())
    failed_ = waiting_.size();
  return last_id;
}

void OutboxQueue::tell(InsertOutcome outcome) {
  caf::actor sender;
  {
    const std::lock_guard lock{mutex_};
    if (!outcome.failure) {
      failures_alone_ = 0;
      retry_delay_ = retry_delay_.reset();
    }
    if (outcome.last_id == 0 || !is_attached_)
      return;
    sender = caf::actor_cast<caf::actor>(sender_);
    const auto is_known = !outcomes_.empty();
    outcomes_.push_back(std::move(outcome));
    if (is_known)
      return; // the news is on its way
  }
  if (sender)
    seam::enqueue(sender, StoreNews{});
}

// -- whoever holds the handle ---------------------------------------------------------

std::vector<StoredDeadLetter> OutboxQueue::dead_letters() {
  std::vector<StoredDeadLetter> result;
  const std::lock_guard lock{store_mutex_};
  store_->for_each_dead_letter([&](StoredDeadLetter x) { result.push_back(std::move(x)); });
  return result;
}

std::size_t OutboxQueue::remove_dead_letters(std::span<const std::uint64_t> ids) {
  const std::lock_guard lock{store_mutex_};
  return store_->remove_dead_letters(ids);
}

} // namespace backoff_actor
