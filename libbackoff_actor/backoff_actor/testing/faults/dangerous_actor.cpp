#include "backoff_actor/testing/faults/dangerous_actor.hpp"

#include "backoff_actor/caf/actor/work_in_hand.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/tracked.hpp"
#include "backoff_actor/testing/faults/fault_answer.hpp"

#include <caf/actor_cast.hpp>
#include <caf/result.hpp>
#include <caf/sec.hpp>
#include <caf/unit.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

namespace backoff_actor::testing {

struct DangerousActor::State {
  std::mutex mutex;
  BirthPlan births;
  std::vector<Seen> seen;
  std::uint32_t started = 0;
  std::size_t alive = 0;
  caf::actor_addr child;
};

namespace {

class DangerousChild final : public caf::event_based_actor {
public:
  DangerousChild(caf::actor_config& config, std::shared_ptr<DangerousActor::State> state,
                 Faults faults, std::uint32_t number, Birth birth)
    : caf::event_based_actor(config), state_(std::move(state)), faults_(std::move(faults)),
      number_(number), birth_(birth) {
    compat::keep_cause(*this);
    const std::lock_guard lock{state_->mutex};
    ++state_->alive;
  }

  ~DangerousChild() override { leave(); }

  caf::behavior make_behavior() override {
    if (birth_ == Birth::dies_at_birth)
      throw std::runtime_error("died at birth");
    return {
      [this](std::uint64_t index) -> caf::result<void> {
        if (current_sender() != ctrl()) // a message from another actor, not its own tick
          return caf::make_error(caf::sec::unexpected_message);
        go_on(index);
        return caf::unit;
      },
      [this](const std::string& text) { return perform(text, nullptr); },
      [this](const TrackedMsg& delivery) -> caf::result<caf::message> {
        if (!delivery.payload.match_elements<std::string>())
          return caf::make_error(caf::sec::unexpected_message);
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
    Duration left{0}; // the delay that remains after the next tick
    Duration working{0};
    std::optional<WorkInHand> work{};
    std::string note{};
  };

  caf::result<caf::message> perform(const std::string& text, const TrackedMsg* delivery) {
    if (is_hanging_) {
      late_.push_back({make_response_promise(), {}});
      return caf::delegated<caf::message>{};
    }
    const auto answer =
      delivery ? caf::make_message(sent(*delivery, text)) : caf::make_message(text);
    const auto fault = next_fault(text);
    if (fault.kind == Fault::Kind::ok)
      return answer;
    if (fault.kind == Fault::Kind::crash)
      throw std::runtime_error(message_of(fault));
    if (auto instead = answer_of(fault, delivery))
      return as_result(std::move(*instead));
    is_hanging_ = fault.kind == Fault::Kind::hang;
    const WorkInHand work{*this};
    late_.push_back({make_response_promise(), answer});
    if (fault.kind == Fault::Kind::slow) {
      auto& late = late_.back();
      late.left = fault.delay;
      late.working = fault.working;
      late.work = work;
      late.note = fault.text;
      wait(late_.size() - 1);
    } else if (fault.kind == Fault::Kind::stop) {
      quit();
    }
    return caf::delegated<caf::message>{};
  }

  // Takes the fault and notes the message under one lock, so that `seen` has the order of the
  // faults.
  Fault next_fault(const std::string& text) {
    const std::lock_guard lock{state_->mutex};
    state_->seen.push_back({number_, text});
    return faults_.next({clock().now().time_since_epoch()}, std::string{"child "}
                                                              .append(std::to_string(number_))
                                                              .append(", \"")
                                                              .append(text)
                                                              .append("\""));
  }

  static caf::result<caf::message> as_result(caf::message answer) {
    if (answer.match_elements<caf::error>())
      return answer.get_as<caf::error>(0);
    return answer;
  }

  void wait(std::uint64_t index) {
    auto& late = late_[index];
    const auto span =
      late.working > Duration::zero() ? std::min(late.working, late.left) : late.left;
    late.left -= span;
    compat::send_later(*this, span, index);
  }

  void go_on(std::uint64_t index) {
    if (is_hanging_)
      return;
    auto& late = late_[index];
    if (late.left == Duration::zero()) {
      late.promise.deliver(std::move(late.answer));
      return;
    }
    late.work->still_working(late.note);
    wait(index);
  }

  void leave() {
    const std::lock_guard lock{state_->mutex};
    if (std::exchange(is_alive_, false))
      --state_->alive;
  }

  std::shared_ptr<DangerousActor::State> state_;
  Faults faults_;
  std::uint32_t number_;
  Birth birth_;
  bool is_alive_ = true;
  bool is_hanging_ = false;
  std::vector<Late> late_; // answers that did not come at once
};

} // namespace

DangerousActor::DangerousActor(Faults faults, BirthPlan births)
  : faults_(std::move(faults)), state_(std::make_shared<State>()) {
  state_->births = std::move(births);
}

ChildFactory DangerousActor::factory() const {
  return [state = state_, faults = faults_](caf::event_based_actor* sender) -> caf::actor {
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
    auto child = sender->spawn<DangerousChild>(state, faults, number, birth);
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
  auto result = system.spawn<DangerousChild>(state_, faults_, number, Birth::healthy);
  const std::lock_guard lock{state_->mutex};
  state_->child = result.address();
  return result;
}

} // namespace backoff_actor::testing
