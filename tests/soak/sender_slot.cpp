#include "sender_slot.hpp"

#include <backoff_actor/caf/messages/sender_control.hpp>
#include <backoff_actor/delivery/store_error.hpp>
#include <backoff_actor/testing/faults/faulty_actor.hpp>

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <utility>

namespace backoff_actor::soak {

/// The youngest child of all senders of a slot.
struct SenderSlot::Children {
  std::mutex mutex;
  caf::actor_addr youngest;
};

SenderSlot::SenderSlot(Shared& shared, SenderKind kind, std::uint64_t seed)
  : Place(shared, std::move(kind)), faults_(this->kind().faults.with_seed(seed)),
    children_(std::make_shared<Children>()) {
  sender_ = make_sender();
}

caf::actor SenderSlot::make_sender() const {
  auto options = options_of(kind(), shared());
  auto make = testing::faulty_children(kind().children, faults_, kind().births);
  return spawn_back_off_sender(
    shared().system,
    [make = std::move(make), children = children_](caf::event_based_actor* sender) {
      auto child = make(sender);
      const std::lock_guard lock{children->mutex};
      children->youngest = child ? child.address() : caf::actor_addr{};
      return child;
    },
    std::move(options));
}

caf::actor SenderSlot::sender() const {
  const std::lock_guard lock{mutex_};
  return sender_;
}

void SenderSlot::succeed(const caf::actor& gone) {
  const std::lock_guard lock{mutex_};
  if (sender_ != gone || !sender_)
    return;
  try {
    sender_ = make_sender();
  } catch (const StoreError&) {
    // The last one has not let go of the outbox yet.
  }
}

void SenderSlot::end_sender(bool politely) {
  caf::actor old;
  {
    const std::lock_guard lock{mutex_};
    if (!sender_ || kind().submission == Submission::plain_send)
      return;
    old = kind().options.outbox ? sender_ : std::exchange(sender_, make_sender());
  }
  if (politely)
    caf::anon_send(old, Stop{});
  else
    caf::anon_send_exit(old, kind().options.outbox ? caf::exit_reason::kill
                                                   : caf::exit_reason::user_shutdown);
}

void SenderSlot::end_child(bool kill) {
  caf::actor child;
  {
    const std::lock_guard lock{children_->mutex};
    child = caf::actor_cast<caf::actor>(children_->youngest);
  }
  if (child)
    caf::anon_send_exit(child,
                        kill ? caf::exit_reason::kill : caf::exit_reason::remote_link_unreachable);
}

void SenderSlot::end() {
  const std::lock_guard lock{mutex_};
  if (sender_)
    caf::anon_send(std::exchange(sender_, {}), Stop{});
  const std::lock_guard children_lock{children_->mutex};
  children_->youngest = {};
}

} // namespace backoff_actor::soak
