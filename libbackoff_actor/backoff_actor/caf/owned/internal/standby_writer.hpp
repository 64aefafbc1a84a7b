#pragma once

// Inside of owned senders; not for their users.

#include "backoff_actor/caf/owned/owned_sender.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/delivery/incoming.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor {

// Messages that were submitted to a process that stands by, on their way to the owner. Shared by
// the actor that stands by and the writer; either may be gone. In `IncomingMessage::row` each has
// the number that the actor gave it.
class BACKOFF_ACTOR_HIDDEN StandbyPost {
public:
  struct Outcome {
    std::uint64_t number;
    std::optional<std::string> failure; // none: it is handed over
  };

  // @param capacity how many messages may wait
  StandbyPost(std::unique_ptr<IncomingWriter> writer, std::size_t capacity)
    : capacity_(capacity), writer_(std::move(writer)) {}

  // -- the actor that stands by -------------------------------------------------------

  // Returns false if there is no room.
  bool add(IncomingMessage message) {
    const std::lock_guard lock{mutex_};
    const auto bytes = message.size();
    if (waiting_.size() >= capacity_ || (!waiting_.empty() && bytes_ + bytes > most_bytes))
      return false;
    bytes_ += bytes;
    waiting_.push_back(std::move(message));
    return true;
  }

  std::vector<Outcome> take_outcomes() {
    const std::lock_guard lock{mutex_};
    return std::exchange(outcomes_, {});
  }

  // The writer ends when nothing waits any more.
  void end() {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
  }

  // -- the writer ---------------------------------------------------------------------

  // The first that wait; none: nothing waits.
  std::vector<IncomingMessage> next_batch();

  void settle(std::span<const IncomingMessage> batch, const std::optional<std::string>& failure) {
    const std::lock_guard lock{mutex_};
    for (const auto& x : batch)
      outcomes_.push_back({x.row, failure});
  }

  bool is_over() const {
    const std::lock_guard lock{mutex_};
    return is_over_;
  }

  IncomingWriter& writer() { return *writer_; }

private:
  static constexpr std::size_t most_bytes = 64U << 20;

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  const std::unique_ptr<IncomingWriter> writer_; // the writer's alone
  std::deque<IncomingMessage> waiting_;
  std::size_t bytes_ = 0; // of the waiting messages
  std::vector<Outcome> outcomes_;
  bool is_over_ = false;
};

// Starts the actor that writes what is in `post` when it gets `WriteNow`. It sends `StoreNews` to
// `owner` when there are outcomes.
caf::actor spawn_standby_writer(caf::actor_system& system, const caf::actor_addr& owner,
                                std::shared_ptr<StandbyPost> post, const DurableOptions& options);

} // namespace backoff_actor
