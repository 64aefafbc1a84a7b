#pragma once

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor {

/// A handle to a queue between the threads of actors, which report something to a hook, and the
/// thread that reads it. `T` is what the hook gets: `DeadLetter`, `Event`, `SupervisorEvent` or
/// `GuardEvent`. Copies of a handle refer to the same queue.
///
///     const SharedQueue<DeadLetter> letters;
///     options.on_dead_letter = letters.hook();
///     ...
///     for (const auto& letter : letters.take())
///       std::cout << to_string(letter) << '\n';
///
/// Its hooks may outlive everything. The last handle frees the queue, and then the hooks do
/// nothing. So a handle may be declared before the actor system or after it. If it is declared
/// before, it can still be read after the actor system has ended, and misses nothing unless it is
/// full.
///
/// @thread safe from any thread.
template <class T>
class SharedQueue {
public:
  /// Makes a new queue. If it is full, a new value drops the oldest.
  ///
  /// @range  `capacity` is 1 or more.
  /// @errors throws `InvalidArgument` if it is not.
  explicit SharedQueue(std::size_t capacity = 10'000) : state_(std::make_shared<State>(capacity)) {
    Problems problems;
    if (capacity < 1)
      problems.add("capacity", "0", "1 or more");
    problems.raise_if_any();
  }

  /// Returns a function that puts a copy of its argument into the queue, for `on_dead_letter` or
  /// `on_event`. It never waits for a reader.
  std::function<void(const T&)> hook() const {
    return [queue = std::weak_ptr{state_}](const T& value) {
      if (const auto state = queue.lock())
        state->put(value);
    };
  }

  /// Removes all values from the queue and returns them, the oldest first.
  std::vector<T> take() const {
    std::deque<T> values;
    {
      const std::lock_guard lock{state_->mutex};
      values.swap(state_->values);
    }
    return std::vector<T>(std::move_iterator{values.begin()}, std::move_iterator{values.end()});
  }

  /// Waits until the queue holds at least `count` values. Returns false if it does not after
  /// `timeout`.
  ///
  /// @range  `count` is at most the capacity.
  /// @errors throws `InvalidArgument` if it is more.
  bool wait_for(std::size_t count, Duration timeout) const {
    Problems problems;
    if (count > state_->capacity)
      problems.add("count", std::to_string(count), "0.." + std::to_string(state_->capacity));
    problems.raise_if_any();
    constexpr Duration longest = std::chrono::hours{876'000}; // the clock does not reach further
    std::unique_lock lock{state_->mutex};
    return state_->has_more.wait_for(lock, std::min(timeout, longest),
                                     [&] { return state_->values.size() >= count; });
  }

  /// Returns how many values the queue holds.
  std::size_t size() const {
    const std::lock_guard lock{state_->mutex};
    return state_->values.size();
  }

  /// Returns how many values were dropped because the queue was full.
  std::uint64_t dropped() const {
    const std::lock_guard lock{state_->mutex};
    return state_->dropped;
  }

private:
  struct State {
    explicit State(std::size_t most) : capacity(most) {}

    void put(T value) {
      // Destroyed without the lock: its end may be that of an actor, which calls the hook again.
      std::optional<T> oldest;
      {
        const std::lock_guard lock{mutex};
        if (values.size() == capacity) {
          oldest.emplace(std::move(values.front()));
          values.pop_front();
          ++dropped;
        }
        values.push_back(std::move(value));
      }
      has_more.notify_all();
    }

    const std::size_t capacity;
    std::mutex mutex;
    std::condition_variable has_more;
    std::deque<T> values;
    std::uint64_t dropped = 0;
  };

  std::shared_ptr<State> state_;
};

} // namespace backoff_actor
