#include "backoff_actor/lab/internal/integrated_moments.hpp"

#include "backoff_actor/lab/internal/settled_moments.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace backoff_actor::detail {

namespace {

constexpr std::size_t decorrelated_cells = 4000;
constexpr std::size_t seed002_cells = 4000;

// Returns points from `low` to `high` in which each is the same multiple of the one before.
std::vector<double> geometric(double low, double high, std::size_t cells) {
  std::vector<double> result(cells + 1);
  for (std::size_t i = 0; i <= cells; ++i)
    result[i] = low * std::pow(high / low, static_cast<double>(i) / static_cast<double>(cells));
  return result;
}

class DecorrelatedMoments : public DelayMoments {
public:
  explicit DecorrelatedMoments(const Decorrelated& formula)
    : first_(seconds(formula.first)), factor_(formula.factor), cap_(seconds(formula.cap)),
      mean_(first_), square_(first_ * first_), highest_(first_) {}

  Moments next() override {
    highest_ = std::min(cap_, highest_ * factor_);
    if (highest_ <= first_)
      return constant(first_);
    if (is_below_cap_ && highest_ < cap_) {
      square_ = (first_ * first_ + first_ * factor_ * mean_ + factor_ * factor_ * square_) / 3;
      mean_ = (first_ + factor_ * mean_) / 2;
    } else {
      is_below_cap_ = false;
      integrate_mean();
    }
    step();
    return {first_, mean_, highest_, std::max(square_ - mean_ * mean_, 0.0)};
  }

  double long_run_mean() const override { return settled_mean(*this); }

private:
  // Returns the end of the range from which the delay after `delay` is drawn.
  double end_after(double delay) const { return std::min(cap_, delay * factor_); }

  void integrate_mean() {
    double mean = 0;
    double square = 0;
    each([&](double mass, double end) {
      mean += mass * (first_ + end) / 2;
      square += mass * (first_ * first_ + first_ * end + end * end) / 3;
    });
    mean_ = mean;
    square_ = square;
  }

  // Visits the mass of every cell, with the end of the range of the next delay.
  template <class F>
  void each(F visit) const {
    if (mass_.empty())
      return visit(1.0, end_after(first_));
    for (std::size_t i = 0; i < cells; ++i)
      if (mass_[i] > 0)
        visit(mass_[i], end_after((edges_[i] + edges_[i + 1]) / 2));
  }

  // The density at x is the sum of mass divided by width of range, over all cells whose range
  // reaches x.
  void step() {
    if (edges_.empty())
      edges_ = geometric(first_, cap_, cells);
    std::vector<double> density(cells + 1, 0.0); // added to all cells below this one
    std::vector<double> part(cells, 0.0);        // mass in the cell in which a range ends
    each([&](double mass, double end) {
      const auto height = mass / (end - first_);
      const auto upper = std::upper_bound(edges_.begin(), edges_.end(), end) - edges_.begin();
      const auto cell = std::min(static_cast<std::size_t>(upper), cells) - 1;
      part[cell] += height * (end - edges_[cell]);
      density[cell] += height;
    });
    std::vector<double> result(cells, 0.0);
    double height = 0; // the sum over the ranges that end above the cell
    for (auto cell = cells; cell-- > 0;) {
      result[cell] = part[cell] + height * (edges_[cell + 1] - edges_[cell]);
      height += density[cell];
    }
    mass_ = std::move(result);
  }

  static constexpr auto cells = decorrelated_cells;

  double first_;
  double factor_;
  double cap_;
  double mean_;
  double square_;
  double highest_;
  bool is_below_cap_ = true;
  std::vector<double> edges_{};
  std::vector<double> mass_{}; // of the last delay, by cell; empty: it was `first_`
};

// The points have equal ratios, so that a multiplication is a shift by a number of points. The
// shift is rarely a whole number. Then the mass is split between two points so that the mean is
// kept.
class Seed002Moments : public DelayMoments {
public:
  Seed002Moments(const Seed002& formula, Bounds bounds)
    : wants_bounds_(bounds == Bounds::wanted), min_(seconds(formula.min)), factor_(formula.factor),
      jitter_(formula.jitter), points_(geometric(min_ / 100, seconds(formula.cap), seed002_cells)) {
    const auto ratio = points_[1] / points_[0];
    double sum = 0;
    for (auto i = -30; i <= 30; ++i) {
      const auto z = i / 5.0;
      shifts_.push_back(shift_of(formula.factor * (1 + jitter_ * z), ratio, std::exp(-z * z / 2)));
      sum += shifts_.back().weight;
    }
    double growth = 0; // the mean growth of the logarithm
    for (auto i = -30; i <= 30; ++i) {
      auto& weight = shifts_[static_cast<std::size_t>(i + 30)].weight;
      weight /= sum;
      growth += weight * std::log(formula.factor * (1 + jitter_ * i / 5.0));
    }
    shrinks_ = jitter_ > 0 && growth <= 0;
    first_shift_ = shift_of(formula.factor, ratio, 1);
  }

