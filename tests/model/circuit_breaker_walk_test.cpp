// Random walks of calls through a circuit breaker and, beside it, through the reference. After
// every step both must have given the same answer and be in the same state.
//
// common/random_walk.hpp says how a failing walk is shrunk, printed and repeated.

#include "common/random_walk.hpp"
#include "reference_breaker.hpp"

#include "backoff_actor/guard/internal/circuit_breaker.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::model_test::circuit_breaker_walk {

using namespace std::chrono_literals;

namespace {

enum class Action : std::uint8_t { ask, succeed, fail, forget, advance, isolate, close };

constexpr test::Choice<Action> actions[] = {
  {40, Action::ask, "ask"},      {14, Action::succeed, "succeed"}, {18, Action::fail, "fail"},
  {3, Action::forget, "forget"}, {18, Action::advance, "advance"}, {1, Action::isolate, "isolate"},
  {2, Action::close, "close"}};

// The number says which of the calls on their way, or how far.
using Step = test::DrawnStep<Action, actions>;

Trip arbitrary_trip() {
  const auto ratio = *rc::gen::inRange(1, 21) / 20.0;
  const auto calls = *rc::gen::inRange<std::uint32_t>(1, 13);
  const auto minimum = *rc::gen::inRange<std::uint32_t>(1, calls + 1);
  switch (*rc::gen::inRange(0, 3)) {
  case 0:
    return ConsecutiveFailures{*rc::gen::inRange<std::uint32_t>(1, 6)};
  case 1:
    return FailureRatioOfCalls{ratio, calls, minimum};
  default:
    return FailureRatioOfTime{ratio, *rc::gen::element<Duration>(100ms, 3s, 20s), minimum};
  }
}

CircuitBreakerOptions arbitrary_options() {
  const auto first = *rc::gen::element<Duration>(1ms, 1s, 5s);
  CircuitBreakerOptions options;
  options.trip = arbitrary_trip();
  options.open = Linear{.first = first, .step = first};
  options.probes = *rc::gen::inRange<std::uint32_t>(1, 4);
  options.spread = *rc::gen::element<Duration>(0s, 10ms, 5s);
  options.probe_timeout = *rc::gen::element<Duration>(500ms, 10s);
  return options;
}

class BreakerWalk {
public:
  explicit BreakerWalk(const CircuitBreakerOptions& options)
    : options_(options), breaker_(options, 5), reference_(options) {}

  void take(const Step& step) {
    switch (step.action) {
    case Action::ask:
      ask();
      break;
    case Action::succeed:
    case Action::fail:
    case Action::forget:
      end(step);
      break;
    case Action::advance:
      advance(step.number);
      break;
    case Action::isolate:
      breaker_.isolate();
      reference_.isolate(now_);
      break;
    case Action::close:
      breaker_.close();
      reference_.close(now_);
      break;
    }
    compare();
  }

  std::string story() const { return to_string(options_); }

private:
  void ask() {
    const auto expected = reference_.ask(now_);
    const auto holds_back = breaker_.holds_back(now_);
    const auto answer = breaker_.admit(now_);
    RC_ASSERT(holds_back == std::holds_alternative<HeldBack>(answer));
    if (const auto* held_back = std::get_if<HeldBack>(&answer)) {
      RC_ASSERT(std::string{to_string(held_back->reason)} == expected);
      judge(*held_back);
      return;
    }
    const auto permit = std::get<Permit>(answer);
    RC_ASSERT(expected.substr(0, 5) == (permit.probe == 0 ? "call " : "probe"));
    RC_ASSERT(expected.size() > 5);
    const auto number = static_cast<std::size_t>(std::stoul(expected.substr(expected.find(' '))));
    on_their_way_.emplace_back(number, permit);
  }

  // The instant must be in the time in which it may be, and for the first few its beginning.
  void judge(const HeldBack& held_back) {
    switch (held_back.reason) {
    case HeldBackBy::open_breaker: {
      const auto until = reference_.open_until().value();
      RC_ASSERT(held_back.until >= until);
      RC_ASSERT(held_back.until <= until + options_.spread);
      if (told_++ < options_.probes)
        RC_ASSERT(held_back.until == until);
      break;
    }
    case HeldBackBy::probe:
      RC_ASSERT(held_back.until >= now_ + 10ms);
      RC_ASSERT(held_back.until <= now_ + std::max<Duration>(options_.spread, 100ms));
      break;
    default:
      RC_ASSERT(held_back.until == Instant::never());
    }
  }

  void end(const Step& step) {
    if (on_their_way_.empty())
      return;
    const auto it =
      on_their_way_.begin() + static_cast<std::ptrdiff_t>(step.number % on_their_way_.size());
    const auto [number, permit] = *it;
    on_their_way_.erase(it);
    if (step.action == Action::forget) {
      breaker_.forgotten(permit);
      reference_.forget(number);
    } else if (step.action == Action::fail) {
      breaker_.failed(permit, now_);
      reference_.tell(number, true, now_);
    } else {
      breaker_.succeeded(permit, now_);
      reference_.tell(number, false, now_);
    }
  }

  void advance(std::uint32_t how) {
    const auto until = reference_.open_until();
    if (how % 4 == 0 && until && *until > now_)
      now_ = *until;
    else if (how % 4 == 1)
      now_ = now_ + how * 20ms;
    else
      now_ = now_ + how * 1ms;
  }

  void compare() {
    RC_ASSERT(std::string{to_string(breaker_.state())} == reference_.state());
    RC_ASSERT(breaker_.open_until() == reference_.open_until().value_or(Instant::never()));
    RC_ASSERT(breaker_.counts(now_) == reference_.counts(now_));
    if (reference_.state() == "closed")
      RC_ASSERT(breaker_.consecutive_failures() == reference_.failures_in_a_row());
    if (reference_.state() != "open")
      told_ = 0;
  }

  CircuitBreakerOptions options_;
  CircuitBreaker breaker_;
  ReferenceBreaker reference_;
  Instant now_{1h};
  std::vector<std::pair<std::size_t, Permit>> on_their_way_{};
  std::uint32_t told_ = 0; // callers, of the end of this opening
};

} // namespace

TEST(circuit_breaker_walk, agrees_with_the_reference) {
  const auto make_walk = [] { return BreakerWalk{arbitrary_options()}; };
  EXPECT_TRUE(
    test::walks_hold(make_walk, 6.0, Step::any(rc::gen::inRange<std::uint32_t>(0, 1000))));
}

} // namespace backoff_actor::model_test::circuit_breaker_walk
