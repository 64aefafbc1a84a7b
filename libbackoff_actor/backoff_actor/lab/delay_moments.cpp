#include "backoff_actor/lab/internal/delay_moments.hpp"

#include "backoff_actor/core/normal.hpp"
#include "backoff_actor/lab/internal/integrated_moments.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace backoff_actor::detail {

namespace {

constexpr double per_second = 1e-9; // seconds in a nanosecond

// -- a delay before jitter that grows, and a jitter -----------------------------------

Moments jittered_moments(const Jitter& jitter, double v) {
  const auto uniform = [](double low, double high) {
    return Moments{low, (low + high) / 2, high, (high - low) * (high - low) / 12};
  };
  switch (jitter.kind) {
  case Jitter::Kind::full:
    return uniform(0, v);
  case Jitter::Kind::equal:
    return uniform(v / 2, v);
  case Jitter::Kind::proportional:
    return uniform(v * (1 - jitter.amount), v * (1 + jitter.amount));
  case Jitter::Kind::additive:
    return uniform(v, v + jitter.amount * per_second);
  case Jitter::Kind::gaussian: {
    const auto deviation = v * jitter.amount;
    return {v - 3 * deviation, v, v + 3 * deviation,
            deviation * deviation * cut_off_normal_variance};
  }
  case Jitter::Kind::none:
    break;
  }
  return constant(v);
}

class GrowingMoments : public DelayMoments {
public:
  explicit GrowingMoments(const Policy& policy) : policy_(policy), progress_(policy.start()) {}

  Moments next() override {
    const auto v = progress_.level * per_second;
    progress_ = policy_.next(progress_, 0).progress;
    return jittered_moments(policy_.jitter(), v);
  }

  double long_run_mean() const override {
    const auto growth = std::visit(
      [](const auto& x) {
        if constexpr (requires { growth_of(x); })
          return growth_of(x);
        else
          return Growth{};
      },
      policy_.formula());
    const auto grows = growth.factor > 1 || growth.step > 0;
    const auto top = room_below(policy_.jitter(), in_nanoseconds(policy_.longest()));
    const auto last = grows ? top : policy_.start().level;
    return jittered_moments(policy_.jitter(), last * per_second).mean;
  }

private:
  const Policy policy_;
  Progress progress_;
};

// -- slots ----------------------------------------------------------------------------

class EthernetMoments : public DelayMoments {
public:
  explicit EthernetMoments(const Ethernet& formula) : formula_(formula) {}

  Moments next() override {
    exponent_ = std::min(exponent_ + 1, formula_.ceiling);
    return of(exponent_);
  }

  double long_run_mean() const override { return of(formula_.ceiling).mean; }

private:
  Moments of(int exponent) const {
    const auto slot = seconds(formula_.slot_time);
    const auto slots = std::exp2(exponent);
    return {0, (slots - 1) / 2 * slot, (slots - 1) * slot, (slots * slots - 1) / 12 * slot * slot};
  }

  const Ethernet formula_;
  int exponent_ = 0;
};

class RandomSlotsMoments : public DelayMoments {
public:
  explicit RandomSlotsMoments(const RandomSlots& formula) : formula_(formula) {}

  Moments next() override {
    const auto slot = slot_after(formula_, retries_);
    if (is_free(slot)) {
      retries_ = 0;
      return constant(0);
    }
    retries_ = one_more(retries_);
    return of(slot);
  }

  double long_run_mean() const override {
    if (formula_.stay_at_ceiling)
      return of(formula_.ceiling).mean;
    double sum = 0;
    for (auto slot = 1; slot < formula_.ceiling; ++slot)
      sum += of(slot).mean;
    return sum / formula_.ceiling;
  }

private:
  bool is_free(int slot) const { return slot == formula_.ceiling && !formula_.stay_at_ceiling; }

  // A delay of 2^e - 1 slots, with e uniform over 0 to `slot`. The sums of 2^e and 4^e are
  // geometric.
  Moments of(int slot) const {
    const auto unit = seconds(formula_.slot_time);
    const auto count = slot + 1.0;
    const auto mean_power = (std::exp2(count) - 1) / count;
    const auto mean_square = (std::exp2(2 * count) - 1) / (3 * count);
    return {0, (mean_power - 1) * unit, (std::exp2(slot) - 1) * unit,
            (mean_square - mean_power * mean_power) * unit * unit};
  }

  const RandomSlots formula_;
  std::uint32_t retries_ = 0;
};

// -- memorystore ------------------------------------------------------------------------

class MemorystoreMoments : public DelayMoments {
public:
  explicit MemorystoreMoments(const Memorystore& formula) : max_(seconds(formula.max)) {}

  Moments next() override {
    const auto low = power_;
    power_ = std::min(power_ * 2, seconds(max_delay));
    if (low >= max_)
      return constant(max_);
    // The part of the random r that fits below the maximum. A larger r gives the maximum.
    const auto a = std::min(max_ - low, 1.0);
    const auto mean = a - a * a / 2;
    return {low, low + mean, low + a, a * a - 2 * a * a * a / 3 - mean * mean};
  }

  double long_run_mean() const override { return max_; }

private:
  const double max_;
  double power_ = 1; // s
};

} // namespace

std::unique_ptr<DelayMoments> delay_moments(const Policy& policy, Bounds bounds) {
  return std::visit(
    [&](const auto& x) -> std::unique_ptr<DelayMoments> {
      using F = std::decay_t<decltype(x)>;
      if constexpr (requires { growth_of(x); })
        return std::make_unique<GrowingMoments>(policy);
      else if constexpr (std::is_same_v<F, Ethernet>)
        return std::make_unique<EthernetMoments>(x);
      else if constexpr (std::is_same_v<F, RandomSlots>)
        return std::make_unique<RandomSlotsMoments>(x);
      else if constexpr (std::is_same_v<F, Memorystore>)
        return std::make_unique<MemorystoreMoments>(x);
      else if constexpr (std::is_same_v<F, Decorrelated>)
        return integrated_moments(x);
      else
        return integrated_moments(x, bounds);
    },
    policy.formula());
}

} // namespace backoff_actor::detail