  Moments next() override {
    if (mass_.empty()) {
      mass_.assign(points_.size(), 0.0);
      const auto at_min = shift_of(100, points_[1] / points_[0], 1);
      std::vector<double> first(points_.size(), 0.0);
      deposit(first, 0, at_min, 1);
      for (std::size_t i = 0; i < first.size(); ++i)
        deposit(mass_, i, first_shift_, first[i]);
      return constant(min_);
    }
    Moments result;
    if (wants_bounds_) {
      result.min = quantile(beyond_three_deviations);
      result.max = quantile(1 - beyond_three_deviations);
    }
    double square = 0;
    std::vector<double> following(points_.size(), 0.0);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (mass_[i] < 1e-15)
        continue;
      result.mean += mass_[i] * points_[i];
      square += mass_[i] * points_[i] * points_[i] * (1 + jitter_ * jitter_);
      for (const auto& shift : shifts_)
        deposit(following, i, shift, mass_[i]);
    }
    mass_ = std::move(following);
    result.variance = std::max(square - result.mean * result.mean, 0.0);
    if (is_below_cap_)
      go_on_below_cap(result);
    return result;
  }

  // Each delay follows from the one drawn before. So in the long run the mean of the logarithm
  // decides: if jitter lowers it by more than the factor raises it, almost all delays shrink to 0.
  // The cap bounds the rare long ones, so that the mean shrinks to 0, too.
  double long_run_mean() const override { return shrinks_ ? 0 : settled_mean(*this); }

private:
  static constexpr auto beyond_three_deviations =
    0.0013498980316301; // of a normal distribution, on either side

  // Computes the exact moments. This is possible as long as no delay can reach the cap, and always
  // without jitter.
  void go_on_below_cap(Moments& result) {
    constexpr auto greatest_z = 8.3; // the largest that a draw of 53 bits can give
    const auto cap = points_.back();
    nominal_ *= factor_;
    if (jitter_ == 0) {
      nominal_ = std::min(nominal_, cap);
      result = constant(nominal_);
      return;
    }
    highest_ *= factor_;
    is_below_cap_ = highest_ <= cap;
    if (!is_below_cap_)
      return;
    highest_ *= 1 + greatest_z * jitter_;
    relative_square_ *= 1 + jitter_ * jitter_;
    result.mean = nominal_;
    result.variance = nominal_ * nominal_ * (relative_square_ - 1);
  }

  // Returns the share of delays, with jitter, that are at most x.
  double share_up_to(double x) const {
    double sum = 0;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (mass_[i] > 1e-12)
        sum += mass_[i]
               * (jitter_ > 0 ? std::erfc((1 - x / points_[i]) / jitter_ * std::sqrt(0.5)) / 2
                              : static_cast<double>(x >= points_[i]));
    return sum;
  }

  // Returns the delay that this share of the delays does not exceed. Bisects on a logarithmic
  // scale.
  double quantile(double share) const {
    auto low = points_.front() / 10;
    auto high = points_.back() * 2;
    for (auto i = 0; i < 30; ++i) {
      const auto middle = std::sqrt(low * high);
      (share_up_to(middle) < share ? low : high) = middle;
    }
    return high;
  }

  struct Shift {
    std::ptrdiff_t points;
    double share; // of the upper of the two points
    double weight;
  };

  static Shift shift_of(double factor, double ratio, double weight) {
    const auto points = std::floor(std::log(factor) / std::log(ratio));
    const auto rest = factor / std::pow(ratio, points);
    return {static_cast<std::ptrdiff_t>(points), std::clamp((rest - 1) / (ratio - 1), 0.0, 1.0),
            weight};
  }

  void deposit(std::vector<double>& mass, std::size_t from, const Shift& shift,
               double amount) const {
    const auto last = static_cast<std::ptrdiff_t>(points_.size()) - 1;
    const auto to = static_cast<std::ptrdiff_t>(from) + shift.points;
    const auto at = [&](std::ptrdiff_t i) -> double& {
      return mass[static_cast<std::size_t>(std::clamp(i, std::ptrdiff_t{0}, last))];
    };
    at(to) += amount * shift.weight * (1 - shift.share);
    at(to + 1) += amount * shift.weight * shift.share;
  }

  bool wants_bounds_;
  double min_;
  double factor_;
  double jitter_;
  bool is_below_cap_ = true;
  double nominal_ = min_;      // the last delay without jitter
  double highest_ = min_;      // the longest that the last delay can be
  double relative_square_ = 1; // its mean square, divided by that of `nominal_`
  std::vector<double> points_;
  std::vector<Shift> shifts_{}; // of the factor with one deviation each
  Shift first_shift_{};         // of the factor alone
  std::vector<double> mass_{};  // of the next delay before jitter, by point
  bool shrinks_ = false;
};

// Each delay before jitter, v, is the jittered delay before it times the factor. As long as no
// delay can reach the cap, the mean and the mean square have closed forms: a jitter multiplies v or
// adds to it, independently of v. After that, the mass of v is kept at points with equal ratios.
class CarriedMoments : public DelayMoments {
public:
  explicit CarriedMoments(const Policy& policy)
    : policy_(policy), factor_(std::get<Exponential>(policy.formula()).factor),
      first_(policy.start().level * 1e-9), top_(policy.greatest_level() * 1e-9),
      cap_(seconds(policy.longest())), lowest_(first_), highest_(first_), mean_(first_),
      square_(first_ * first_) {}

