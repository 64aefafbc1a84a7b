#pragma once

// Who obeys an operator.

#include "backoff_actor/sinks/internal/operator.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace backoff_actor::detail {

// A sender, as an operator sees it. All calls come from other threads than the sender's, and may
// wait for it.
class Operable {
public:
  struct Letters {
    std::vector<KeptLetter> letters{}; // the newest first
    std::uint64_t count = 0;           // of all that there are
    std::uint64_t dropped = 0;
  };

  // Above the number of each letter.
  static constexpr std::uint64_t above_all = std::numeric_limits<std::uint64_t>::max();

  Operable() = default;
  Operable(const Operable&) = delete;
  Operable& operator=(const Operable&) = delete;
  virtual ~Operable() = default;

  // One of `pause`, `resume`, `retry_now` and `drain`.
  virtual OperatorOutcome act(OperatorAction action) = 0;
  // The newest with numbers below `below`, at most so many. No others are read.
  virtual Letters letters(std::uint64_t below, std::size_t at_most) = 0;
  // The one of this number; none: there is no such letter. No others are read.
  virtual std::optional<KeptLetter> letter(std::uint64_t id) = 0;
  virtual OperatorOutcome resubmit(std::span<const std::uint64_t> ids) = 0;
  virtual OperatorOutcome remove(std::span<const std::uint64_t> ids) = 0;

  // The sender has ended: nobody has to wait for it any more.
  virtual void end() = 0;
};

// Makes the `Operable` of a sender, once an operator wants it, or the sender does.
struct OperableMaker {
  std::shared_ptr<Operable> (*make)(void* sender) = nullptr; // null: nobody can act on it
  void* sender = nullptr;
};

// The `Operable`s of a kind of senders, by the maker of each. Most senders never have one.
class OperableBook {
public:
  // Makes it if it is not there yet. Null: there is none.
  std::shared_ptr<Operable> of(const OperableMaker& maker) {
    const std::lock_guard lock{mutex_};
    if (maker.make == nullptr)
      return nullptr;
    auto& result = all_[&maker];
    if (!result)
      result = maker.make(maker.sender);
    return result;
  }

  // The sender has ended: nobody finds it any more, and nobody has to wait for it.
  void end(OperableMaker& maker) {
    std::shared_ptr<Operable> found;
    {
      const std::lock_guard lock{mutex_};
      maker.make = nullptr;
      if (const auto node = all_.extract(&maker))
        found = node.mapped();
    }
    if (found)
      found->end();
  }

private:
  std::mutex mutex_; // guards also the makers of the senders
  std::unordered_map<const OperableMaker*, std::shared_ptr<Operable>> all_;
};

// A guard, as an operator sees it.
class ClosableGuard {
public:
  ClosableGuard() = default;
  ClosableGuard(const ClosableGuard&) = delete;
  ClosableGuard& operator=(const ClosableGuard&) = delete;
  virtual ~ClosableGuard() = default;

  // Returns whether it has a circuit breaker, which is closed then.
  virtual bool close_by_hand() = 0;
};

} // namespace backoff_actor::detail
