#include "backoff_actor/caf/child/child_ref.hpp"

#include "backoff_actor/caf/messages/errors.hpp"

#include <caf/actor_cast.hpp>

#include <atomic>
#include <mutex>

namespace backoff_actor {

class ChildRef::Target final : public compat::Forwarding {
public:
  caf::strong_actor_ptr target() override {
    const std::lock_guard lock{mutex_};
    return child_;
  }

  void point_to(caf::strong_actor_ptr child) {
    // The old handle is released after the lock: that may end its actor, which may use this
    // address.
    const std::lock_guard lock{mutex_};
    child_.swap(child);
  }

  void leave(const caf::strong_actor_ptr& child) {
    caf::strong_actor_ptr left; // released after the lock
    const std::lock_guard lock{mutex_};
    if (child_ == child)
      left.swap(child_);
  }

  caf::error on_nobody(bool is_request) override {
    if (!is_request)
      undelivered_.fetch_add(1, std::memory_order_relaxed);
    return make_error(SupervisorError::no_child);
  }

  std::uint64_t undelivered() const { return undelivered_.load(std::memory_order_relaxed); }

private:
  std::mutex mutex_;
  caf::strong_actor_ptr child_;
  std::atomic<std::uint64_t> undelivered_ = 0;
};

ChildRef::ChildRef(caf::actor_system& system)
  : target_(std::make_shared<Target>()), address_(compat::make_forwarder(system, target_)) {}

caf::actor ChildRef::current() const { return caf::actor_cast<caf::actor>(target_->target()); }

std::uint64_t ChildRef::undelivered() const { return target_->undelivered(); }

void ChildRef::point_to(const caf::actor& child) {
  target_->point_to(caf::actor_cast<caf::strong_actor_ptr>(child));
}

void ChildRef::leave(const caf::actor& child) {
  target_->leave(caf::actor_cast<caf::strong_actor_ptr>(child));
}

} // namespace backoff_actor
