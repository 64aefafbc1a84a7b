#pragma once

// Inside of the sender; not for its users.

#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>

namespace backoff_actor {

// Which keys are those of a delivery that is owed, and which of one that was acknowledged. Every
// member takes constant time, counted over many calls.
class IdempotencyKeys {
public:
  enum class State { unknown, owed, acknowledged };

  // What is known of a key; `slot` is set if it is owed. What was acknowledged before `limit` is not known.
  State state(const std::string& key, Instant limit, std::uint32_t& slot) const {
    const auto found = keys_.find(key);
    if (found == keys_.end()
        || (found->second.state == State::acknowledged && found->second.at < limit))
      return State::unknown;
    slot = found->second.slot;
    return found->second.state;
  }

  void owe(const std::string& key, std::uint32_t slot) { keys_[key] = {State::owed, slot, {}}; }

  // A delivery that ends otherwise may be submitted again.
  void forget(const std::string& key) { keys_.erase(key); }

  // In order of time.
  void acknowledge(const std::string& key, Instant at) {
    keys_[key] = {State::acknowledged, 0, at};
    acknowledged_.emplace_back(at, key);
  }

  // Forgets some of what was acknowledged before, so that nobody waits until it has forgotten all; returns whether
  // there was anything.
  bool forget_before(Instant limit) {
    constexpr int at_once = 100;
    auto result = false;
    for (auto left = at_once;
         left > 0 && !acknowledged_.empty() && acknowledged_.front().first < limit;
         --left, acknowledged_.pop_front()) {
      // It may be owed again, or have been acknowledged again: a dead letter was taken up once more.
      const auto& [at, key] = acknowledged_.front();
      const auto found = keys_.find(key);
      if (found != keys_.end() && found->second.state == State::acknowledged
          && found->second.at == at)
        keys_.erase(found);
      result = true;
    }
    return result;
  }

  // Those that were acknowledged, in order of time.
  const std::deque<std::pair<Instant, std::string>>& acknowledged() const { return acknowledged_; }

private:
  struct Entry {
    State state;
    std::uint32_t slot;
    Instant at; // when it was acknowledged
  };

  std::unordered_map<std::string, Entry> keys_;
  std::deque<std::pair<Instant, std::string>> acknowledged_;
};

} // namespace backoff_actor
