#include "backoff_actor/testing/faults/flaky_channel.hpp"

#include "backoff_actor/backoff/internal/text.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/testing/faults/internal/front.hpp"

#include <mutex>
#include <optional>
#include <utility>

namespace backoff_actor::testing {

namespace {

// The stream of the channel's draws. Random fault plans use stream 0, and senders count up from 0.
// With the same stream and seed, a plan would fail the very messages that the channel drops.
constexpr std::uint64_t stream = 0x666c616b79; // "flaky"

} // namespace

struct FlakyChannel::State {
  explicit State(const Flakiness& x) : flakiness(x), draws(x.seed, stream) {}

  // Returns the delay of the next message; nothing if it is lost.
  std::optional<Duration> next(Direction Account::*direction) {
    const std::lock_guard lock{mutex};
    auto& count = account.*direction;
    const auto u = draws(drawn++);
    if (u < flakiness.drop) {
      ++count.dropped;
      return std::nullopt;
    }
    if (u >= flakiness.drop + flakiness.delay) {
      ++count.passed;
      return Duration::zero();
    }
    ++count.delayed;
    const auto part = draws(drawn++) * static_cast<double>(flakiness.longest_delay.count());
    return Duration{static_cast<Duration::rep>(part) + 1};
  }

  const Flakiness flakiness;
  const Draws draws;
  std::mutex mutex;
  std::uint64_t drawn = 0;
  Account account;
};

namespace {

class FlakyFront final : public detail::Front {
public:
  FlakyFront(caf::actor_config& config, caf::actor target,
             std::shared_ptr<FlakyChannel::State> state)
    : Front(config, std::move(target)), state_(std::move(state)) {}

  const char* name() const override { return "backoff_actor.flaky"; }

private:
  void on_call(compat::OpenRequest client, caf::message payload) override {
    pass(&FlakyChannel::Account::messages, [=, this] { ask(client, payload); });
  }

  void on_own_word(compat::OpenRequest client, caf::message payload) override {
    pass(&FlakyChannel::Account::answers, [=, this] { compat::respond(client, payload, ctrl()); });
  }

  void give_answer(const compat::OpenRequest& client, caf::message answer) override {
    pass(&FlakyChannel::Account::answers, [=, this] { compat::respond(client, answer, ctrl()); });
  }

  void pass(FlakyChannel::Direction FlakyChannel::Account::*direction, std::function<void()> work) {
    const auto span = state_->next(direction);
    if (!span)
      return;
    if (*span == Duration::zero())
      work();
    else
      later(*span, {}, std::move(work)); // a lost message causes no error
  }

  std::shared_ptr<FlakyChannel::State> state_;
};

} // namespace

Problems check(const Flakiness& x) {
  const auto percent = backoff_actor::detail::percent;
  Problems problems;
  if (!(x.drop >= 0 && x.drop <= 1))
    problems.add("drop", percent(x.drop), "0%..100%");
  if (!(x.delay >= 0 && x.delay <= 1))
    problems.add("delay", percent(x.delay), "0%..100%");
  if (problems.empty() && x.drop + x.delay > 1 + 1e-9)
    problems.add("drop + delay", percent(x.drop + x.delay), "0%..100%");
  if (x.longest_delay <= Duration::zero())
    problems.add("longest_delay", backoff_actor::to_string(x.longest_delay), "more than 0ns");
  return problems;
}

FlakyChannel::FlakyChannel(const Flakiness& flakiness) {
  check(flakiness).raise_if_any();
  state_ = std::make_shared<State>(flakiness);
}

caf::actor FlakyChannel::spawn(const caf::actor& target) const {
  Problems problems;
  if (!target)
    problems.add("target", "an invalid handle", "the handle of an actor");
  problems.raise_if_any();
  return target->home_system().spawn<FlakyFront>(target, state_);
}

ChildFactory FlakyChannel::to_children(const ChildFactory& factory) const {
  Problems problems;
  if (!factory)
    problems.add("factory", "none", "a function that makes a child");
  problems.raise_if_any();
  return factory.wrapped([state = state_](caf::event_based_actor* sender, const caf::actor& child) {
    return caf::actor{sender->spawn<FlakyFront>(child, state)};
  });
}

FlakyChannel::Account FlakyChannel::account() const {
  const std::lock_guard lock{state_->mutex};
  return state_->account;
}

} // namespace backoff_actor::testing
