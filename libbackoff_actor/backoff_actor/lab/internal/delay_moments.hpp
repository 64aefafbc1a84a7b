#pragma once

#include "backoff_actor/backoff/policy.hpp"

#include <memory>

// Private to the plan.

namespace backoff_actor::detail {

/// The distribution of one delay, in seconds.
struct Moments {
  double min = 0;
  double mean = 0;
  double max = 0;
  double variance = 0;
};

inline Moments constant(double x) { return {x, x, x, 0}; }

inline double seconds(Duration span) { return in_nanoseconds(span) * 1e-9; }

/// Returns the distribution of the delay before retry n of a formula that takes a jitter.
///
/// @range `v` is its delay before jitter, in seconds
Moments jittered_moments(const Policy& policy, double v, double n);

/// The distributions of the delays of a series, one after the other.
class DelayMoments {
public:
  virtual ~DelayMoments() = default;

  /// Returns the distribution of the next retry's delay.
  virtual Moments next() = 0;

  /// The mean delay per retry in the long run.
  virtual double long_run_mean() const = 0;
};

/// Whether `Moments::min` and `max` are needed; those of `seed002` are expensive.
enum class Bounds { wanted, unneeded };

std::unique_ptr<DelayMoments> delay_moments(const Policy& policy, Bounds bounds);

} // namespace backoff_actor::detail
