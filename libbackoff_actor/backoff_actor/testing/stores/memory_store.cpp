#include "backoff_actor/testing/stores/memory_store.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>
#include <variant>

namespace backoff_actor::testing {

namespace {

// Other stores keep the numbers with a sign.
constexpr std::uint64_t highest_id = std::numeric_limits<std::int64_t>::max();

} // namespace

struct MemoryStore::Content {
  void note_time(std::span<const StoreChange> changes) {
    if (!keys.is_ahead_of(changes))
      return;
    const WallTime at{*KeyClock::newest(changes)};
    keys.set_back(at.since_epoch);
    for (auto& key : acknowledged)
      key.at = std::min(key.at, at);
    for (auto& [key, answer] : answers)
      answer.second = std::min(answer.second, at);
  }

  void operator()(const change::Insert& x) {
    if (x.delivery.id <= last_id || x.delivery.id > highest_id)
      throw std::logic_error("a delivery's number is " + std::to_string(x.delivery.id)
                             + ", allowed more than " + std::to_string(last_id) + " and up to "
                             + std::to_string(highest_id));
    owed[x.delivery.id] = x.delivery;
    last_id = x.delivery.id;
  }

  void operator()(const change::Acknowledge& x) {
    const auto found = owed.find(x.delivery);
    if (found == owed.end())
      return;
    if (!found->second.idempotency_key.empty() && !x.is_dropped) {
      acknowledged.push_back({found->second.idempotency_key, {keys.next(x.at.since_epoch)}});
    }
    owed.erase(found);
  }

  void operator()(const change::CountAttempts& x) {
    if (const auto found = owed.find(x.delivery); found != owed.end())
      found->second.attempts = x.attempts;
  }

  void operator()(const change::CountHandOvers& x) {
    if (const auto found = owed.find(x.delivery); found != owed.end())
      found->second.hand_overs = x.hand_overs;
  }

  void operator()(const change::SetContext& x) {
    if (const auto found = owed.find(x.delivery); found != owed.end())
      found->second.context = x.context;
  }

  void operator()(const change::SetMessage& x) {
    if (const auto found = owed.find(x.delivery); found != owed.end()) {
      found->second.message = x.message;
      found->second.attempts = found->second.hand_overs = 0;
    }
  }

  void operator()(const change::Bury& x) {
    const auto found = owed.find(x.delivery);
    if (found == owed.end())
      return;
    auto& letter = dead[x.delivery] = {std::move(found->second), x.reason, x.cause, x.at, x.text};
    letter.delivery.attempts = x.attempts;
    letter.delivery.hand_overs = 0;
    owed.erase(found);
  }

  void operator()(const change::DropIncoming& /*x*/) {}

  void operator()(const change::KeepAnswer& x) {
    answers[x.idempotency_key] = {x.answer, std::max(x.at, WallTime{keys.since})};
  }

  void operator()(const change::ForgetKeys& x) {
    keys.forget(x.before.since_epoch);
    std::erase_if(answers, [&](const auto& one) { return one.second.second < x.before; });
    std::erase_if(acknowledged, [&](const AcknowledgedKey& key) { return key.at < x.before; });
  }

