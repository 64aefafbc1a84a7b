#include "backoff_actor/testing/dangerous_actor.hpp"

#include "backoff_actor/caf/messages.hpp"
#include "backoff_actor/caf/retry_after.hpp"

#include <caf/actor_cast.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace backoff_actor::testing {

struct DangerousActor::State {
  std::mutex mutex;
  FaultPlan faults;
  BirthPlan births;
  std::uint64_t taken = 0; // of the faults
  std::vector<Seen> seen;
  std::uint32_t started = 0;
  std::size_t alive = 0;
  caf::actor_addr child;

  Fault next(std::uint32_t incarnation, const std::string& text) {
    const std::lock_guard lock{mutex};
    seen.push_back({incarnation, text});
    return faults[taken++];
  }
};

namespace {

class Incarnation final : public caf::event_based_actor {
public:
  Incarnation(caf::actor_config& config, std::shared_ptr<DangerousActor::State> state,
              std::uint32_t number, Birth birth)
    : caf::event_based_actor(config), state_(std::move(state)), number_(number), birth_(birth) {
    seam::keep_cause(*this);
    const std::lock_guard lock{state_->mutex};
    ++state_->alive;
  }

  ~Incarnation() override { leave(); }

  caf::behavior make_behavior() override {
    if (birth_ == Birth::dies_at_birth)
      throw std::runtime_error("died at birth");
    return {
      [this](std::uint64_t index) { go_on(index); },
      [this](const std::string& text) { return perform(text, nullptr); },
      [this](const TrackedMsg& delivery) {
        return perform(delivery.payload.get_as<std::string>(0), &delivery);
      },
    };
  }

  void on_exit() override {
    late_.clear();
    leave();
  }

private:
  struct Late {
    caf::response_promise promise;
    caf::message answer;
    Duration left{0}; // after the next tick
    Duration working{0};
    std::uint64_t delivery = 0; // of the TrackedMsg, if it was one
    caf::strong_actor_ptr sender{};
  };

  caf::result<caf::message> perform(const std::string& text, const TrackedMsg* delivery) {
    const auto answer =
      delivery ? caf::make_message(sent(*delivery, text)) : caf::make_message(text);
    const auto fault = state_->next(number_, text);
    if (is_hanging_) {
      late_.push_back({make_response_promise(), {}});
      return caf::delegated<caf::message>{};
    }
    switch (fault.kind) {
    case Fault::Kind::ok:
      return answer;
    case Fault::Kind::crash:
      throw std::runtime_error(message_of(fault));
    case Fault::Kind::crash_like_error:
      return caf::make_error(caf::sec::runtime_error);
    case Fault::Kind::nack:
      if (delivery)
        return caf::make_message(
          Nack{delivery->id, error_of(testing::error(message_of(fault))), fault.delay});
      return retry_after(caf::sec::invalid_argument, fault.delay, message_of(fault));
    case Fault::Kind::reject:
      if (delivery)
        return caf::make_message(Reject{delivery->id, error_of(fault)});
      return error_of(fault);
    case Fault::Kind::error:
      return error_of(fault);
    case Fault::Kind::hang:
      is_hanging_ = true;
      break;
    case Fault::Kind::slow:
    case Fault::Kind::silence:
    case Fault::Kind::stop:
      break;
    }
    late_.push_back({make_response_promise(), answer});
    if (fault.kind == Fault::Kind::slow) {
      auto& late = late_.back();
      late.left = fault.delay;
      if (delivery) {
        late.working = fault.working;
        late.delivery = delivery->id;
        late.sender = late.promise.source();
      }
      wait(late_.size() - 1);
    } else if (fault.kind == Fault::Kind::stop) {
      quit();
    }
    return caf::delegated<caf::message>{};
  }

  void wait(std::uint64_t index) {
    auto& late = late_[index];
    const auto span =
      late.working > Duration::zero() ? std::min(late.working, late.left) : late.left;
    late.left -= span;
    seam::send_later(*this, span, index);
  }

  void go_on(std::uint64_t index) {
    auto& late = late_[index];
    if (late.left == Duration::zero()) {
      late.promise.deliver(std::move(late.answer));
      return;
    }
    seam::enqueue(caf::actor_cast<caf::actor>(late.sender), Working{late.delivery});
    wait(index);
  }

  void leave() {
    const std::lock_guard lock{state_->mutex};
    if (std::exchange(is_alive_, false))
      --state_->alive;
  }

  std::shared_ptr<DangerousActor::State> state_;
  std::uint32_t number_;
  Birth birth_;
  bool is_alive_ = true;
  bool is_hanging_ = false;
  std::vector<Late> late_; // of those not answered at once
};

} // namespace

caf::error error_of(const Fault& fault) {
  if (fault.kind == Fault::Kind::crash || fault.kind == Fault::Kind::crash_like_error)
    return caf::make_error(caf::sec::runtime_error, message_of(fault));
  return fault.delay > Duration::zero()
           ? retry_after(caf::sec::invalid_argument, fault.delay, message_of(fault))
           : caf::make_error(caf::sec::invalid_argument, message_of(fault));
}

DangerousActor::DangerousActor(FaultPlan faults, BirthPlan births)
  : state_(std::make_shared<State>()) {
  state_->faults = std::move(faults);
  state_->births = std::move(births);
}

ChildFactory DangerousActor::factory() const {
  return [state = state_](caf::event_based_actor* sender) -> caf::actor {
    auto birth = Birth::healthy;
    std::uint32_t number = 0;
    {
      const std::lock_guard lock{state->mutex};
      birth = state->births[state->started];
      number = ++state->started;
    }
    if (birth == Birth::factory_throws)
      throw std::runtime_error("no voltage");
    if (birth == Birth::no_actor)
      return {};
    auto child = sender->spawn<Incarnation>(state, number, birth);
    const std::lock_guard lock{state->mutex};
    state->child = child.address();
    return child;
  };
}

std::vector<DangerousActor::Seen> DangerousActor::seen() const {
  const std::lock_guard lock{state_->mutex};
  return state_->seen;
}

std::vector<std::string> DangerousActor::texts() const {
  std::vector<std::string> result;
  for (auto& seen : seen())
    result.push_back(std::move(seen.text));
  return result;
}

std::size_t DangerousActor::started() const {
  const std::lock_guard lock{state_->mutex};
  return state_->started;
}

std::size_t DangerousActor::alive() const {
  const std::lock_guard lock{state_->mutex};
  return state_->alive;
}

caf::actor DangerousActor::child() const {
  const std::lock_guard lock{state_->mutex};
  return caf::actor_cast<caf::actor>(state_->child);
}

caf::actor DangerousActor::spawn(caf::actor_system& system) const {
  std::uint32_t number = 0;
  {
    const std::lock_guard lock{state_->mutex};
    number = ++state_->started;
  }
  auto result = system.spawn<Incarnation>(state_, number, Birth::healthy);
  const std::lock_guard lock{state_->mutex};
  state_->child = result.address();
  return result;
}

void DangerousActor::follow(FaultPlan faults) {
  const std::lock_guard lock{state_->mutex};
  state_->faults = std::move(faults);
  state_->taken = 0;
}

} // namespace backoff_actor::testing
