#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/lab/simulation/internal/shipped_delays.hpp"
#include "backoff_actor/lab/simulation/outage_options.hpp"

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
    const auto* policy = std::get_if<backoff_actor::Policy>(&pace_);
    progress_ = policy ? policy->restart(progress_) : as_shipped_.wanting(progress_, thought);
  }

  /// The call failed: returns how long to wait before the next.
  backoff_actor::Duration next() {
    const auto u = draws_(progress_.draws);
    const auto* policy = std::get_if<backoff_actor::Policy>(&pace_);
    const auto step = policy ? policy->next(progress_, u) : as_shipped_.next(progress_, u);
    progress_ = step.progress;
    return step.delay;
  }

private:
  static constexpr backoff_actor::detail::ShippedDelays as_shipped_{};

  const Pace& pace_;
  backoff_actor::Draws draws_;
  backoff_actor::Progress progress_{};
};

} // namespace backoffctl
