#include "backoff_actor/caf/outbox/internal/write_queue.hpp"

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <utility>
#include <variant>

namespace backoff_actor {

namespace {

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

std::shared_ptr<IncomingDesk> desk_of(const std::shared_ptr<OwnedStore>& store) {
  if (!store)
    return nullptr;
  return std::make_shared<IncomingDesk>([store] { return store->open_intake(); });
}

// The same for the ownership of the store.
std::shared_ptr<detail::OwnershipSeat>
ownership_seat_of(const DurableOptions& options, const std::optional<StoreOwnership>& ownership) {
  if (!options.observed_by || !ownership)
    return nullptr;
  auto result = std::make_shared<detail::OwnershipSeat>(
    options.observed_by->state()->ownerships(options.name.empty() ? "outbox" : options.name));
  result->own(ownership->epoch);
  return result;
}

} // namespace

// -- reading ------------------------------------------------------------------------

WriteQueue::WriteQueue(std::shared_ptr<DeliveryStore> store, DurableTypes types,
                       DurableOptions options)
  : types_(std::move(types)), options_(std::move(options)), store_(std::move(store)),
    owned_(std::dynamic_pointer_cast<OwnedStore>(store_)),
    letters_(std::make_shared<detail::LetterCount>()),
    ownership_(owned_ ? std::optional{owned_->ownership()} : std::nullopt),
    incoming_(desk_of(owned_)), engine_({options_.max_batch, options_.max_wait,
                                         ownership_ ? ownership_->lease : Duration::zero()}),
    seat_(seat_of(options_)), ownership_seat_(ownership_seat_of(options_, ownership_)) {
  const auto format = compat::binary_format();
  const auto found = store_->message_format();
  if (found.empty())
    store_->set_message_format(format);
  else if (found != format)
    throw StoreError(
      StoreFailure::incompatible,
      store_->name() + ": its messages were written by " + found + ", and this program uses "
        + format + ", which cannot read them; let the old program deliver what is still owed");
  content_ = read_content();
  set_letters(store_->count_dead_letters());
  CallOutcome outcome;
  look_at_store(outcome);
  replies_.notices = std::move(outcome.notices);
  is_untidy_ = outcome.is_untidy;
}

OutboxContent WriteQueue::read_content() const {
  OutboxContent result;
  std::vector<std::string> unknown;
  std::string unreadable;
  store_->for_each_owed([&](StoredDelivery x) {
    if (!types_.knows(x.message, unknown))
      return;
    try {
      result.owed.push_back({x.id, x.attempts, x.hand_overs, x.submitted_at, x.deadline,
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
    [&](AcknowledgedKey x) { result.acknowledged.push_back(std::move(x)); });
  result.last_id = store_->last_id();
  return result;
}

WriteQueue::~WriteQueue() = default;

void report(const DurableOptions& options, const StoreError& error) {
  if (!options.on_error)
    return;
  try {
    options.on_error(error);
  } catch (...) {
    // Nobody else is to be told.
  }
}

WallTime wall_time(const DurableOptions& options) {
  if (options.wall_clock)
    return options.wall_clock();
  using std::chrono::system_clock;
  const auto since_epoch = system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count()};
}

// -- the sender ---------------------------------------------------------------------

OutboxContent WriteQueue::attach(const caf::actor_addr& sender, Instant now) {
  const auto has_last_ended = last_sender_has_ended();
  detail::Lock lock{mutex_};
  // CAF 1 reports an actor's end before the actor's thread has freed its state. So `detach` may
  // still be to come.
  if (has_last_ended)
    is_free_.wait_for(lock, longest_end,
                      [&]() BACKOFF_ACTOR_REQUIRES(mutex_) { return !is_attached_; });
  if (is_attached_)
    throw StoreError(
      StoreFailure::in_use,
      store_->name() + ": another sender of this process uses it; give each sender its own store");
  if (engine_.is_lost())
    throw StoreError(StoreFailure::disowned, store_->name() + ": another process owns it now");
  is_attached_ = true;
  sender_ = sender;
  is_news_out_ = false;
  step(now, outbox_input::Attach{is_untidy_});
  return std::exchange(content_, {});
}

// Whether the sender that uses the queue has ended. It will then call `detach` soon.
bool WriteQueue::last_sender_has_ended() const {
  caf::actor_addr
    last; // used without the lock: `has_ended` may free the actor, which then takes the lock
  {
    const detail::Lock lock{mutex_};
    last = sender_;
  }
  return compat::has_ended(last);
}

bool WriteQueue::detach(OutboxContent rest) {
  const detail::Lock lock{mutex_};
  is_attached_ = false;
  is_free_.notify_all();
  sender_ = {};
  content_ = std::move(rest);
  step(now_, outbox_input::Detach{});
  replies_ = {.notices = std::move(replies_.notices)};
  return std::exchange(goes_on_, false);
}

std::size_t WriteQueue::suspended() const {
  const detail::Lock lock{mutex_};
  return content_.owed.size();
}

PutOutcome WriteQueue::put(std::vector<StoreChange>& changes) {
  const detail::Lock lock{mutex_};
  step(now_, outbox_input::Put{std::exchange(changes, {})});
  show();
  return {std::exchange(goes_on_, false), std::exchange(replies_.behind, std::nullopt)};
}

bool WriteQueue::wake_for_the_rest() {
  const detail::Lock lock{mutex_};
  return std::exchange(goes_on_, false);
}

StoreReplies WriteQueue::take_replies() {
  const detail::Lock lock{mutex_};
  is_news_out_ = false;
  step(now_, outbox_input::Heard{});
  return std::exchange(replies_, {});
}

// -- the engine ---------------------------------------------------------------------

void WriteQueue::step(Instant now, OutboxInput&& input) {
  now_ = std::max(now_, now);
  engine_.step(now_, std::move(input), effects_);
  for (auto& x : effects_)
    carry_out(x);
  effects_.clear();
}

void WriteQueue::carry_out(OutboxEffect& effect) {
  if (std::holds_alternative<outbox_effect::GoOn>(effect)) {
    goes_on_ = true;
  } else if (std::holds_alternative<outbox_effect::Sleep>(effect)) {
    ++last_sleep_;
  } else if (std::holds_alternative<outbox_effect::ReportFailure>(effect)) {
    is_to_report_ = true;
  } else if (auto* const insertions = std::get_if<outbox_effect::TellInsertions>(&effect)) {
    replies_.insertions.push_back(std::move(*insertions));
  } else if (const auto* const count = std::get_if<outbox_effect::TellHandOver>(&effect)) {
    replies_.hand_overs.push_back(*count);
  } else if (const auto* const cancelled = std::get_if<outbox_effect::TellCancelled>(&effect)) {
    replies_.cancelled.push_back(cancelled->delivery);
  } else if (auto* const replaced = std::get_if<outbox_effect::TellReplaced>(&effect)) {
    replies_.replaced.push_back(std::move(*replaced));
  } else if (auto* const behind = std::get_if<outbox_effect::TellBehind>(&effect)) {
    replies_.behind = std::move(*behind);
  } else if (const auto* const sure = std::get_if<outbox_effect::TellSure>(&effect)) {
    replies_.sure = *sure;
  } else {
    call_ = effect;
  }
}

// The sender, if it has to be sent `StoreNews`.
caf::actor WriteQueue::whom_to_tell() {
  const auto has_news = replies_.behind || replies_.sure || !replies_.insertions.empty()
                        || !replies_.hand_overs.empty() || !replies_.notices.empty()
                        || !replies_.cancelled.empty() || !replies_.replaced.empty();
  if (!is_attached_ || !has_news || std::exchange(is_news_out_, true))
    return {};
  return caf::actor_cast<caf::actor>(sender_);
}

// -- the writer ---------------------------------------------------------------------

WriteQueue::Next WriteQueue::work(Instant now) {
  std::optional<OutboxEffect> what;
  {
    const detail::Lock lock{mutex_};
    step(now, outbox_input::Go{});
    what = std::exchange(call_, std::nullopt);
    if (!what)
      return {false, engine_.sleeps_for(now_), last_sleep_};
  }
  auto outcome = call(*what);
  const auto& failure = outcome.failure;
  const auto* const commit = std::get_if<outbox_effect::Commit>(&*what);
  const auto changes = commit ? commit->changes.size() : 0;
  if (changes != 0 && !failure && incoming_)
    incoming_->settle(commit->changes);
  Next next;
  auto is_to_report = false;
  caf::actor sender;
  {
    const detail::Lock lock{mutex_};
    std::move(outcome.notices.begin(), outcome.notices.end(), std::back_inserter(replies_.notices));
    is_untidy_ = outcome.is_untidy;
    step(now, answer_of(*what, outcome));
    next.goes_on = std::exchange(goes_on_, false);
    is_to_report = std::exchange(is_to_report_, false);
    if (seat_ && is_to_report)
      seat_->note_failure(static_cast<std::size_t>(failure->failure()), now);
    else if (seat_ && changes != 0 && !failure)
      seat_->note_commit(commit_took_, changes);
    show();
    sender = whom_to_tell();
  }
  if (is_to_report)
    report(options_, *failure);
  if (sender)
    compat::enqueue(sender, StoreNews{});
  return next;
}

// The failure of housekeeping can wait.
OutboxInput WriteQueue::answer_of(const OutboxEffect& what, const CallOutcome& outcome) const {
  if (std::holds_alternative<outbox_effect::TidyUp>(what))
    return outbox_input::Tidied{outcome.is_untidy};
  if (const auto& failure = outcome.failure)
    return outbox_input::Failed{failure->failure(), failure->what(), outcome.is_untidy};
  return outbox_input::Done{outcome.is_untidy};
}

bool WriteQueue::wake(std::uint64_t sleep_id, Instant now) {
  const detail::Lock lock{mutex_};
  if (sleep_id != last_sleep_)
    return false;
  step(now, outbox_input::Wake{});
  return std::exchange(goes_on_, false);
}

void WriteQueue::forget_writer(bool was_at_work, std::uint64_t sleep_id) {
  const detail::Lock lock{mutex_};
  const auto waits_for_it = sleep_id == last_sleep_ && engine_.sleeps_for(now_) > Duration::zero();
  if (was_at_work || waits_for_it)
    step(now_, outbox_input::Halt{});
}

WriteQueue::CallOutcome WriteQueue::call(const OutboxEffect& what) {
  const detail::Lock lock{store_mutex_};
  CallOutcome result{attempt(what)};
  look_at_store(result);
  return result;
}

// Returns why it failed; nothing: it has not.
std::optional<StoreError> WriteQueue::attempt(const OutboxEffect& what) {
  try {
    if (const auto* const x = std::get_if<outbox_effect::Commit>(&what))
      commit(*x);
    else if (std::holds_alternative<outbox_effect::Renew>(what))
      owned_->renew(); // asked for only with a lease
    else
      store_->tidy_up();
    return std::nullopt;
  } catch (const StoreError& error) {
    return error;
  } catch (const std::exception& exception) {
    return StoreError(failure_of_exceptions(), store_->name() + ": " + exception.what());
  } catch (...) {
    return StoreError(failure_of_exceptions(), store_->name() + ": an exception of unknown type");
  }
}

// A server may have made the changes before the exception came.
StoreFailure WriteQueue::failure_of_exceptions() const {
  return ownership_ ? StoreFailure::unreachable : StoreFailure::input_output;
}

void WriteQueue::commit(const outbox_effect::Commit& x) {
  using Clock = std::chrono::steady_clock;
  const auto begin = seat_ ? Clock::now() : Clock::time_point{};
  store_->commit(x.changes);
  count_burials(x);
  commit_took_ = seat_ ? Clock::now() - begin : Duration::zero();
}

// Counts the dead letters that a commit has made. While a store fails, deliveries are dropped that
// it has not taken, and their burials then change nothing.
void WriteQueue::count_burials(const outbox_effect::Commit& x) {
  auto has_any = false;
  for (const auto& one : x.changes)
    if (const auto* const burial = std::get_if<change::Bury>(&one)) {
      has_any = true;
      letters_->add(burial->at);
    }
  if (!has_any)
    return;
  auto tally = letters_->get();
  try {
    if (x.are_burials_doubtful)
      tally = store_->count_dead_letters();
  } catch (...) {
    // The changes are made. The next burial counts anew.
  }
  set_letters(tally);
}

void WriteQueue::look_at_store(CallOutcome& outcome) const {
  try {
    outcome.notices = store_->take_notices();
    outcome.is_untidy = store_->is_untidy();
  } catch (...) {
    // Without notices, and without housekeeping.
  }
}

// Shows what waits and until when the store is this process's.
void WriteQueue::show() {
  if (seat_)
    seat_->set_waiting(engine_.waiting());
  if (!ownership_seat_)
    return;
  if (engine_.is_lost())
    ownership_seat_->lose();
  else
    ownership_seat_->set_sure_until(engine_.sure_until());
}

// -- for holders of the handle --------------------------------------------------------

std::vector<StoredDeadLetter> WriteQueue::dead_letters() {
  std::vector<StoredDeadLetter> result;
  const detail::Lock lock{store_mutex_};
  store_->for_each_dead_letter([&](StoredDeadLetter x) { result.push_back(std::move(x)); });
  return result;
}

std::vector<StoredDeadLetter> WriteQueue::newest_dead_letters(std::uint64_t below,
                                                              std::size_t at_most) {
  std::vector<StoredDeadLetter> result;
  const detail::Lock lock{store_mutex_};
  store_->for_each_newest_dead_letter(below, at_most,
                                      [&](StoredDeadLetter x) { result.push_back(std::move(x)); });
  return result;
}

std::optional<StoredDeadLetter> WriteQueue::dead_letter(std::uint64_t id) {
  const detail::Lock lock{store_mutex_};
  return store_->dead_letter(id);
}

FoundMessage WriteQueue::find_message(const std::string& idempotency_key, std::uint64_t delivery) {
  const detail::Lock lock{store_mutex_};
  return store_->find_message(idempotency_key, delivery);
}

std::size_t WriteQueue::remove_dead_letters(std::span<const std::uint64_t> ids) {
  const detail::Lock lock{store_mutex_};
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

void WriteQueue::set_letters(const DeadLetterTally& tally) {
  letters_->set(tally);
  if (seat_)
    seat_->set_letters(tally);
}

} // namespace backoff_actor
