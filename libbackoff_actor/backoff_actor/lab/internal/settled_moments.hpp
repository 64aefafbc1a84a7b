#pragma once

#include "backoff_actor/lab/internal/delay_moments.hpp"

#include <cmath>

// Private to the plan.

namespace backoff_actor::detail {

/// Whether one retry's moments equal those of the retry before, except for rounding. Comparing
/// means is not enough: the mean alone may stay the same for a while.
inline bool are_settled(const Moments& before, const Moments& x) {
  constexpr auto tolerance = 1e-13;
  return std::abs(x.mean - before.mean) <= tolerance * x.mean
         && std::abs(x.variance - before.variance) <= tolerance * x.mean * x.mean;
}

/// Returns the mean after the moments have settled, or after 1000 retries at the latest.
template <class Integrated>
double settled_mean(Integrated moments) {
  constexpr auto settled_after = 1000; // retries
  auto last = moments.next();
  for (auto i = 0; i < settled_after; ++i) {
    const auto x = moments.next();
    if (are_settled(last, x))
      break;
    last = x;
  }
  return last.mean;
}

/// Stops the integration once the moments have settled.
template <class Integrated>
class SettlingMoments : public DelayMoments {
public:
  explicit SettlingMoments(const Integrated& moments) : moments_(moments) {}

  Moments next() override {
    if (is_settled_)
      return last_;
    const auto x = moments_.next();
    is_settled_ = has_last_ && are_settled(last_, x);
    has_last_ = true;
    return last_ = x;
  }

  double long_run_mean() const override { return moments_.long_run_mean(); }

private:
  Integrated moments_;
  Moments last_;
  bool has_last_ = false;
  bool is_settled_ = false;
};

} // namespace backoff_actor::detail
