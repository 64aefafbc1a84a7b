#include "backoff_actor/engine/outbox/outbox_engine.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>
#include <variant>

namespace backoff_actor {

namespace {

// The delay between two attempts to write, unless smaller commits may succeed at once.
const Policy retry_policy =
  Exponential{.first = std::chrono::milliseconds{100}, .cap = std::chrono::seconds{10}};

// The largest batch while commits fail.
constexpr std::size_t batch_to_try = 16;

// When nothing has been written for this long, the store may do its housekeeping.
constexpr std::chrono::seconds quiet{1};

// A context that nobody awaits, such as a child's note, waits at most so long for other changes.
constexpr std::chrono::milliseconds context_wait{100};

// After so many failures in a row without a sender, no more attempts are made: as long as they are,
// the actor system of the writer cannot end. If another sender comes, they begin again. If none
// comes, the changes are lost, and the deliveries are redelivered after the next start of the
// program.
constexpr int max_failures_alone = 3;

constexpr std::uint64_t failure_of_the_store = 2; // 1 is the ack timeout of a sender's engine

// Whether the failure is about these changes, or says who owns the store. Other failures may come
// from a connection that is broken, or from a new one. Then they say nothing about an earlier
// commit, and the ownership is in doubt.
bool is_verdict(StoreFailure failure) {
  return failure == StoreFailure::full || failure == StoreFailure::too_large
         || failure == StoreFailure::disowned;
}

// The number of the cancelled delivery of which the change is; 0: it is none of the kind.
std::uint64_t cancelled_by(const StoreChange& change) {
  if (const auto* const x = std::get_if<change::Acknowledge>(&change))
    return x->is_dropped ? x->delivery : 0;
  if (const auto* const x = std::get_if<change::Bury>(&change))
    return x->reason == DeadLetterReason::cancelled ? x->delivery : 0;
  const auto* const x = std::get_if<change::SetContext>(&change);
  return x != nullptr && x->is_awaited ? x->delivery : 0;
}

std::uint64_t last_insertion(std::span<const StoreChange> batch) {
  std::uint64_t result = 0;
  for (const auto& x : batch)
    if (const auto* const insertion = std::get_if<change::Insert>(&x))
      result = std::max(result, insertion->delivery.id);
  return result;
}

} // namespace

OutboxEngine::OutboxEngine(const OutboxEngineOptions& options)
  : options_(options), pending_(options.max_batch),
    lease_(options.lease > Duration::zero() ? OwnerLease{options.lease} : OwnerLease{}),
    retry_delay_(retry_policy, 0, 0) {}

void OutboxEngine::step(Instant now, OutboxInput&& input, OutboxEffects& effects) {
  now_ = now;
  effects_ = &effects;
  std::visit([this](auto& x) { take(x); }, input);
}

// -- the sender ------------------------------------------------------------------------

void OutboxEngine::take(const outbox_input::Attach& x) {
  is_attached_ = true;
  is_untidy_ = x.is_untidy;
  failures_alone_ = 0;
  refusal_.reset();
  lag_ = Lag::none;
  told_sure_until_ = Instant{Duration::min()};
  note_left_cancels();
  tell_sure();
  tell_whether_behind();
  if (state_ == State::rests && (!nothing_waits() || lease_.is_limited()))
    go_on();
}

// What the last sender has cancelled is owed no longer, but the store does not know yet.
void OutboxEngine::note_left_cancels() {
  left_cancels_.clear();
  const auto note = [this](const StoreChange& x) {
    if (const auto delivery = cancelled_by(x))
      left_cancels_.insert(delivery);
  };
  std::ranges::for_each(call_, note);
  std::ranges::for_each(unanswered_, note);
  std::ranges::for_each(apart_, note);
  pending_.for_each(note);
}

void OutboxEngine::take(const outbox_input::Detach& /*x*/) {
  is_attached_ = false;
  refusal_.reset();
  pending_.keep_rows();
  for (const auto* const changes : {&call_, &unanswered_})
    for (const auto& x : *changes)
      pending_.keep_row_of(x);
  for (const auto& x : apart_)
    pending_.keep_row_of(x);
  retry_delay_ = retry_delay_.reset(); // the end of the actor system may wait for the changes
  if (is_asleep())
    go_on();
}

void OutboxEngine::take(outbox_input::Put& x) {
  // Somebody waits to hear whether it is taken.
  const auto is_awaited =
    !refusal_ && std::any_of(x.changes.begin(), x.changes.end(), [](const auto& one) {
      return std::holds_alternative<change::Insert>(one)
             || std::holds_alternative<change::SetMessage>(one);
    });
  if (state_ == State::gathers && !UnwrittenChanges::can_all_wait(x.changes)) {
    has_lingered_ = false;
    go_on();
  }
  for (auto& one : x.changes)
    pending_.put(std::move(one), failure_.has_value());
  tell_whether_behind();
  if (lease_.is_lost())
    return;
  refuse_waiting();
  if (state_ == State::rests || state_ == State::idles || state_ == State::watches
      || ((state_ == State::lingers || state_ == State::gathers)
          && pending_.size() >= options_.max_batch)
      || (state_ == State::retries && is_awaited && unanswered_.empty()))
    go_on();
}

void OutboxEngine::take(const outbox_input::Heard& /*x*/) { refusal_.reset(); }

void OutboxEngine::take(const outbox_input::Halt& /*x*/) {
  if (!call_.empty())
    unanswered_ = std::exchange(call_, {});
  state_ = State::rests;
}

// -- what is done next -----------------------------------------------------------------

void OutboxEngine::take(const outbox_input::Go& /*x*/) {
  if (state_ != State::awake)
    return;
  const auto was_quiet = std::exchange(was_quiet_, false);
  if (lease_.is_lost())
    return rest();
  // A commit that fails renews nothing. One without an answer comes first.
  const auto is_to_renew = is_attached_ && lease_.renew_at() <= now_ && unanswered_.empty()
                           && !(has_just_failed_ && is_unanswered_);
  if (is_to_renew && (failure_ || nothing_waits()))
    return begin_renewal();
  const auto has_failed = std::exchange(has_just_failed_, false);
  if (nothing_waits()) {
    if (has_failed && is_attached_ && lease_.is_limited())
      return retry();
    if (!is_attached_ || !is_untidy_)
      return rest();
    if (!was_quiet)
      return sleep(State::idles, quiet);
    state_ = State::calls;
    effects_->emplace_back(outbox_effect::TidyUp{});
    return;
  }
  if (!is_attached_ && failures_alone_ >= max_failures_alone)
    return rest();
  if (has_failed && (pending_.refusable() == 0 || !unanswered_.empty()))
    return retry();
  if (is_attached_ && !is_to_renew && options_.max_wait > Duration::zero()
      && waiting() == pending_.size() && pending_.size() < options_.max_batch
      && !std::exchange(has_lingered_, true))
    return sleep(State::lingers, options_.max_wait);
  if (is_attached_ && !is_to_renew && waiting() == pending_.size()
      && pending_.size() < options_.max_batch && pending_.can_all_wait()
      && !std::exchange(has_lingered_, true))
    return sleep(State::gathers, context_wait);
  begin_commit();
}

void OutboxEngine::take(const outbox_input::Wake& /*x*/) {
  if (!is_asleep() || now_ < wake_at_)
    return;
  was_quiet_ = state_ == State::idles;
  go_on();
}

void OutboxEngine::go_on() {
  state_ = State::awake;
  effects_->emplace_back(outbox_effect::GoOn{});
}

void OutboxEngine::rest() {
  if (is_attached_ && lease_.renew_at() != Instant::never())
    return sleep(State::watches, lease_.renew_at() - now_);
  state_ = State::rests;
}

void OutboxEngine::sleep(State why, Duration span) {
  state_ = why;
  if (is_attached_ && lease_.renew_at() > now_)
    span = std::min(span, lease_.renew_at() - now_);
  wake_at_ = now_ + span;
  effects_->emplace_back(outbox_effect::Sleep{span});
}

void OutboxEngine::retry() {
  retry_delay_ = retry_delay_.next();
  const auto wait = retry_delay_.wait_time();
  const auto is_silent = is_unanswered_ && lease_.is_limited(); // it may be back before the lease
  sleep(State::retries, is_silent ? std::min(wait, options_.lease / 3) : wait);
}

void OutboxEngine::begin_commit() {
  call_ = std::exchange(unanswered_, {});
  is_first_attempt_ = call_.empty();
  if (call_.empty() && !apart_.empty()) {
    call_.push_back(std::move(apart_.front()));
    apart_.pop_front();
  }
  if (call_.empty())
    call_ =
      pending_.take(failure_ ? std::min(options_.max_batch, batch_to_try) : options_.max_batch);
  has_lingered_ = false;
  lease_.begin(now_);
  state_ = State::calls;
  effects_->emplace_back(outbox_effect::Commit{call_, are_burials_doubtful_});
}

void OutboxEngine::begin_renewal() {
  lease_.begin(now_);
  is_first_attempt_ = true;
  state_ = State::calls;
  effects_->emplace_back(outbox_effect::Renew{});
}

// -- what the store says ---------------------------------------------------------------

void OutboxEngine::take(const outbox_input::Done& x) {
  const auto changes = std::exchange(call_, {});
  is_untidy_ = x.is_untidy;
  is_unanswered_ = false;
  if (!changes.empty() || nothing_waits()) {
    failure_.reset();
    failures_alone_ = 0;
    retry_delay_ = retry_delay_.reset();
  }
  pending_.forget(changes);
  are_burials_doubtful_ &= !nothing_waits();
  lease_.answered();
  // The sender is told in time, but not of each answer.
  if (lease_.is_limited() && lease_.sure_until() - told_sure_until_ >= options_.lease / 10)
    tell_sure();
  if (is_attached_)
    for (const auto& one : changes)
      if (const auto* const count = std::get_if<change::CountHandOvers>(&one))
        effects_->emplace_back(outbox_effect::TellHandOver{*count});
  tell_insertions(last_insertion(changes), std::nullopt);
  for (const auto& one : changes)
    if (const auto* const message = std::get_if<change::SetMessage>(&one))
      tell_replaced(*message, std::nullopt);
    else
      tell_cancelled(cancelled_by(one));
  tell_whether_behind();
  go_on();
}

void OutboxEngine::take(const outbox_input::Tidied& x) {
  is_untidy_ = x.is_untidy;
  go_on();
}

// No failure renews the ownership: a store may fail without having asked the server.
void OutboxEngine::take(const outbox_input::Failed& x) {
  is_untidy_ = x.is_untidy;
  if (x.failure == StoreFailure::too_large && call_.size() > 1) { // the other changes may fit
    apart_.assign(std::make_move_iterator(call_.begin()), std::make_move_iterator(call_.end()));
    call_.clear();
    return go_on();
  }
  effects_->emplace_back(outbox_effect::ReportFailure{});
  are_burials_doubtful_ = true;
  is_unanswered_ = x.failure == StoreFailure::unreachable;
  if (x.failure == StoreFailure::disowned)
    lease_.lose();
  else if (!is_verdict(x.failure))
    lease_.doubt();
  if (lease_.is_lost() || lease_.sure_until() < told_sure_until_)
    tell_sure();
  keep(std::exchange(call_, {}), x.failure, {failure_of_the_store, x.text},
       is_first_attempt_ || is_verdict(x.failure));
  tell_whether_behind();
  go_on();
}

// What becomes of the changes of a call that has failed.
void OutboxEngine::keep(std::vector<StoreChange> changes, StoreFailure failure, const Cause& cause,
                        bool is_known) {
  if (failure == StoreFailure::too_large) { // a retry cannot help, so it is dropped
    const auto last_id = last_insertion(changes);
    pending_.forget(changes);
    for (const auto& one : changes)
      if (const auto* const message = std::get_if<change::SetMessage>(&one))
        tell_replaced(*message, cause);
      else
        tell_cancelled(cancelled_by(one)); // nothing more will be
    return tell_insertions(last_id, cause);
  }
  failure_ = cause;
  has_just_failed_ = true;
  failures_alone_ += is_attached_ ? 0 : 1;
  if (is_unanswered_ || !is_known) {
    unanswered_ = std::move(changes); // nobody knows yet whether they are made
  } else if (!changes.empty()) {
    std::move(apart_.begin(), apart_.end(), std::back_inserter(changes));
    apart_.clear();
    has_lingered_ = true;
    const auto last_id = last_insertion(changes);
    auto refused = pending_.keep(changes);
    refused.last_id = std::max(refused.last_id, last_id);
    if (is_attached_ && (refused.last_id != 0 || !refused.messages.empty()))
      refusal_ = cause;
    tell_refused(refused, cause);
    refuse_waiting();
  }
}

// What the sender has put before it hears of a refusal is refused, too.
void OutboxEngine::refuse_waiting() {
  while (refusal_ && pending_.refusable() != 0) {
    std::vector<StoreChange> none;
    tell_refused(pending_.keep(none), *refusal_);
  }
}

// -- what the sender is told -----------------------------------------------------------

void OutboxEngine::tell_insertions(std::uint64_t last_id, std::optional<Cause> failure) {
  if (last_id != 0 && is_attached_)
    effects_->emplace_back(outbox_effect::TellInsertions{last_id, std::move(failure)});
}

void OutboxEngine::tell_refused(const UnwrittenChanges::Refused& refused, const Cause& cause) {
  for (const auto& one : refused.messages)
    tell_replaced(one, cause);
  for (const auto delivery : refused.cancelled)
    tell_cancelled(delivery);
  tell_insertions(refused.last_id, cause);
}

// `delivery`: 0: none.
void OutboxEngine::tell_cancelled(std::uint64_t delivery) {
  left_cancels_.erase(delivery);
  if (delivery != 0 && is_attached_)
    effects_->emplace_back(outbox_effect::TellCancelled{delivery});
}

void OutboxEngine::tell_replaced(const change::SetMessage& x, std::optional<Cause> failure) {
  if (is_attached_)
    effects_->emplace_back(outbox_effect::TellReplaced{x.delivery, x.sender, std::move(failure)});
}

// A store that works may have two batches: one that it commits, and one that waits meanwhile.
void OutboxEngine::tell_whether_behind() {
  const auto owed = pending_.owed();
  auto lag = Lag::none;
  if (failure_ && owed > options_.max_batch)
    lag = Lag::fails;
  else if (owed >= 2 * options_.max_batch)
    lag = Lag::is_slow;
  else if (!left_cancels_.empty()) // younger ones must not be begun before these are written
    lag = Lag::is_slow;
  if (is_attached_ && std::exchange(lag_, lag) != lag)
    effects_->emplace_back(
      outbox_effect::TellBehind{lag != Lag::none, lag == Lag::fails ? *failure_ : Cause{}});
}

void OutboxEngine::tell_sure() {
  told_sure_until_ = lease_.sure_until();
  if (is_attached_ && lease_.is_limited())
    effects_->emplace_back(outbox_effect::TellSure{told_sure_until_, lease_.is_lost()});
}

} // namespace backoff_actor
