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

struct Danger::State {
  std::mutex mutex;
  FaultScript script;
  std::size_t next_act = 0;
  std::vector<Seen> seen;
  std::uint32_t started = 0;
  std::size_t alive = 0;
  caf::actor_addr child;

  Act act_on(std::uint32_t incarnation, const std::string& text) {
    const std::lock_guard lock{mutex};
    seen.push_back({incarnation, text});
    return next_act < script.acts.size() ? script.acts[next_act++] : answer();
  }
};

namespace {

class DangerousActor final : public caf::event_based_actor {
public:
  DangerousActor(caf::actor_config& config, std::shared_ptr<Danger::State> state,
                 std::uint32_t incarnation, Birth birth)
    : caf::event_based_actor(config), state_(std::move(state)), incarnation_(incarnation),
      birth_(birth) {
    seam::keep_cause(*this);
    const std::lock_guard lock{state_->mutex};
    ++state_->alive;
  }

  ~DangerousActor() override { leave(); }

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
    Duration interval{0};
    std::uint64_t delivery = 0; // of the TrackedMsg, if it was one
    caf::strong_actor_ptr sender{};
  };

  caf::result<caf::message> perform(const std::string& text, const TrackedMsg* delivery) {
    const auto answer =
      delivery ? caf::make_message(sent(*delivery, text)) : caf::make_message(text);
    const auto act = state_->act_on(incarnation_, text);
    switch (act.kind) {
    case Act::Kind::answer:
      return answer;
    case Act::Kind::crash:
      throw std::runtime_error(act.text);
    case Act::Kind::crash_like_error:
      return caf::make_error(caf::sec::runtime_error);
    case Act::Kind::nack:
      if (delivery)
        return caf::make_message(Nack{delivery->id, error(act.text), act.delay});
      [[fallthrough]];
    case Act::Kind::busy:
      return retry_after(caf::sec::invalid_argument, act.delay, act.text);
    case Act::Kind::reject:
      if (delivery)
        return caf::make_message(Reject{delivery->id, error(act.text)});
      [[fallthrough]];
    case Act::Kind::error:
      return error(act.text);
    case Act::Kind::answer_later:
    case Act::Kind::silence:
    case Act::Kind::stop:
      break;
    }
    late_.push_back({make_response_promise(), answer});
    if (act.kind == Act::Kind::answer_later) {
      auto& late = late_.back();
      late.left = act.delay;
      if (delivery) {
        late.interval = act.interval;
        late.delivery = delivery->id;
        late.sender = late.promise.source();
      }
      wait(late_.size() - 1);
    } else if (act.kind == Act::Kind::stop) {
      quit();
    }
    return caf::delegated<caf::message>{};
  }

  static caf::error error(const std::string& text) {
    return caf::make_error(caf::sec::invalid_argument, text);
  }

  void wait(std::uint64_t index) {
    auto& late = late_[index];
    const auto span =
      late.interval > Duration::zero() ? std::min(late.interval, late.left) : late.left;
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

  std::shared_ptr<Danger::State> state_;
  std::uint32_t incarnation_;
  Birth birth_;
  bool is_alive_ = true;
  std::vector<Late> late_; // of those not answered at once
};

} // namespace

Danger::Danger(FaultScript script) : state_(std::make_shared<State>()) {
  state_->script = std::move(script);
}

ChildFactory Danger::factory() const {
  return [state = state_](caf::event_based_actor* sender) -> caf::actor {
    auto birth = Birth::healthy;
    std::uint32_t incarnation = 0;
    {
      const std::lock_guard lock{state->mutex};
      const auto index = state->started++;
      incarnation = state->started;
      if (index < state->script.births.size())
        birth = state->script.births[index];
    }
    if (birth == Birth::factory_throws)
      throw std::runtime_error("no voltage");
    if (birth == Birth::no_actor)
      return {};
    auto child = sender->spawn<DangerousActor>(state, incarnation, birth);
    const std::lock_guard lock{state->mutex};
    state->child = child.address();
    return child;
  };
}

std::vector<Danger::Seen> Danger::seen() const {
  const std::lock_guard lock{state_->mutex};
  return state_->seen;
}

std::vector<std::string> Danger::texts() const {
  std::vector<std::string> result;
  for (auto& seen : seen())
    result.push_back(std::move(seen.text));
  return result;
}

std::size_t Danger::started() const {
  const std::lock_guard lock{state_->mutex};
  return state_->started;
}

std::size_t Danger::alive() const {
  const std::lock_guard lock{state_->mutex};
  return state_->alive;
}

caf::actor Danger::child() const {
  const std::lock_guard lock{state_->mutex};
  return caf::actor_cast<caf::actor>(state_->child);
}

void Danger::then(std::vector<Act> acts) {
  const std::lock_guard lock{state_->mutex};
  for (auto& act : acts)
    state_->script.acts.push_back(std::move(act));
}

} // namespace backoff_actor::testing