  std::map<std::uint64_t, StoredDelivery> owed;
  std::map<std::uint64_t, StoredDeadLetter> dead;
  std::vector<AcknowledgedKey> acknowledged;
  std::map<std::string, std::pair<KeptAnswer, WallTime>> answers; // with their times
  KeyClock keys;
  std::uint64_t last_id = 0;
  std::string format;
};

MemoryStore::MemoryStore(std::string name)
  : name_(std::move(name)), content_(std::make_unique<Content>()) {}

MemoryStore::~MemoryStore() = default;

std::shared_ptr<MemoryStore> MemoryStore::copy() const {
  auto result = std::make_shared<MemoryStore>(name_);
  const std::lock_guard lock{mutex_};
  *result->content_ = *content_;
  return result;
}

void MemoryStore::fail_next(std::size_t commits, StoreFailure failure) {
  const std::lock_guard lock{mutex_};
  failing_ = commits;
  failure_ = failure;
  always_ = false;
}

void MemoryStore::fail_always(std::optional<StoreFailure> failure) {
  const std::lock_guard lock{mutex_};
  failing_ = 0;
  failure_ = failure;
  always_ = failure.has_value();
}

std::size_t MemoryStore::commits() const {
  const std::lock_guard lock{mutex_};
  return commits_;
}

std::vector<std::uint64_t> MemoryStore::owed() const {
  const std::lock_guard lock{mutex_};
  std::vector<std::uint64_t> result;
  for (const auto& [id, delivery] : content_->owed)
    result.push_back(id);
  return result;
}

std::optional<StoredDelivery> MemoryStore::find(std::uint64_t id) const {
  const std::lock_guard lock{mutex_};
  const auto found = content_->owed.find(id);
  return found == content_->owed.end() ? std::nullopt : std::optional{found->second};
}

std::string MemoryStore::name() const { return name_; }

void MemoryStore::commit(std::span<const StoreChange> changes) {
  const std::lock_guard lock{mutex_};
  if (always_ || failing_ > 0) {
    failing_ -= failing_ > 0 ? 1 : 0;
    throw StoreError(*failure_,
                     std::string{name_}.append(": told to fail, ").append(to_string(*failure_)));
  }
  auto content = *content_;
  content.note_time(changes);
  for (const auto& x : changes)
    std::visit(content, x);
  *content_ = std::move(content);
  ++commits_;
}

void MemoryStore::for_each_owed(const std::function<void(StoredDelivery)>& visit) {
  const std::lock_guard lock{mutex_};
  for (const auto& [id, delivery] : content_->owed)
    visit(delivery);
}

void MemoryStore::for_each_acknowledged_key(const std::function<void(AcknowledgedKey)>& visit) {
  const std::lock_guard lock{mutex_};
  for (const auto& key : content_->acknowledged)
    visit(key);
}

void MemoryStore::for_each_dead_letter(const std::function<void(StoredDeadLetter)>& visit) {
  const std::lock_guard lock{mutex_};
  for (const auto& [id, letter] : content_->dead)
    visit(letter);
}

FoundMessage MemoryStore::find_message(const std::string& idempotency_key, std::uint64_t delivery) {
  auto result = DeliveryStore::find_message(idempotency_key, delivery);
  if (result.state != MessageState::done)
    return result;
  const std::lock_guard lock{mutex_};
  if (const auto found = content_->answers.find(idempotency_key); found != content_->answers.end())
    result.answer = found->second.first;
  return result;
}

std::uint64_t MemoryStore::last_id() {
  const std::lock_guard lock{mutex_};
  return content_->last_id;
}

std::string MemoryStore::message_format() {
  const std::lock_guard lock{mutex_};
  return content_->format;
}

void MemoryStore::set_message_format(const std::string& format) {
  const std::lock_guard lock{mutex_};
  if (!content_->format.empty())
    throw std::logic_error("the message format is set already");
  content_->format = format;
}

std::size_t MemoryStore::remove_dead_letters(std::span<const std::uint64_t> ids) {
  const std::lock_guard lock{mutex_};
  std::size_t result = 0;
  for (const auto id : ids)
    result += content_->dead.erase(id);
  return result;
}

std::size_t MemoryStore::resubmit_dead_letters(std::span<const std::uint64_t> ids) {
  const std::lock_guard lock{mutex_};
  std::size_t result = 0;
  for (const auto id : ids) {
    auto letter = content_->dead.extract(id);
    if (letter.empty())
      continue;
    auto delivery = std::move(letter.mapped().delivery);
    delivery.id = ++content_->last_id;
    delivery.attempts = 0;
    delivery.deadline.reset();
    content_->owed[delivery.id] = std::move(delivery);
    ++result;
  }
  return result;
}

} // namespace backoff_actor::testing
