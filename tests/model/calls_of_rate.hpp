#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/guard_options.hpp"

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace backoff_actor::model_test {

/// Keeps account of the calls that a rate has allowed, and judges each stretch of time: in a time
/// `t`, there must be no more than the burst and one for each interval in `t`.
class CallsOfRate {
public:
  /// Without options everything is allowed.
  explicit CallsOfRate(const std::optional<RateOptions>& options) : options_(options) {}

  void add(Instant now) {
    calls_.push_back(now);
    if (!options_)
      return;
    const auto per_call = Duration{options_->per.count() / options_->calls};
    for (auto i = calls_.size(); i-- > 0;) {
      const auto count = static_cast<std::int64_t>(calls_.size() - i);
      RC_ASSERT(count <= options_->burst + (now - calls_[i]) / per_call);
    }
  }

  std::size_t size() const { return calls_.size(); }

private:
  std::optional<RateOptions> options_;
  std::vector<Instant> calls_{};
};

} // namespace backoff_actor::model_test
