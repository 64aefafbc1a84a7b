// Random walks of several senders that share a rate. Whatever comes, there are never more calls in
// any time than the rate allows. And when the service is well, what is owed is done at the pace of
// the rate: no call that is allowed is left unused while a sender waits.
//
// common/random_walk.hpp says how a failing walk is shrunk, printed and repeated.

#include "backoff_actor/engine/sender/sender_engine.hpp"
#include "backoff_actor/guard/internal/guard.hpp"
#include "calls_of_rate.hpp"
#include "common/random_walk.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <ostream>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::model_test::rate_walk {

using namespace std::chrono_literals;

namespace {

struct Setting {
  unsigned senders; // and one
  unsigned calls;
  unsigned burst;
  unsigned works_on;
  unsigned ordering;
  unsigned budget;
};

void showValue(const Setting& x, std::ostream& out) { // NOLINT: rapidcheck's name
  out << "senders " << x.senders << ", calls " << x.calls << ", burst " << x.burst << ", works_on "
      << x.works_on << ", ordering " << x.ordering << ", budget " << x.budget;
}

GuardOptions guard_of(const Setting& x) {
  GuardOptions result;
  result.rate = RateOptions{.calls = x.calls == 0   ? 50U
                                     : x.calls == 1 ? 7U
                                                    : 1U,
                            .burst = 1 + x.burst};
  if (x.budget != 0)
    result.retry_budget = RetryBudgetOptions{0.2, 100, 1s};
  return result;
}

EngineOptions options_of(const Setting& x) {
  EngineOptions result;
  result.backoff = BackOff{Exponential{.first = 10ms, .factor = 2, .cap = 100ms} | full_jitter, 3};
  result.ordering = x.ordering == 0   ? Ordering::strict
                    : x.ordering == 1 ? Ordering::per_key
                                      : Ordering::unordered;
  result.works_on = x.works_on == 0 ? WorksOn::one : WorksOn::many;
  return result;
}

// Passes each call on to a guard, and judges those that it allows.
class JudgedGuard final : public GuardPort {
public:
  explicit JudgedGuard(const GuardOptions& options) : guard(options, 7), calls(options.rate) {}

  Admission admit(Instant now, Call call) override {
    const auto answer = guard.admit(now, call);
    if (const auto* const held_back = std::get_if<HeldBack>(&answer))
      RC_ASSERT(held_back->until > now);
    else if (call != Call::start)
      calls.add(now);
    return answer;
  }
  void succeeded(Permit permit, Instant now) override { guard.succeeded(permit, now); }
  void failed(Permit permit, Instant now) override { guard.failed(permit, now); }
  void forgotten(Permit permit, Instant now) override { guard.forgotten(permit, now); }
  bool is_closed() const override { return guard.is_closed(); }

  Guard guard;
  CallsOfRate calls;
};

enum class Action : std::uint8_t {
  submit,
  acknowledged,
  nacked,
  crash,
  tick,
  advance,
  retry_now,
  reset,
  closed,
};

// From the simplest on.
constexpr test::Choice<Action> actions[] = {
  {4, Action::submit, "submit"},       {3, Action::acknowledged, "acknowledged"},
  {1, Action::nacked, "nacked"},       {1, Action::crash, "crash"},
  {3, Action::tick, "tick"},           {2, Action::advance, "advance"},
  {1, Action::retry_now, "retry_now"}, {1, Action::reset, "reset"},
  {1, Action::closed, "closed"}};

using Step = test::DrawnStep<Action, actions>;

// One sender, with children that start at once.
class Sender {
public:
  Sender(const EngineOptions& options, std::uint64_t stream)
    : engine_(std::make_shared<const EngineOptions>(options), stream) {}

  void take(Instant now, const Input& input) {
    if (std::holds_alternative<input::Wake>(input))
      wake_at_ = Instant::never();
    Effects effects;
    engine_.step(now, input, effects);
    for (const auto& effect : effects)
      if (const auto* const handed = std::get_if<effect::HandOver>(&effect))
        open_.insert(handed->hand_over.value);
      else if (const auto* const wake = std::get_if<effect::WakeAt>(&effect))
        wake_at_ = wake->at;
    for (const auto& effect : effects)
      if (const auto* const start = std::get_if<effect::StartChild>(&effect))
        take(now, input::ChildStarted{start->incarnation});
  }

  // Answers one of the hand-overs.
  template <class Answer>
  void answer(Instant now, std::size_t which, Answer answer) {
    if (open_.empty())
      return;
    const auto it = std::next(open_.begin(), static_cast<std::ptrdiff_t>(which % open_.size()));
    const HandOverId id{*it};
    open_.erase(it);
    take(now, answer(id));
  }

