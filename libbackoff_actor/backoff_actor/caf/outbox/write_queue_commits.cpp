// The part of the queue that runs in the writer's thread.

#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/outbox/internal/write_queue.hpp"
#include "backoff_actor/sinks/internal/kinds.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <utility>

namespace backoff_actor {

namespace {

// The largest batch while commits fail: most of these attempts fail, and every submission makes
// one.
constexpr std::size_t batch_to_try = 16;

// When nothing has been written for this long, the store may do its deferred work.
constexpr std::chrono::seconds quiet{1};

// After so many failures in a row without a sender, the writer stops trying: while it tries, its
// actor system cannot end. If another sender comes, a writer tries again. If none comes, the
// changes are lost, and the deliveries are redelivered after the next start of the program.
constexpr int max_failures_alone = 3;

// Whether the server itself has said so of these changes. Other failures may come from a connection
// that is broken, or from a new one. Then they say nothing about an earlier commit.
bool is_verdict(StoreFailure failure) {
  return failure == StoreFailure::full || failure == StoreFailure::too_large
         || failure == StoreFailure::disowned;
}

std::uint64_t last_insertion(std::span<const StoreChange> batch) {
  std::uint64_t result = 0;
  for (const auto& x : batch)
    if (const auto* const insertion = std::get_if<change::Insert>(&x))
      result = std::max(result, insertion->delivery.id);
  return result;
}

} // namespace

WriteQueue::Task WriteQueue::next_task(Instant now) {
  const std::lock_guard lock{mutex_};
  const auto until_renewal = lease_.renew_at() - now;
  const auto sleep = [&](Writer how, Duration span) -> Task {
    writer_ = how;
    if (is_attached_ && until_renewal > Duration::zero())
      span = std::min(span, until_renewal);
    return {Task::Kind::sleep, span, ++last_sleep_};
  };
  const auto retry = [&] {
    retry_delay_ = retry_delay_.next();
    const auto wait = retry_delay_.wait_time();
    const auto is_silent = is_unanswered_ && lease_.is_limited(); // it may be back before the lease
    return sleep(Writer::retries, is_silent ? std::min(wait, ownership_->lease / 3) : wait);
  };
  const auto rest = [&]() -> Task {
    if (is_attached_ && lease_.renew_at() != Instant::never())
      return sleep(Writer::watches, until_renewal);
    writer_ = Writer::rests;
    return {Task::Kind::rest};
  };
  const auto was_quiet = std::exchange(was_quiet_, false);
  if (lease_.is_lost())
    return rest();
  // A commit that fails renews nothing. One without an answer comes first.
  const auto is_to_renew = is_attached_ && until_renewal <= Duration::zero() && unanswered_.empty()
                           && !(has_just_failed_ && is_unanswered_);
  if (is_to_renew && (failure_ || nothing_waits()))
    return {Task::Kind::renew};
  const auto has_failed = std::exchange(has_just_failed_, false);
  if (nothing_waits()) {
    if (has_failed && is_attached_ && lease_.is_limited())
      return retry();
    if (!is_attached_ || !is_untidy_)
      return rest();
    return was_quiet ? Task{Task::Kind::tidy_up} : sleep(Writer::idles, quiet);
  }
  if (!is_attached_ && failures_alone_ >= max_failures_alone)
    return rest();
  if (has_failed && (pending_.insertions() == 0 || !unanswered_.empty()))
    return retry();
  if (is_attached_ && !is_to_renew && options_.max_wait > Duration::zero()
      && waiting() == pending_.size() && pending_.size() < options_.max_batch
      && !std::exchange(has_lingered_, true))
    return sleep(Writer::lingers, options_.max_wait);
  return {Task::Kind::write};
}

bool WriteQueue::wake(std::uint64_t sleep_id) {
  const std::lock_guard lock{mutex_};
  if (sleep_id != last_sleep_ || !is_asleep())
    return false;
  was_quiet_ = writer_ == Writer::idles;
  writer_ = Writer::writes;
  return true;
}

void WriteQueue::forget_writer(bool was_at_work, std::uint64_t sleep_id) {
  const std::lock_guard lock{mutex_};
  if (was_at_work || (sleep_id == last_sleep_ && is_asleep()))
    writer_ = Writer::rests;
}

void WriteQueue::write(Instant now) {
  std::vector<StoreChange> batch;
  auto is_known = true; // no earlier commit of the batch may have been made
  {
    const std::lock_guard lock{mutex_};
    batch = std::exchange(unanswered_, {});
    is_known = batch.empty();
    if (batch.empty() && !apart_.empty()) {
      batch.push_back(std::move(apart_.front()));
      apart_.pop_front();
    }
    if (batch.empty())
      batch =
        pending_.take(failure_ ? std::min(options_.max_batch, batch_to_try) : options_.max_batch);
    has_lingered_ = false;
    lease_.begin(now);
  }
  try {
    commit(batch);
    succeed(batch);
  } catch (const StoreError& error) {
    if (error.failure() == StoreFailure::too_large && batch.size() > 1)
      set_apart(batch); // the other changes may fit
    else
      fail(batch, error, now, is_known || is_verdict(error.failure()));
  }
}

void WriteQueue::commit(std::span<const StoreChange> changes) {
  using Clock = std::chrono::steady_clock;
  const auto begin = seat_ ? Clock::now() : Clock::time_point{};
  try {
    const std::lock_guard lock{store_mutex_};
    store_->commit(changes);
    count_burials(changes);
    commit_took_ = seat_ ? Clock::now() - begin : Duration::zero();
  } catch (const StoreError&) {
    throw;
  } catch (const std::exception& exception) {
    throw StoreError(failure_of_exceptions(), store_->name() + ": " + exception.what());
  } catch (...) {
    throw StoreError(failure_of_exceptions(), store_->name() + ": an exception of unknown type");
  }
}

// Counts the dead letters that a commit has made. Call it with the lock of the store. While a store
// fails, deliveries are dropped that it has not taken, and their burials then change nothing.
void WriteQueue::count_burials(std::span<const StoreChange> changes) {
  auto has_any = false;
  for (const auto& x : changes)
    if (const auto* const burial = std::get_if<change::Bury>(&x)) {
      has_any = true;
      letters_->add(burial->at);
    }
  if (!has_any)
    return;
  auto tally = letters_->get();
  try {
    if (are_burials_doubtful_)
      tally = store_->count_dead_letters();
  } catch (...) {
    // The changes are made. The next burial counts anew.
  }
  set_letters(tally);
}

// A server may have made the changes before the exception came.
StoreFailure WriteQueue::failure_of_exceptions() const {
  return lease_.is_limited() ? StoreFailure::unreachable : StoreFailure::input_output;
}

void WriteQueue::renew(Instant now) {
  {
    const std::lock_guard lock{mutex_};
    lease_.begin(now);
  }
  try {
    {
      const std::lock_guard lock{store_mutex_};
      store_->renew();
    }
    succeed({});
  } catch (const StoreError& error) {
    std::vector<StoreChange> none;
    fail(none, error, now, true);
  } catch (const std::exception& exception) {
    std::vector<StoreChange> none;
    fail(none, StoreError(failure_of_exceptions(), store_->name() + ": " + exception.what()), now,
         true);
  }
}

// Each of the changes gets a commit of its own, in order: a store refuses a number that is not
// above all that it has.
void WriteQueue::set_apart(std::vector<StoreChange>& changes) {
  const std::lock_guard lock{mutex_};
  apart_.assign(std::make_move_iterator(changes.begin()), std::make_move_iterator(changes.end()));
}

void WriteQueue::succeed(std::span<const StoreChange> changes) {
  if (incoming_)
    incoming_->settle(changes);
  look_at_store();
  auto is_news = false;
  {
    const std::lock_guard lock{mutex_};
    is_unanswered_ = false;
    if (!changes.empty() || nothing_waits()) {
      failure_.reset();
      failures_alone_ = 0;
      retry_delay_ = retry_delay_.reset();
    }
    pending_.forget(changes);
    are_burials_doubtful_ &= !nothing_waits();
    is_news = note_answer();
    if (seat_ && !changes.empty()) {
      seat_->note_commit(commit_took_, changes.size());
      seat_->set_waiting(waiting());
    }
    for (const auto& x : changes)
      if (const auto* const count = std::get_if<change::CountHandOvers>(&x); count && is_attached_)
        counted_.push_back(*count);
    is_news |= look_whether_behind() || !counted_.empty();
    if (const auto last_id = last_insertion(changes); last_id != 0 && is_attached_) {
      outcomes_.push_back({last_id, {}});
      is_news = true;
    }
    is_news |= !notices_.empty();
  }
  if (is_news)
    send_news();
}

// No failure renews the ownership: a store may find it without the server.
void WriteQueue::fail(std::vector<StoreChange>& changes, const StoreError& error, Instant now,
                      bool is_known) {
  if (options_.on_error) {
    try {
      options_.on_error(error);
    } catch (...) {
      // An exception of the callback must not stop the writer.
    }
  }
  look_at_store();
  are_burials_doubtful_ = true;
  constexpr std::uint64_t failure_of_the_store = 2; // 1: the engine's ack timeout
  const Cause cause{failure_of_the_store, error.what()};
  auto is_news = false;
  {
    const std::lock_guard lock{mutex_};
    is_unanswered_ = error.failure() == StoreFailure::unreachable;
    if (error.failure() == StoreFailure::disowned)
      disown();
    else if (!is_verdict(error.failure()))
      is_news = doubt();
    std::uint64_t last_id = 0;
    if (error.failure() == StoreFailure::too_large) { // a retry cannot help, so it is dropped
      last_id = last_insertion(changes);
      pending_.forget(changes);
    } else {
      failure_ = cause;
      has_just_failed_ = true;
      failures_alone_ += is_attached_ ? 0 : 1;
      if (is_unanswered_ || !is_known) {
        unanswered_ = std::move(changes); // nobody knows yet whether they are made
      } else if (!changes.empty()) {
        std::move(apart_.begin(), apart_.end(), std::back_inserter(changes));
        apart_.clear();
        has_lingered_ = true;
        last_id = last_insertion(changes);
        last_id = std::max(last_id, pending_.keep(changes));
      }
    }
    if (seat_) {
      seat_->note_failure(static_cast<std::size_t>(error.failure()), now);
      seat_->set_waiting(waiting());
    }
    is_news |= look_whether_behind() || lease_.is_lost();
    if (last_id != 0 && is_attached_) {
      outcomes_.push_back({last_id, cause});
      is_news = true;
    }
    is_news |= !notices_.empty();
  }
  if (is_news)
    send_news();
}

// The server has done what it was asked. Returns whether the sender is to know. It is told in time,
// but not of each answer.
bool WriteQueue::note_answer() {
  if (!lease_.is_limited())
    return false;
  lease_.answered();
  if (shard_seat_)
    shard_seat_->set_sure_until(lease_.sure_until());
  return lease_.sure_until() - told_sure_until_ >= ownership_->lease / 10;
}

// The session may be gone. Returns whether the sender is to know.
bool WriteQueue::doubt() {
  lease_.doubt();
  if (shard_seat_)
    shard_seat_->set_sure_until(lease_.sure_until());
  return lease_.sure_until() < told_sure_until_;
}

void WriteQueue::disown() {
  lease_.lose();
  if (shard_seat_)
    shard_seat_->lose();
}

void WriteQueue::tidy_up() {
  try {
    const std::lock_guard lock{store_mutex_};
    store_->tidy_up();
  } catch (...) {
    // It can wait for the next quiet moment.
  }
  look_at_store();
  {
    const std::lock_guard lock{mutex_};
    if (notices_.empty())
      return;
  }
  send_news();
}

// Takes the notices of the store, and whether it has deferred work.
void WriteQueue::look_at_store() {
  std::vector<std::string> notices;
  auto is_untidy = false;
  try {
    const std::lock_guard lock{store_mutex_};
    notices = store_->take_notices();
    is_untidy = store_->is_untidy();
  } catch (...) {
    // Without notices, and without deferred work.
  }
  const std::lock_guard lock{mutex_};
  std::move(notices.begin(), notices.end(), std::back_inserter(notices_));
  is_untidy_ = is_untidy;
}

void WriteQueue::send_news() {
  caf::actor sender;
  {
    const std::lock_guard lock{mutex_};
    if (!is_attached_ || std::exchange(is_news_out_, true))
      return;
    sender = caf::actor_cast<caf::actor>(sender_);
  }
  if (sender)
    compat::enqueue(sender, StoreNews{});
}

} // namespace backoff_actor
