// Where messages to an address go:
//
//     direct   to the present actor, while it takes messages and nothing is kept
//     kept     behind all others, otherwise; a new actor gets them one by one, and threads with
//              newcomers wait until none is left
//     closed   to nobody: the child stays down

#include "backoff_actor/caf/child/child_ref.hpp"

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/dead_letter_record.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/internal/thrown.hpp"
#include "backoff_actor/delivery/internal/delivery_slots.hpp"
#include "backoff_actor/process/internal/checked_lock.hpp"
#include "backoff_actor/process/internal/error_stream.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <list>
#include <thread>
#include <utility>

namespace backoff_actor {

class ChildRef::Target final : public compat::Forwarding {
public:
  Target(caf::actor_system& system, ChildBuffer buffer)
    : system_(system), buffer_(std::move(buffer)) {}

  ~Target() override {
    child_ = nullptr;
    close();
  }

  caf::strong_actor_ptr receiver_of(caf::mailbox_element_ptr& message) override {
    if (auto child = direct_receiver())
      return reachable(std::move(child), message);
    Kept newcomer;
    if (auto error = weigh(*message, newcomer)) {
      lose({std::move(message), 0, now()}, DeadLetterReason::dropped, std::move(error));
      return nullptr;
    }
    std::list<Kept> lost;
    caf::error error;
    caf::strong_actor_ptr child;
    {
      detail::Lock lock{mutex_};
      while (is_passing_on() && !passes_on_itself())
        has_passed_on_.wait(lock);
      if (is_direct()) {
        child = child_; // by now
      } else {
        newcomer.message = std::move(message);
        error = keep(std::move(newcomer), lost);
      }
    }
    if (child)
      return reachable(std::move(child), message);
    for (auto& x : lost)
      lose(std::move(x), DeadLetterReason::dropped, error);
    return nullptr;
  }

  void point_to(caf::strong_actor_ptr child) {
    {
      // The old handle is released after the lock: that may end its actor, which may use this
      // address.
      const detail::Lock lock{mutex_};
      child_.swap(child);
      is_open_ = true;
      if (kept_.empty() || is_passing_on()) // then to the new one
        return;
      passer_ = std::this_thread::get_id();
    }
    pass_on_kept();
  }

  void leave(const caf::strong_actor_ptr& child) {
    caf::strong_actor_ptr left; // released after the lock
    const detail::Lock lock{mutex_};
    if (child_ == child)
      left.swap(child_);
  }

  void expect_actor() {
    const detail::Lock lock{mutex_};
    is_open_ = true;
  }

  std::size_t close() {
    std::list<Kept> lost;
    {
      const detail::Lock lock{mutex_};
      if (child_)
        return 0;
      is_open_ = false;
      bytes_ = 0;
      lost.swap(kept_);
    }
    const auto count = lost.size();
    for (auto& x : lost)
      lose(std::move(x), DeadLetterReason::stopped, make_error(SupervisorError::no_child));
    return count;
  }

  caf::strong_actor_ptr current() const {
    const detail::Lock lock{mutex_};
    return child_;
  }

  std::size_t kept() const {
    const detail::Lock lock{mutex_};
    return kept_.size();
  }

  std::uint64_t undelivered() const { return undelivered_.load(std::memory_order_relaxed); }

private:
  struct Kept {
    caf::mailbox_element_ptr message;
    std::uint64_t weight = 0;
    Instant since{};
  };

  Instant now() const { return {system_.clock().now().time_since_epoch()}; }

  // Whether a message overtakes nobody on its way to the present actor, which takes messages.
  bool is_direct() const BACKOFF_ACTOR_REQUIRES(mutex_) {
    return child_ && kept_.empty() && !is_passing_on() && !compat::is_closed(child_);
  }

  bool is_passing_on() const BACKOFF_ACTOR_REQUIRES(mutex_) { return passer_ != std::thread::id{}; }

  // Such as a hook that is told of a message on its way.
  bool passes_on_itself() const BACKOFF_ACTOR_REQUIRES(mutex_) {
    return passer_ == std::this_thread::get_id();
  }

  caf::strong_actor_ptr direct_receiver() const {
    const detail::Lock lock{mutex_};
    return is_direct() ? child_ : nullptr;
  }

  // Returns the child, or null after it has bounced a message that cannot reach another node.
  caf::strong_actor_ptr reachable(caf::strong_actor_ptr child, caf::mailbox_element_ptr& message) {
    if (child->node() == system_.node())
      return child;
    auto error = compat::unknown_type(system_, compat::content_of(*message));
    if (!error)
      return child;
    lose({std::move(message), 0, now()}, DeadLetterReason::rejected, std::move(error));
    return nullptr;
  }

  // Returns why a message cannot be kept.
  caf::error weigh(const caf::mailbox_element& message, Kept& newcomer) const {
    const auto content = compat::content_of(message);
    if (compat::is_system_message(content))
      return make_error(SupervisorError::no_child);
    newcomer.since = now();
    if (!buffer_.capacity_bytes)
      return {};
    try {
      newcomer.weight =
        buffer_.weight_of ? buffer_.weight_of(content) : compat::serialized_size(system_, content);
      return {};
    } catch (...) {
      return compat::error_of(std::current_exception());
    }
  }

