#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace backoff_actor::store_test {

/// All that a store holds.
struct Contents {
  std::vector<StoredDelivery> owed{};
  std::vector<StoredDeadLetter> dead{};
  std::map<std::string, WallTime> keys{};
  std::uint64_t last_id = 0;

  friend bool operator==(const Contents&, const Contents&) = default;

  friend std::ostream& operator<<(std::ostream& out, const Contents& x) {
    out << "owed";
    for (const auto& one : x.owed)
      out << ' ' << one.id << '(' << one.attempts << ", " << one.message.bytes.size() << " B)";
    out << "; dead";
    for (const auto& one : x.dead)
      out << ' ' << one.delivery.id << '(' << to_string(one.reason) << ')';
    return out << "; " << x.keys.size() << " keys; last_id " << x.last_id;
  }
};

/// What is in a store.
inline Contents contents_of(DeliveryStore& store) {
  Contents result;
  store.for_each_owed([&](StoredDelivery x) { result.owed.push_back(std::move(x)); });
  store.for_each_dead_letter([&](StoredDeadLetter x) { result.dead.push_back(std::move(x)); });
  store.for_each_acknowledged_key(
    [&](const AcknowledgedKey& x) { result.keys[x.idempotency_key] = x.at; });
  result.last_id = store.last_id();
  return result;
}

/// The obvious store, which keeps nothing beyond itself.
class ReferenceStore {
public:
  void commit(std::span<const StoreChange> changes) {
    note_time(changes);
    for (const auto& one : changes)
      std::visit([this](const auto& x) { make(x); }, one);
  }

  std::size_t remove(std::span<const std::uint64_t> ids) {
    std::size_t count = 0;
    for (const auto id : ids)
      count += dead_.erase(id);
    return count;
  }

  std::size_t resubmit(std::span<const std::uint64_t> ids) {
    std::size_t count = 0;
    for (const auto id : ids) {
      const auto found = dead_.find(id);
      if (found == dead_.end())
        continue;
      auto delivery = found->second.delivery;
      dead_.erase(found);
      delivery.id = ++last_id_;
      delivery.deadline.reset();
      delivery.attempts = 0;
      owed_[delivery.id] = delivery;
      ++count;
    }
    return count;
  }

  std::uint64_t last_id() const { return last_id_; }

  /// Keys before this are forgotten.
  WallTime keys_since() const { return keys_since_; }

  Contents contents() const {
    Contents result;
    for (const auto& [id, x] : owed_)
      result.owed.push_back(x);
    for (const auto& [id, x] : dead_)
      result.dead.push_back(x);
    result.keys = keys_;
    result.last_id = last_id_;
    return result;
  }

private:
  // If what is acknowledged now is more than a second earlier than the keys, the clock was set back
  // since: no key is later than that.
  void note_time(std::span<const StoreChange> changes) {
    std::vector<WallTime> times;
    for (const auto& one : changes)
      if (const auto* const x = std::get_if<change::Acknowledge>(&one))
        times.push_back(x->at);
    if (times.empty())
      return;
    const auto now = *std::max_element(times.begin(), times.end());
    if (std::max(keys_since_, last_key_at_).since_epoch / 1000
        <= now.since_epoch / 1000 + 1'000'000)
      return;
    keys_since_ = std::min(keys_since_, now);
    last_key_at_ = std::min(last_key_at_, now);
    for (auto& [key, at] : keys_)
      at = std::min(at, now);
  }

  void make(const change::Insert& x) {
    owed_[x.delivery.id] = x.delivery;
    last_id_ = x.delivery.id;
  }

  void make(const change::Acknowledge& x) {
    const auto found = owed_.find(x.delivery);
    if (found == owed_.end())
      return;
    if (!found->second.idempotency_key.empty() && !x.is_dropped) {
      last_key_at_ = std::max({last_key_at_, keys_since_, x.at}); // never goes back
      keys_[found->second.idempotency_key] = last_key_at_;
    }
    owed_.erase(found);
  }

  void make(const change::CountAttempts& x) {
    if (const auto found = owed_.find(x.delivery); found != owed_.end())
      found->second.attempts = x.attempts;
  }

  void make(const change::CountHandOvers& x) {
    if (const auto found = owed_.find(x.delivery); found != owed_.end())
      found->second.hand_overs = x.hand_overs;
  }

  void make(const change::SetContext& x) {
    if (const auto found = owed_.find(x.delivery); found != owed_.end())
      found->second.context = x.context;
  }

  void make(const change::SetMessage& x) {
    if (const auto found = owed_.find(x.delivery); found != owed_.end()) {
      found->second.message = x.message;
      found->second.attempts = found->second.hand_overs = 0;
    }
  }

  void make(const change::DropIncoming& /*x*/) {}
  void make(const change::KeepAnswer& /*x*/) {}

  void make(const change::Bury& x) {
    const auto found = owed_.find(x.delivery);
    if (found == owed_.end())
      return;
    auto delivery = found->second;
    owed_.erase(found);
    delivery.attempts = x.attempts;
    delivery.hand_overs = 0;
    dead_[x.delivery] = {delivery, x.reason, x.cause, x.at, x.text};
  }

  void make(const change::ForgetKeys& x) {
    keys_since_ = std::max(keys_since_, x.before);
    std::erase_if(keys_, [&](const auto& key) { return key.second < x.before; });
  }

  std::map<std::uint64_t, StoredDelivery> owed_{};
  std::map<std::uint64_t, StoredDeadLetter> dead_{};
  std::map<std::string, WallTime> keys_{};
  WallTime keys_since_{std::numeric_limits<std::int64_t>::min()};
  WallTime last_key_at_ = keys_since_;
  std::uint64_t last_id_ = 0;
};

} // namespace backoff_actor::store_test
