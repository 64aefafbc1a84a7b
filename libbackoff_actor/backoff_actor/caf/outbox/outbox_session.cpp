#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"

#include "backoff_actor/caf/messages/stop.hpp"
#include "backoff_actor/caf/outbox/internal/asked_rows.hpp"
#include "backoff_actor/caf/outbox/internal/incoming_reader.hpp"
#include "backoff_actor/caf/outbox/internal/outbox_writer.hpp"
#include "backoff_actor/caf/outbox/internal/row_writer.hpp"

#include <algorithm>
#include <iterator>

namespace backoff_actor {

SenderStore::SenderStore(std::shared_ptr<WriteQueue> queue, const caf::actor_addr& sender,
                         Instant now)
  : queue_(std::move(queue)), sender_(sender),
    to_wall_(Duration{queue_->wall_time().since_epoch} - now.since_origin), to_key_(to_wall_),
    content_(queue_->attach(sender, now)), is_catching_up_(has_intake()),
    last_id_(content_.last_id) {}

SenderStore::~SenderStore() {
  if (queue_)
    end({});
}

OutboxContent SenderStore::take_content() {
  was_taken_ = true;
  for (const auto& x : content_.owed)
    if (x.hand_overs > 0)
      hand_overs_[x.id].before = x.hand_overs;
  return std::exchange(content_, {});
}

void SenderStore::start(caf::actor_system& system) {
  writer_ = spawn_store_writer(system, queue_);
  if (queue_->wake_for_the_rest())
    compat::enqueue(writer_, GoOn{});
  if (has_intake())
    spawn_incoming_reader(system, sender_, *queue_);
  flush();
}

void SenderStore::prepare(caf::actor_system& system, const caf::message& message,
                          Instant deadline) {
  prepared_ = queue_->types().save(system, message);
  deadline_ = deadline;
  row_ = 0;
}

void SenderStore::prepare(StoredMessage message, Instant deadline, std::uint64_t row) {
  prepared_ = std::move(message);
  deadline_ = deadline;
  row_ = row;
}

void SenderStore::prepare_unread(std::uint64_t row) {
  prepare(StoredMessage{}, Instant::never(), row);
  is_left_in_row_ = true;
}

// -- messages of other programs -------------------------------------------------------

void SenderStore::take_incoming() {
  auto news = queue_->incoming()->take();
  std::move(news.begin(), news.end(), std::back_inserter(incoming_));
}

std::optional<IncomingMessage> SenderStore::next_incoming() {
  waits_for_room_ = false;
  if (incoming_.empty())
    return std::nullopt;
  auto result = std::move(incoming_.front());
  incoming_.pop_front();
  return result;
}

void SenderStore::wait_for_room(IncomingMessage message) {
  waits_for_room_ = true;
  incoming_.push_front(std::move(message));
}

void SenderStore::give_back_refused(std::uint64_t row) {
  give_back(row);
  take_incoming();
  for (const auto& x : std::exchange(incoming_, {}))
    give_back(x.row);
  waits_for_room_ = false;
  has_refused_rows_ = true;
  is_catching_up_ = true;
  queue_->incoming()->catch_up_later();
}

void SenderStore::call_for_incoming() {
  waits_for_room_ = false;
  const auto may_submit_held = !held_.empty() && !is_catching_up();
  queue_->incoming()->call_sender(may_submit_held || !incoming_.empty());
}

void SenderStore::catch_up() {
  if (!has_intake())
    return;
  is_catching_up_ = true;
  queue_->incoming()->catch_up();
}

bool SenderStore::is_catching_up() {
  is_catching_up_ = is_catching_up_ && (!incoming_.empty() || !queue_->incoming()->has_caught_up());
  return is_catching_up_;
}

std::optional<SenderStore::Held> SenderStore::next_held() {
  if (held_.empty() || is_catching_up())
    return std::nullopt;
  auto result = std::move(held_.front());
  held_.pop_front();
  return result;
}

// -- changes ------------------------------------------------------------------------

void SenderStore::note_time(Instant now) {
  if (changes_.empty())
    to_wall_ = Duration{queue_->wall_time().since_epoch} - now.since_origin;
}

WallTime SenderStore::wall_now() const { return queue_->wall_time(); }

void SenderStore::insert(std::uint32_t slot, std::uint64_t id, Instant now, std::string key,
                         std::string idempotency_key, std::string context) {
  note_time(now);
  const auto deadline =
    deadline_ == Instant::never() ? std::nullopt : std::optional{wall_time(deadline_)};
  changes_.emplace_back(change::Insert{{.id = id,
                                        .submitted_at = wall_time(now),
                                        .deadline = deadline,
                                        .key = std::move(key),
                                        .idempotency_key = std::move(idempotency_key),
                                        .context = std::move(context),
                                        .message = std::move(prepared_)},
                                       std::exchange(row_, 0),
                                       std::exchange(is_left_in_row_, false)});
  unanswered_.push_back({slot, id});
  last_id_ = id;
}

void SenderStore::acknowledge(std::uint64_t id, Instant now) {
  hand_overs_.erase(id);
  changes_.emplace_back(change::Acknowledge{id, key_time(now)});
}

bool SenderStore::waits_for_count(std::uint64_t id) const {
  const auto found = hand_overs_.find(id);
  return found != hand_overs_.end() && found->second.waiting;
}

void SenderStore::set_context(std::uint64_t id, std::string context, bool is_awaited) {
  changes_.emplace_back(change::SetContext{id, std::move(context), is_awaited});
}

void SenderStore::set_message(std::uint64_t id, Instant now) {
  note_time(now);
  changes_.emplace_back(
    change::SetMessage{id, std::move(prepared_), std::exchange(row_, 0), sender_.id()});
}

void SenderStore::replace_by(std::uint64_t row) {
  changes_.emplace_back(change::SetMessage{0, {}, row, sender_.id()});
}

void SenderStore::drop(std::uint64_t id, Instant now) {
  hand_overs_.erase(id);
  changes_.emplace_back(change::Acknowledge{id, key_time(now), /*is_dropped=*/true});
}

void SenderStore::count_attempts(std::uint64_t id, std::uint32_t attempts) {
  changes_.emplace_back(change::CountAttempts{id, attempts});
}

void SenderStore::bury(std::uint64_t id, DeadLetterReason reason, std::uint32_t attempts,
                       std::string cause, std::string text, Instant now) {
  if (const auto found = hand_overs_.find(id); found != hand_overs_.end()) {
    if (found->second.waiting)
      found->second.is_over = true;
    else
      hand_overs_.erase(found);
  }
  note_time(now);
  changes_.emplace_back(
    change::Bury{id, reason, attempts, std::move(cause), wall_time(now), std::move(text)});
}

void SenderStore::forget_keys(Instant before) {
  changes_.emplace_back(change::ForgetKeys{key_time(before)});
}

void SenderStore::count_hand_over(const effect::HandOver& x) {
  auto& known = hand_overs_[x.delivery];
  known.waiting = x;
  ++known.unwritten;
  changes_.emplace_back(change::CountHandOvers{x.delivery, known.before + 1});
}

void SenderStore::end_hand_over(std::uint64_t id) {
  const auto found = hand_overs_.find(id);
  if (found == hand_overs_.end())
    return;
  found->second.waiting.reset();
  changes_.emplace_back(change::CountHandOvers{id, found->second.before});
}

bool SenderStore::flush() {
  if (changes_.empty() || !writer_)
    return false; // a restored delivery may be given up before the writer is started
  auto outcome = queue_->put(changes_);
  if (outcome.wakes_writer)
    compat::enqueue(writer_, GoOn{});
  if (outcome.behind)
    unread_.behind = std::move(outcome.behind);
  return unread_.behind.has_value();
}

// It comes before the acknowledgement, which is the last change: if they are in two commits, a
// process that dies between them leaves an answer that is replaced by the next.
void SenderStore::keep_answer(caf::actor_system& system, const std::string& key,
                              const caf::message& answer, std::uint64_t bytes, Instant now) {
  KeptAnswer kept;
  kept.bytes = bytes;
  if (!answer.empty())
    kept.message = queue_->types().save(system, answer);
  changes_.insert(std::prev(changes_.end()),
                  change::KeepAnswer{key, std::move(kept), key_time(now)});
}

void SenderStore::find_in_rows(const Ask& what, compat::OpenRequest client, AskAnswer known) {
  compat::enqueue(writer_, FindInRows{what, std::move(client), std::move(known)});
}

bool SenderStore::pass_on(caf::actor_system& system, IncomingMessage order,
                          compat::OpenRequest& client) {
  if (!row_writer_) {
    auto writer = queue_->open_row_writer();
    if (!writer)
      return false;
    row_writer_ = spawn_row_writer(system, sender_, std::move(writer), queue_->options());
  }
  compat::enqueue(row_writer_, PassOn{std::move(order), std::move(client)});
  return true;
}

// -- what the store says --------------------------------------------------------------

void SenderStore::look() {
  auto replies = queue_->take_replies();
  const auto append = [](auto& to, auto& from) {
    std::move(from.begin(), from.end(), std::back_inserter(to));
  };
  append(unread_.insertions, replies.insertions);
  append(unread_.hand_overs, replies.hand_overs);
  append(unread_.notices, replies.notices);
  append(unread_.cancelled, replies.cancelled);
  append(unread_.replaced, replies.replaced);
  if (replies.behind)
    unread_.behind = std::move(replies.behind);
  if (replies.sure) {
    sure_until_ = replies.sure->until;
    unread_.sure = replies.sure;
  }
}

std::vector<std::string> SenderStore::take_notices() {
  constexpr std::size_t remembered = 8;
  auto result = std::exchange(unread_.notices, {});
  notices_.insert(notices_.end(), result.begin(), result.end());
  if (notices_.size() > remembered)
    notices_.erase(notices_.begin(), notices_.end() - remembered);
  return result;
}

std::vector<SenderStore::Outcome> SenderStore::take_outcomes() {
  std::vector<Outcome> result;
  for (auto& outcome : std::exchange(unread_.insertions, {})) {
    const auto failure =
      outcome.failure ? std::make_shared<const Cause>(std::move(*outcome.failure)) : nullptr;
    for (; !unanswered_.empty() && unanswered_.front().id <= outcome.last_id;
         unanswered_.pop_front())
      result.push_back({unanswered_.front().slot, unanswered_.front().id, failure});
  }
  return result;
}

// What an earlier sender has asked for says nothing of this one's.
std::vector<outbox_effect::TellReplaced> SenderStore::take_replaced() {
  auto result = std::exchange(unread_.replaced, {});
  std::erase_if(result, [&](const auto& x) { return x.sender != sender_.id(); });
  return result;
}

// If a delivery was handed over again meanwhile, only its last count releases the hand-over.
std::vector<SenderStore::WrittenHandOver> SenderStore::take_hand_overs() {
  std::vector<WrittenHandOver> result;
  for (const auto& [x] : std::exchange(unread_.hand_overs, {})) {
    const auto found = hand_overs_.find(x.delivery);
    if (found == hand_overs_.end() || x.hand_overs != found->second.before + 1)
      continue;
    auto& known = found->second;
    known.unwritten -= known.unwritten > 0 ? 1U : 0U;
    if (known.unwritten == 0 && known.waiting)
      result.push_back({*std::exchange(known.waiting, std::nullopt), known.is_over});
    if (known.is_over && known.unwritten == 0)
      hand_overs_.erase(found);
  }
  return result;
}

// -- the end ------------------------------------------------------------------------

void SenderStore::suspend(SuspendedDelivery delivery) {
  if (const auto found = hand_overs_.find(delivery.id); found != hand_overs_.end()) {
    delivery.hand_overs = found->second.before;
    end_hand_over(delivery.id);
  }
  content_.owed.push_back(std::move(delivery));
}

void SenderStore::suspend_entry(SuspendedDelivery entry) {
  content_.owed.push_back(std::move(entry));
}

void SenderStore::end(std::vector<AcknowledgedKey> acknowledged) {
  flush();
  if (has_intake()) {
    for (const auto& x : incoming_)
      give_back(x.row);
    queue_->incoming()->end();
  }
  if (was_taken_) {
    std::ranges::sort(content_.owed, {}, &SuspendedDelivery::id);
    content_ = {std::move(content_.owed), std::move(acknowledged), last_id_,
                std::move(content_.unwritten)};
  }
  const auto is_to_be_woken = queue_->detach(std::move(content_));
  if (writer_ && is_to_be_woken)
    compat::enqueue(writer_, GoOn{});
  if (writer_)
    compat::enqueue(writer_, Stop{});
  if (row_writer_)
    compat::enqueue(std::exchange(row_writer_, {}), Stop{});
  queue_ = nullptr;
  writer_ = nullptr;
}

} // namespace backoff_actor