  bool has_room(std::uint64_t weight) const BACKOFF_ACTOR_REQUIRES(mutex_) {
    return kept_.size() < buffer_.capacity
           && (!buffer_.capacity_bytes
               || (bytes_ <= *buffer_.capacity_bytes
                   && weight <= *buffer_.capacity_bytes - bytes_));
  }

  // Returns the error for those that it adds to `lost`.
  caf::error keep(Kept newcomer, std::list<Kept>& lost) BACKOFF_ACTOR_REQUIRES(mutex_) {
    if (!is_open_ || buffer_.capacity == 0) {
      lost.push_back(std::move(newcomer));
      return make_error(SupervisorError::no_child);
    }
    const auto fits = !buffer_.capacity_bytes || newcomer.weight <= *buffer_.capacity_bytes;
    while (fits && buffer_.overflow == Overflow::drop_oldest && !has_room(newcomer.weight))
      lost.push_back(take_oldest());
    if (has_room(newcomer.weight)) {
      bytes_ += newcomer.weight;
      kept_.push_back(std::move(newcomer));
    } else {
      lost.push_back(std::move(newcomer));
    }
    return make_error(buffer_.overflow == Overflow::refuse ? SenderError::outbox_full
                                                           : SenderError::dropped);
  }

  Kept take_oldest() BACKOFF_ACTOR_REQUIRES(mutex_) {
    auto result = std::move(kept_.front());
    kept_.pop_front();
    bytes_ -= result.weight;
    return result;
  }

  // One thread at a time does this, without the lock while CAF takes the message.
  void pass_on_kept() {
    for (;;) {
      caf::strong_actor_ptr child;
      Kept next;
      {
        const detail::Lock lock{mutex_};
        if (!child_ || kept_.empty() || compat::is_closed(child_)) {
          passer_ = {};
          break;
        }
        child = child_;
        next = take_oldest();
      }
      if (const auto receiver = reachable(std::move(child), next.message))
        receiver->enqueue(std::move(next.message), nullptr);
    }
    has_passed_on_.notify_all();
  }

  void lose(Kept lost, DeadLetterReason reason, caf::error error) {
    const auto is_request = lost.message->sender && lost.message->mid.is_request();
    if (!is_request)
      undelivered_.fetch_add(1, std::memory_order_relaxed);
    if (buffer_.on_dead_letter)
      tell(lost, reason);
    compat::bounce(std::move(lost.message), std::move(error));
  }

  void tell(const Kept& lost, DeadLetterReason reason) {
    DeadLetter letter;
    letter.id = ++letters_;
    letter.reason = reason;
    letter.age = now() - lost.since;
    letter.message = compat::content_of(*lost.message);
    letter.client = caf::actor_cast<caf::actor_addr>(lost.message->sender);
    try {
      buffer_.on_dead_letter(letter);
    } catch (...) {
      detail::tell_error_stream("backoff_actor: on_dead_letter of a ChildRef threw: "
                                + detail::thrown_text(std::current_exception())
                                + "; nobody else gets " + to_string(letter));
    }
  }

  caf::actor_system& system_;
  const ChildBuffer buffer_;
  mutable detail::Mutex mutex_;
  caf::strong_actor_ptr child_ BACKOFF_ACTOR_GUARDED_BY(mutex_);
  std::list<Kept> kept_ BACKOFF_ACTOR_GUARDED_BY(mutex_); // the oldest first
  std::uint64_t bytes_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = 0;
  bool is_open_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = true; // an actor may come
  std::thread::id
    passer_ BACKOFF_ACTOR_GUARDED_BY(mutex_){}; // is in `pass_on_kept`; none: nobody is
  std::condition_variable has_passed_on_;
  std::atomic<std::uint64_t> undelivered_ = 0;
  std::atomic<std::uint64_t> letters_ = 0;
};

Problems check(const ChildBuffer& buffer) {
  constexpr std::uint64_t most_bytes = std::numeric_limits<std::int64_t>::max();
  Problems problems{"ChildBuffer"};
  detail::check_count(problems, "capacity", buffer.capacity, 0, DeliverySlots::max_size);
  detail::check_count(problems, "capacity_bytes", buffer.capacity_bytes, 1, most_bytes);
  if (buffer.weight_of && !buffer.capacity_bytes)
    problems.add("weight_of", "a function", "nothing, unless capacity_bytes is set");
  return problems;
}

ChildRef::ChildRef(caf::actor_system& system) : ChildRef(system, {.capacity = 0}) {}

ChildRef::ChildRef(caf::actor_system& system, ChildBuffer buffer) {
  check(buffer).raise_if_any();
  target_ = std::make_shared<Target>(system, std::move(buffer));
  address_ = compat::make_forwarder(system, target_);
}

caf::actor ChildRef::current() const { return caf::actor_cast<caf::actor>(target_->current()); }

std::size_t ChildRef::kept() const { return target_->kept(); }

std::uint64_t ChildRef::undelivered() const { return target_->undelivered(); }

void ChildRef::point_to(const caf::actor& child) {
  target_->point_to(caf::actor_cast<caf::strong_actor_ptr>(child));
}

void ChildRef::leave(const caf::actor& child) {
  target_->leave(caf::actor_cast<caf::strong_actor_ptr>(child));
}

void ChildRef::expect_actor() { target_->expect_actor(); }

std::size_t ChildRef::close() { return target_->close(); }

} // namespace backoff_actor
