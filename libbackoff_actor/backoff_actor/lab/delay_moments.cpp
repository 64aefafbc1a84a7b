#include "backoff_actor/lab/internal/delay_moments.hpp"

#include "backoff_actor/core/normal.hpp"
#include "backoff_actor/lab/internal/integrated_moments.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace backoff_actor::detail {

namespace {

constexpr double per_second = 1e-9; // seconds in a nanosecond

// -- a delay before jitter, and a jitter ------------------------------------------------

// A uniform distribution, of which all above `cap` becomes `cap`.
Moments uniform(double low, double high, double cap) {
  if (high <= cap)
    return {low, (low + high) / 2, high, (high - low) * (high - low) / 12};
  if (low >= cap)
    return constant(cap);
  const auto below = (cap - low) / (high - low);
  const auto mean = below * (low + cap) / 2 + (1 - below) * cap;
  const auto square = below * (low * low + low * cap + cap * cap) / 3 + (1 - below) * cap * cap;
  return {low, mean, cap, std::max(square - mean * mean, 0.0)};
}

// `count` values from `low` on with equal distances, of which all above `cap` becomes `cap`.
Moments uniform_steps(double low, double distance, double count, double cap) {
  const auto below = std::clamp(std::floor((cap - low) / distance) + 1, 0.0, count);
  const auto sum = below * (below - 1) / 2;       // of 0, 1 ...
  const auto squares = sum * (2 * below - 1) / 3; // of their squares
  const auto mean = (below * low + distance * sum + (count - below) * cap) / count;
  const auto from_mean = low - mean; // the square is taken around the mean, which is more exact
  const auto variance =
    (below * from_mean * from_mean + 2 * from_mean * distance * sum + distance * distance * squares
     + (count - below) * (cap - mean) * (cap - mean))
    / count;
  return {std::min(low, cap), mean, std::min(low + distance * (count - 1), cap),
          std::max(variance, 0.0)};
}

Moments gaussian(double v, double deviation, double cap) {
  if (v + 3 * deviation <= cap)
    return {v - 3 * deviation, v, v + 3 * deviation,
            deviation * deviation * cut_off_normal_variance};
  constexpr auto draws = 4096;
  double mean = 0;
  double square = 0;
  for (auto i = 0; i < draws; ++i) {
    const auto x = std::min(v + deviation * cut_off_normal_number((i + 0.5) / draws), cap);
    mean += x / draws;
    square += x * x / draws;
  }
  return {std::min(v - 3 * deviation, cap), mean, cap, std::max(square - mean * mean, 0.0)};
}

} // namespace

Moments jittered_moments(const Policy& policy, double v, double n) {
  const auto& jitter = policy.jitter();
  const auto cap = seconds(policy.longest());
  if (jitter.kind == Jitter::Kind::gaussian)
    return gaussian(v, v * jitter.amount, cap);
  const auto terms = terms_of(jitter);
  const auto times = jitter.kind == Jitter::Kind::per_retry ? n : 1.0;
  const auto low = v * terms.base;
  const auto width = v * terms.width + terms.extra * per_second;
  if (policy.seconds() == Seconds::any)
    return uniform(low, low + width * times, cap);
  constexpr auto rounding = 1e-9;
  return uniform_steps(std::floor(low + rounding), times, std::floor(width + rounding) + 1, cap);
}

namespace {

class GrowingMoments : public DelayMoments {
public:
  explicit GrowingMoments(const Policy& policy) : policy_(policy), progress_(policy.start()) {}

  Moments next() override {
    const auto before = progress_;
    progress_ = policy_.next(progress_, 0).progress;
    const auto [wait, times] = policy_.first_wait();
    const auto first = static_cast<std::uint32_t>(times);
    if (before.retries < first)
      return constant(seconds(wait));
    return jittered_moments(policy_, before.level * per_second, progress_.retries - first);
  }

  double long_run_mean() const override {
    return jittered_moments(policy_, last_level() * per_second, UINT32_MAX).mean;
  }

private:
  double last_level() const {
    return std::visit(
      [&](const auto& x) {
        auto grows = false;
        if constexpr (std::is_same_v<decltype(x), const Steps&>)
          return level_at(x, Steps::most);
        else if constexpr (std::is_same_v<decltype(x), const Polynomial&>)
          grows = x.step > Duration::zero();
        else if constexpr (requires { growth_of(x); })
          grows = growth_of(x).factor > 1 || growth_of(x).step > 0;
        return grows ? policy_.greatest_level() : policy_.start().level;
      },
      policy_.formula());
  }

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
      if constexpr (requires { growth_of(x); }
                    || std::is_same_v<F, Steps> || std::is_same_v<F, Polynomial>)
        return policy.jitter().is_carried ? carried_moments(policy)
                                          : std::make_unique<GrowingMoments>(policy);
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
