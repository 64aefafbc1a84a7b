#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/normal.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/simulation/outage_options.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <variant>

namespace backoffctl {

/// What a client goes by: a policy of the library's, or the client published with seed 002.
using Pace = std::variant<backoff_actor::Policy, backoff_actor::SmiraAsShipped>;

/// How long one client waits before each retry.
class RetryPace {
public:
  /// @param pace must outlive this
  RetryPace(const Pace& pace, backoff_actor::Draws draws) : pace_(pace), draws_(draws) {}

  /// A new call comes, after the client thought for a while.
  void begin(backoff_actor::Duration thought) {
    if (const auto* policy = std::get_if<backoff_actor::Policy>(&pace_))
      progress_ = policy->restart(progress_);
    else
      last_ = thought;
  }

  /// The call failed: returns how long to wait before the next.
  backoff_actor::Duration next() {
    const auto u = draws_(progress_.draws);
    if (const auto* policy = std::get_if<backoff_actor::Policy>(&pace_)) {
      const auto step = policy->next(progress_, u);
      progress_ = step.progress;
      return step.delay;
    }
    return next_as_shipped(u);
  }

private:
  // A negative delay is no wait, and the next one is negative, too: as published.
  backoff_actor::Duration next_as_shipped(double u) {
    using namespace std::chrono_literals;
    constexpr double factor = 2.71828;
    constexpr backoff_actor::Duration cap = 5min;
    constexpr backoff_actor::Duration deviation = 100ms;
    ++progress_.draws;
    const auto grown = backoff_actor::Duration{
      static_cast<std::int64_t>(static_cast<double>(last_.count()) * factor)};
    last_ = std::max<backoff_actor::Duration>(std::min(grown, cap), -cap)
            + backoff_actor::Duration{static_cast<std::int64_t>(
              backoff_actor::detail::normal_number(u) * static_cast<double>(deviation.count()))};
    return std::max(last_, backoff_actor::Duration::zero());
  }

  const Pace& pace_;
  backoff_actor::Draws draws_;
  backoff_actor::Progress progress_{};
  backoff_actor::Duration last_{0};
};

} // namespace backoffctl
