#include "backoff_actor/caf/sender_store.hpp"

#include "backoff_actor/caf/store_writer.hpp"

#include <algorithm>

namespace backoff_actor {

SenderStore::SenderStore(std::shared_ptr<OutboxQueue> queue, const caf::actor_addr& sender,
                         Instant now)
  : queue_(std::move(queue)),
    to_wall_(Duration{queue_->wall_time().since_epoch} - now.since_origin),
    content_(queue_->attach(sender)), last_id_(content_.last_id) {}

SenderStore::~SenderStore() {
  if (queue_)
    end({});
}

OutboxContent SenderStore::take_content() {
  was_taken_ = true;
  return std::exchange(content_, {});
}

void SenderStore::start(caf::actor_system& system) {
  writer_ = spawn_store_writer(system, queue_);
  if (queue_->wake_for_the_rest())
    seam::enqueue(writer_, WriteNow{});
}

void SenderStore::prepare(caf::actor_system& system, const caf::message& message,
                          Instant deadline) {
  prepared_ = queue_->types().save(system, message);
  deadline_ = deadline;
}

// -- changes ------------------------------------------------------------------------

void SenderStore::insert(std::uint32_t slot, std::uint64_t id, Instant now, std::string key,
                         std::string idempotency_key) {
  const auto deadline =
    deadline_ == Instant::never() ? std::nullopt : std::optional{wall_time(deadline_)};
  changes_.emplace_back(change::Insert{{id, wall_time(now), deadline, 0, std::move(key),
                                        std::move(idempotency_key), std::move(prepared_)}});
  unanswered_.push_back({slot, id});
  last_id_ = id;
}

void SenderStore::acknowledge(std::uint64_t id, Instant now) {
  changes_.emplace_back(change::Acknowledge{id, wall_time(now)});
}

void SenderStore::count_attempts(std::uint64_t id, std::uint32_t attempts) {
  changes_.emplace_back(change::CountAttempts{id, attempts});
}

void SenderStore::bury(std::uint64_t id, DeadLetterReason reason, std::uint32_t attempts,
                       std::string cause, Instant now) {
  changes_.emplace_back(change::Bury{id, reason, attempts, std::move(cause), wall_time(now)});
}

void SenderStore::forget_keys(Instant before) {
  changes_.emplace_back(change::ForgetKeys{wall_time(before)});
}

void SenderStore::flush() {
  if (!changes_.empty() && queue_->put(changes_))
    seam::enqueue(writer_, WriteNow{});
}

// -- outcomes -----------------------------------------------------------------------

std::vector<SenderStore::Outcome> SenderStore::take_outcomes() {
  std::vector<Outcome> result;
  for (auto& outcome : queue_->take_outcomes()) {
    const auto failure =
      outcome.failure ? std::make_shared<const Cause>(std::move(*outcome.failure)) : nullptr;
    for (; !unanswered_.empty() && unanswered_.front().id <= outcome.last_id;
         unanswered_.pop_front())
      result.push_back({unanswered_.front().slot, unanswered_.front().id, failure});
  }
  return result;
}

// -- the end ------------------------------------------------------------------------

void SenderStore::end(std::vector<AcknowledgedKey> acknowledged) {
  flush();
  if (was_taken_)
    content_ = {std::move(content_.owed), std::move(acknowledged), last_id_};
  const auto is_to_be_woken = queue_->detach(std::move(content_));
  if (writer_ && is_to_be_woken)
    seam::enqueue(writer_, WriteNow{});
  if (writer_)
    seam::enqueue(writer_, WriteNow{WriteNow::sender_is_gone});
  queue_ = nullptr;
  writer_ = nullptr;
}

} // namespace backoff_actor
