#include "backoff_actor/caf/owned/internal/outbox_waiter.hpp"

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/delivery/store_error.hpp"

#include <caf/actor_cast.hpp>

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace backoff_actor {

namespace {

// How long one wait in a thread of its own takes at the most, and how often another thread looks.
constexpr std::chrono::seconds longest_wait{5};
constexpr std::chrono::seconds poll{1};

// The delay after a failure of the server, and after one that only people can mend. A server locks
// out a user who tries a wrong password too often.
const Policy reconnect_policy =
  Exponential{.first = std::chrono::milliseconds{100}, .cap = std::chrono::seconds{10}};
constexpr std::chrono::seconds after_refusal{10};

class OutboxWaiter final : public caf::event_based_actor {
public:
  OutboxWaiter(caf::actor_config& config, caf::actor_addr owner, std::shared_ptr<StandBy> stand_by,
               SharedOutbox outbox)
    : caf::event_based_actor(config), owner_(std::move(owner)), stand_by_(std::move(stand_by)),
      outbox_(std::move(outbox)), delay_(reconnect_policy, 0, 0) {}

  const char* name() const override { return "backoff_actor.outbox_waiter"; }

  caf::behavior make_behavior() override {
    compat::enqueue(caf::actor_cast<caf::actor>(this), WriteNow{});
    return {[this](const WriteNow&) { look(); }};
  }

  void on_exit() override {
    outbox_ = {};
    stand_by_ = nullptr;
  }

private:
  bool has_own_thread() const { return outbox_.options.thread == WriterThread::own; }

  void look() {
    if (stand_by_->is_over())
      return quit();
    Duration pause{0};
    try {
      if (own())
        return quit();
      delay_ = delay_.reset();
      pause = has_own_thread() ? Duration{0} : Duration{poll};
    } catch (const StoreError& error) {
      pause = fail(error);
    } catch (const std::exception& exception) {
      pause = fail(
        StoreError(StoreFailure::input_output, outbox_.store->name() + ": " + exception.what()));
    }
    if (pause > Duration::zero())
      compat::send_later(*this, pause, WriteNow{});
    else
      compat::enqueue(caf::actor_cast<caf::actor>(this), WriteNow{});
  }

  // Who owns the outbox is asked before each wait, for the errors of those that want to use it.
  bool own() {
    auto store = outbox_.store->own(Duration::zero());
    if (!store) {
      const auto owner = outbox_.store->owner();
      stand_by_->tell(owner);
      look_at_holder(owner ? owner->held_by : std::string{});
      if (has_own_thread())
        store = outbox_.store->own(longest_wait);
    }
    if (!store)
      return false;
    stand_by_->tell(DurableOutbox{std::move(store), outbox_.types, outbox_.options});
    tell_owner();
    return true;
  }

  // A new owner holds the lock for a moment before it is named. So only who is there at two looks
  // in a row is told.
  void look_at_holder(const std::string& held_by) {
    if (!held_by.empty() && held_by == last_holder_ && held_by != told_holder_) {
      told_holder_ = held_by;
      stand_by_->tell_notice(outbox_.store->name() + ": " + held_by
                             + " holds its lock and is no owner, so nobody can own it");
      tell_owner();
    }
    last_holder_ = held_by;
    if (held_by.empty())
      told_holder_.clear();
  }

  Duration fail(const StoreError& error) {
    if (outbox_.options.on_error) {
      try {
        outbox_.options.on_error(error);
      } catch (...) {
        // An exception of the callback must not stop the waiter.
      }
    }
    stand_by_->tell_notice(error.what());
    tell_owner();
    if (error.failure() != StoreFailure::unreachable)
      return after_refusal;
    delay_ = delay_.next();
    return delay_.wait_time();
  }

  void tell_owner() {
    if (const auto owner = caf::actor_cast<caf::actor>(owner_))
      compat::enqueue(owner, StoreNews{});
  }

  const caf::actor_addr owner_;
  std::shared_ptr<StandBy> stand_by_;
  SharedOutbox outbox_;
  BackOff delay_;
  std::string last_holder_; // as `StoreOwner::held_by`, at the last look
  std::string told_holder_;
};

} // namespace

caf::actor spawn_outbox_waiter(caf::actor_system& system, const caf::actor_addr& owner,
                               std::shared_ptr<StandBy> stand_by, SharedOutbox outbox) {
  if (outbox.options.thread == WriterThread::own)
    return system.spawn<OutboxWaiter, caf::detached>(owner, std::move(stand_by), std::move(outbox));
  return system.spawn<OutboxWaiter>(owner, std::move(stand_by), std::move(outbox));
}

} // namespace backoff_actor
