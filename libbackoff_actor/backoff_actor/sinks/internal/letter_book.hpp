#pragma once

// Who keeps dead letters, and how many.

#include "backoff_actor/delivery/delivery_store.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace backoff_actor::detail {

// How many dead letters somebody keeps now. One thread at a time writes, and any thread reads. The
// two numbers may be a moment apart.
class LetterCount {
public:
  void set(const DeadLetterTally& tally) {
    count_.store(tally.count, std::memory_order_relaxed);
    oldest_.store(tally.oldest.since_epoch, std::memory_order_relaxed);
  }

  // One more was given up. The first is the oldest.
  void add(WallTime at) {
    auto tally = get();
    if (tally.count++ == 0)
      tally.oldest = at;
    set(tally);
  }

  DeadLetterTally get() const {
    return {count_.load(std::memory_order_relaxed), {oldest_.load(std::memory_order_relaxed)}};
  }

private:
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::int64_t> oldest_{0};
};

// The dead letters of one sender.
struct SenderLetters {
  std::shared_ptr<const LetterCount> count{};
  bool is_in_outbox = false; // a durable one; false: in memory
};

// The senders of a kind whose dead letters are kept, by number. Others are not in it, so that it
// costs the senders without dead letters nothing.
class LetterBook {
public:
  void add(std::uint64_t sender, SenderLetters letters) {
    const std::lock_guard lock{mutex_};
    all_.insert_or_assign(sender, std::move(letters));
  }

  void remove(std::uint64_t sender) {
    const std::lock_guard lock{mutex_};
    all_.erase(sender);
  }

  std::unordered_map<std::uint64_t, SenderLetters> all() const {
    const std::lock_guard lock{mutex_};
    return all_;
  }

private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, SenderLetters> all_;
};

} // namespace backoff_actor::detail
