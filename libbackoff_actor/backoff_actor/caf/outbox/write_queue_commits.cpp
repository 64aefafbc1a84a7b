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
    return sleep(Writer::retries, retry_delay_.wait_time());
  };
  const auto rest = [&]() -> Task {
    if (is_attached_ && lease_.renew_at() != Instant::never())
      return sleep(Writer::watches, until_renewal);
    writer_ = Writer::rests;
    return {Task::Kind::rest};
  };
  const auto was_quiet = std::exchange(was_quiet_, false);
  const auto has_failed = std::exchange(has_just_failed_, false);
  const auto is_to_renew = is_attached_ && !has_failed && until_renewal <= Duration::zero();
  if (lease_.is_lost())
    return rest();
  if (pending_.empty() && unanswered_.empty()) {
    if (is_to_renew)
      return {Task::Kind::renew};
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
      && pending_.size() < options_.max_batch && !std::exchange(has_lingered_, true))
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
  {
    const std::lock_guard lock{mutex_};
    batch = std::exchange(unanswered_, {});
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
      commit_one_by_one(batch, now); // the other changes may fit
    else
      fail(batch, error, now);
  }
}

void WriteQueue::commit(std::span<const StoreChange> changes) {
  using Clock = std::chrono::steady_clock;
  const auto begin = seat_ ? Clock::now() : Clock::time_point{};
  try {
    const std::lock_guard lock{store_mutex_};
    store_->commit(changes);
    commit_took_ = seat_ ? Clock::now() - begin : Duration::zero();
  } catch (const StoreError&) {
    throw;
  } catch (const std::exception& exception) {
    throw StoreError(StoreFailure::input_output, store_->name() + ": " + exception.what());
  } catch (...) {
    throw StoreError(StoreFailure::input_output, store_->name() + ": an exception of unknown type");
  }
}

void WriteQueue::renew(Instant now) {
  {
    const std::lock_guard lock{mutex_};
    lease_.begin(now);
  }
  std::vector<StoreChange> none;
  try {
    {
      const std::lock_guard lock{store_mutex_};
      store_->renew();
    }
    succeed(none);
  } catch (const StoreError& error) {
    fail(none, error, now);
  } catch (const std::exception& exception) {
    fail(none, StoreError(StoreFailure::input_output, store_->name() + ": " + exception.what()),
         now);
  }
}

// In order: a store refuses a number that is not above all that it has.
void WriteQueue::commit_one_by_one(std::vector<StoreChange>& changes, Instant now) {
  for (auto next = changes.begin(); next != changes.end(); ++next) {
    const std::span<const StoreChange> one{&*next, 1};
    try {
      commit(one);
      succeed(one);
    } catch (const StoreError& error) {
      const auto is_too_large = error.failure() == StoreFailure::too_large;
      const auto end = is_too_large ? next + 1 : changes.end();
      std::vector<StoreChange> failed{std::make_move_iterator(next), std::make_move_iterator(end)};
      fail(failed, error, now);
      if (!is_too_large)
        return;
    }
  }
}

void WriteQueue::succeed(std::span<const StoreChange> changes) {
  look_at_store();
  auto is_news = false;
  {
    const std::lock_guard lock{mutex_};
    failure_.reset();
    failures_alone_ = 0;
    retry_delay_ = retry_delay_.reset();
    pending_.forget(changes);
    is_news = note_answer();
    if (seat_ && !changes.empty()) {
      seat_->note_commit(commit_took_, changes.size());
      seat_->set_waiting(pending_.size());
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

void WriteQueue::fail(std::vector<StoreChange>& changes, const StoreError& error, Instant now) {
  if (options_.on_error) {
    try {
      options_.on_error(error);
    } catch (...) {
      // An exception of the callback must not stop the writer.
    }
  }
  look_at_store();
  constexpr std::uint64_t failure_of_the_store = 2; // 1: the engine's ack timeout
  const Cause cause{failure_of_the_store, error.what()};
  auto is_news = false;
  {
    const std::lock_guard lock{mutex_};
    auto last_id = last_insertion(changes);
    if (error.failure() == StoreFailure::disowned)
      disown();
    else if (error.failure() != StoreFailure::unreachable)
      is_news = note_answer();
    if (error.failure() == StoreFailure::too_large) { // a retry cannot help, so it is dropped
      pending_.forget(changes);
    } else {
      failure_ = cause;
      has_just_failed_ = true;
      failures_alone_ += is_attached_ ? 0 : 1;
      if (error.failure() == StoreFailure::unreachable) {
        last_id = 0; // nobody knows yet
        unanswered_ = std::move(changes);
      } else if (!changes.empty()) {
        has_lingered_ = true;
        last_id = std::max(last_id, pending_.keep(changes));
      }
    }
    if (seat_) {
      seat_->note_failure(static_cast<std::size_t>(error.failure()), now);
      seat_->set_waiting(pending_.size() + unanswered_.size());
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

// The server has answered a call, whatever it said. Returns whether the sender is to know. It is
// told in time, but not of each answer.
bool WriteQueue::note_answer() {
  if (!lease_.is_limited())
    return false;
  lease_.answered();
  if (shard_seat_)
    shard_seat_->set_sure_until(lease_.sure_until());
  return lease_.sure_until() - told_sure_until_ >= ownership_->lease / 10;
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
