#pragma once

// Inside of owned senders; not for their users.

#include "backoff_actor/caf/outbox/durable_outbox.hpp"
#include "backoff_actor/caf/owned/owned_sender.hpp"
#include "backoff_actor/core/export.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor {

// What the waiter has found, and where it is told to stop. Shared by the waiter and the actor that
// stands by; either may be gone.
class BACKOFF_ACTOR_HIDDEN StandBy {
public:
  explicit StandBy(std::shared_ptr<SharedStore> store) : store_(std::move(store)) {}

  struct News {
    DurableOutbox outbox{};             // none: another process owns it
    std::vector<std::string> notices{}; // since the last call
  };

  // -- the actor that stands by -------------------------------------------------------

  News take_news() {
    const std::lock_guard lock{mutex_};
    return std::exchange(news_, {});
  }

  // Who owned the outbox when the waiter last asked; none: nobody did, or it is not known.
  std::optional<StoreOwner> owner() const {
    const std::lock_guard lock{mutex_};
    return owner_;
  }

  // Tells the waiter to stop. What it owns by then, it gives up.
  void end() {
    News given_up; // destroyed without the lock: that may ask the server
    {
      const std::lock_guard lock{mutex_};
      is_over_ = true;
      given_up = std::exchange(news_, {});
    }
    store_->interrupt();
  }

  // -- the waiter ---------------------------------------------------------------------

  bool is_over() const {
    const std::lock_guard lock{mutex_};
    return is_over_;
  }

  void tell(DurableOutbox outbox) {
    const std::lock_guard lock{mutex_};
    if (!is_over_)
      news_.outbox = std::move(outbox);
  }

  void tell(std::optional<StoreOwner> owner) {
    const std::lock_guard lock{mutex_};
    owner_ = std::move(owner);
  }

  void tell_notice(std::string text) {
    const std::lock_guard lock{mutex_};
    news_.notices.push_back(std::move(text));
  }

private:
  mutable std::mutex mutex_;
  const std::shared_ptr<SharedStore> store_;
  News news_;
  std::optional<StoreOwner> owner_;
  bool is_over_ = false;
};

// Starts the actor that waits for the ownership. It sends `StoreNews` to `owner` when there is
// something new in `stand_by`, and ends when it owns the outbox.
caf::actor spawn_outbox_waiter(caf::actor_system& system, const caf::actor_addr& owner,
                               std::shared_ptr<StandBy> stand_by, SharedOutbox outbox);

} // namespace backoff_actor