  Moments next() override {
    const auto [wait, times] = policy_.first_wait();
    if (first_waits_ < times) {
      ++first_waits_;
      return constant(seconds(wait));
    }
    auto result = is_closed() ? closed() : integrated();
    result.min = jittered_moments(policy_, lowest_, 1).min;
    result.max = jittered_moments(policy_, highest_, 1).max;
    lowest_ = following(result.min);
    highest_ = following(result.max);
    ++retries_;
    return result;
  }

  double long_run_mean() const override { return settled_mean(*this); }

private:
  static constexpr std::size_t cells = 1500;
  static constexpr int draws = 32;

  double following(double delay) const { return std::min(delay * factor_, top_); }

  // Whether neither the cap nor the top has cut anything, nor cuts the next delay. Whole seconds
  // are no product.
  bool is_closed() {
    const auto highest = jittered_moments(policy_, highest_, 1).max;
    is_closed_ =
      is_closed_ && policy_.seconds() == Seconds::any && highest < cap_ && highest_ < top_;
    return is_closed_;
  }

  Moments closed() {
    const auto added = jittered_moments(policy_, 0, 1);
    const auto multiplied = jittered_moments(policy_, first_, 1);
    const auto factor = (multiplied.mean - added.mean) / first_;
    const auto factor_square =
      factor * factor + std::max(multiplied.variance - added.variance, 0.0) / (first_ * first_);
    const auto mean = mean_ * factor + added.mean;
    const auto square = square_ * factor_square + 2 * mean_ * factor * added.mean + added.variance
                        + added.mean * added.mean;
    mean_ = mean * factor_;
    square_ = square * factor_ * factor_;
    return {0, mean, 0, std::max(square - mean * mean, 0.0)};
  }

  Moments integrated() {
    if (mass_.empty()) {
      const auto end = following(cap_); // no v is longer
      points_ = first_ < end ? geometric(first_, end, cells) : std::vector<double>{first_};
      mass_.assign(points_.size(), 0.0);
      mass_[0] = 1;
      for (std::uint32_t i = 0; i < retries_; ++i)
        step();
    }
    Moments result;
    each(
      [&](double mass, double v) { result.mean += mass * jittered_moments(policy_, v, 1).mean; });
    each([&](double mass, double v) {
      const auto x = jittered_moments(policy_, v, 1);
      result.variance += mass * (x.variance + (x.mean - result.mean) * (x.mean - result.mean));
    });
    step();
    return result;
  }

  template <class F>
  void each(F visit) const {
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (mass_[i] > 1e-15)
        visit(mass_[i], points_[i]);
  }

  void step() {
    std::vector<double> result(points_.size(), 0.0);
    each([&](double mass, double v) {
      for (auto i = 0; i < draws; ++i)
        deposit(result, following(drawn(v, (i + 0.5) / draws)), mass / draws);
    });
    mass_ = std::move(result);
  }

  double drawn(double v, double u) const {
    const Progress progress{v * 1e9, static_cast<std::uint32_t>(first_waits_), 0};
    return seconds(policy_.next(progress, u).delay);
  }

  // Splits the mass between two points so that the mean is kept.
  void deposit(std::vector<double>& mass, double v, double amount) const {
    if (points_.size() == 1) {
      mass[0] += amount;
      return;
    }
    const auto at = std::log(v / first_) / std::log(points_[1] / points_[0]);
    const auto low = static_cast<std::size_t>(std::clamp(at, 0.0, cells - 1.0));
    const auto share = std::clamp((v - points_[low]) / (points_[low + 1] - points_[low]), 0.0, 1.0);
    mass[low] += amount * (1 - share);
    mass[low + 1] += amount * share;
  }

  Policy policy_;
  double factor_;
  double first_;
  double top_;
  double cap_;
  double lowest_;  // v before the next retry
  double highest_; // the same
  double mean_;    // the same, while `is_closed_`
  double square_;  // the same
  bool is_closed_ = true;
  int first_waits_ = 0;
  std::uint32_t retries_ = 0;
  std::vector<double> points_{};
  std::vector<double> mass_{}; // of v before the next retry, by point
};

} // namespace

std::unique_ptr<DelayMoments> integrated_moments(const Decorrelated& formula) {
  return std::make_unique<SettlingMoments<DecorrelatedMoments>>(DecorrelatedMoments{formula});
}

std::unique_ptr<DelayMoments> carried_moments(const Policy& policy) {
  return std::make_unique<SettlingMoments<CarriedMoments>>(CarriedMoments{policy});
}

std::unique_ptr<DelayMoments> integrated_moments(const Seed002& formula, Bounds bounds) {
  return std::make_unique<SettlingMoments<Seed002Moments>>(Seed002Moments{formula, bounds});
}

} // namespace backoff_actor::detail
