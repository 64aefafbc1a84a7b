#pragma once

// Inside of the sender; not for its users.

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/message.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

namespace backoff_actor {

// Remembers which keys belong to owed deliveries, and which to acknowledged ones. Every member
// takes amortized constant time.
class IdempotencyKeys {
public:
  enum class State { unknown, owed, acknowledged };

  // Returns the state of a key, and sets `slot` if the key is owed. A key that was acknowledged
  // before `limit` is unknown.
  State state(const std::string& key, Instant limit, std::uint32_t& slot) const {
    const auto found = keys_.find(key);
    if (found == keys_.end()
        || (found->second.state == State::acknowledged && found->second.at < limit))
      return State::unknown;
    slot = found->second.slot;
    return found->second.state;
  }

  // When the key was acknowledged, if that is its state.
  Instant acknowledged_at(const std::string& key) const { return keys_.at(key).at; }

  // The answer to an acknowledged message.
  struct Answer {
    caf::message content{};  // empty: it was too large
    std::uint64_t bytes = 0; // of it
  };

  // Keeps the answer of a key that was acknowledged, as long as the key.
  void keep(const std::string& key, Answer answer) {
    if (!answers_)
      answers_ = std::make_unique<Answers>();
    (*answers_)[key] = std::move(answer);
  }

  // An earlier answer of the key counts no more.
  void drop_answer(const std::string& key) {
    if (answers_)
      answers_->erase(key);
  }

  // The answer of an acknowledged key; null: none is kept here.
  const Answer* answer(const std::string& key) const {
    if (!answers_)
      return nullptr;
    const auto found = answers_->find(key);
    return found == answers_->end() ? nullptr : &found->second;
  }

  void owe(const std::string& key, std::uint32_t slot) { keys_[key] = {State::owed, slot, {}}; }

  // For a delivery that ended without an acknowledgement: it may be submitted again.
  void forget(const std::string& key) { keys_.erase(key); }

  // The calls must come in order of time.
  void acknowledge(const std::string& key, Instant at) {
    keys_[key] = {State::acknowledged, 0, at};
    acknowledged_.emplace_back(at, key);
  }

  // Forgets some of the keys that were acknowledged before `limit`: a bounded number, so that each
  // call is short. Returns true if there were any.
  bool forget_before(Instant limit) {
    constexpr int at_once = 100;
    auto result = false;
    for (auto left = at_once;
         left > 0 && !acknowledged_.empty() && acknowledged_.front().first < limit;
         --left, acknowledged_.pop_front()) {
      // The key may have been used again: it may now be owed, or acknowledged at a later time.
      const auto& [at, key] = acknowledged_.front();
      const auto found = keys_.find(key);
      if (found != keys_.end() && found->second.state == State::acknowledged
          && found->second.at == at) {
        keys_.erase(found);
        if (answers_)
          answers_->erase(key);
      }
      result = true;
    }
    return result;
  }

  // The acknowledged keys, in order of time.
  const std::deque<std::pair<Instant, std::string>>& acknowledged() const { return acknowledged_; }

private:
  struct Entry {
    State state;
    std::uint32_t slot;
    Instant at; // when it was acknowledged
  };

  using Answers = std::unordered_map<std::string, Answer>;

  std::unordered_map<std::string, Entry> keys_;
  std::unique_ptr<Answers> answers_; // none: none was kept
  std::deque<std::pair<Instant, std::string>> acknowledged_;
};

} // namespace backoff_actor