  void crash(Instant now) {
    open_.clear();
    take(now, input::ChildDown{engine_.incarnation(), {3, "down"}});
  }

  void acknowledge_all(Instant now) {
    while (!open_.empty())
      answer(now, 0, [](HandOverId id) { return input::Acknowledged{id}; });
  }

  Instant wake_at() const { return wake_at_; }
  std::size_t owed() const { return engine_.owed(); }

private:
  SenderEngine engine_;
  std::set<std::uint64_t> open_{}; // hand-overs of which nothing came back
  Instant wake_at_ = Instant::never();
};

class RateWalk {
public:
  explicit RateWalk(const Setting& setting)
    : guard_(std::make_shared<JudgedGuard>(guard_of(setting))) {
    auto options = options_of(setting);
    options.guard = guard_;
    for (unsigned i = 0; i <= setting.senders; ++i)
      senders_.push_back(std::make_unique<Sender>(options, i));
    for (const auto& sender : senders_)
      sender->take(now_, input::Start{});
  }

  void take(const Step& drawn) {
    const auto value = drawn.number;
    auto& sender = *senders_[value % senders_.size()];
    switch (drawn.action) {
    case Action::submit:
      return sender.take(now_, input::Submit{Instant::never(), value % 3});
    case Action::acknowledged:
      return sender.answer(now_, value, [](HandOverId id) { return input::Acknowledged{id}; });
    case Action::nacked:
      return sender.answer(now_, value, [](HandOverId id) {
        return input::Nacked{id, {4, "busy"}};
      });
    case Action::crash:
      return sender.crash(now_);
    case Action::tick:
      return tick();
    case Action::advance:
      return advance(now_ + std::chrono::milliseconds{value});
    case Action::retry_now:
      return sender.take(now_, input::RetryNow{});
    case Action::reset:
      return sender.take(now_, input::Reset{});
    case Action::closed:
      return sender.take(now_, input::GuardClosed{std::chrono::milliseconds{value}});
    }
  }

  // From now on nothing fails, and whoever was given a turn comes.
  void finish() {
    const auto began = now_;
    const auto owed_at_first = owed();
    acknowledge_all();
    while (owed() > 0) {
      RC_ASSERT(next_wake() != Instant::never());
      tick();
      acknowledge_all();
    }
    // What is left of a delay, of turns that nobody came for, and of the budget.
    const auto slack = 100ms + 1s + 1s;
    const auto interval = Rate{*guard_->guard.options().rate}.interval();
    RC_ASSERT(now_ - began <= static_cast<Duration::rep>(owed_at_first) * interval + slack);
  }

private:
  void acknowledge_all() {
    for (const auto& sender : senders_)
      sender->acknowledge_all(now_);
  }

  std::size_t owed() const {
    std::size_t result = 0;
    for (const auto& sender : senders_)
      result += sender->owed();
    return result;
  }

  Instant next_wake() const {
    auto result = Instant::never();
    for (const auto& sender : senders_)
      result = std::min(result, sender->wake_at());
    return result;
  }

  void tick() {
    if (next_wake() != Instant::never())
      advance(next_wake());
  }

  // Wakes each sender at its time.
  void advance(Instant until) {
    while (next_wake() <= until) {
      now_ = std::max(now_, next_wake());
      for (const auto& sender : senders_)
        if (sender->wake_at() <= now_)
          sender->take(now_, input::Wake{});
    }
    now_ = std::max(now_, until);
  }

  std::shared_ptr<JudgedGuard> guard_;
  std::vector<std::unique_ptr<Sender>> senders_{};
  Instant now_{};
};

rc::Gen<unsigned> one_of(unsigned count) { return rc::gen::inRange(0U, count); }

rc::Gen<Setting> arbitrary_setting() {
  using rc::gen::set;
  return rc::gen::build<Setting>(
    set(&Setting::senders, one_of(4)), set(&Setting::calls, one_of(3)),
    set(&Setting::burst, one_of(4)), set(&Setting::works_on, one_of(2)),
    set(&Setting::ordering, one_of(3)), set(&Setting::budget, one_of(2)));
}

} // namespace

TEST(rate_walk, never_makes_more_calls_than_the_rate_allows_and_leaves_none_unused) {
  const auto make_walk = [] { return RateWalk{*arbitrary_setting()}; };
  EXPECT_TRUE(test::walks_hold(make_walk, 4.0, Step::any(test::below<std::uint32_t>(400))));
}

} // namespace backoff_actor::model_test::rate_walk
