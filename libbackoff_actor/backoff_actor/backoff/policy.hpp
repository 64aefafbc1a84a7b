#pragma once

#include "backoff_actor/backoff/jitter.hpp"
#include "backoff_actor/backoff/policies/decorrelated.hpp"
#include "backoff_actor/backoff/policies/ethernet.hpp"
#include "backoff_actor/backoff/policies/exponential.hpp"
#include "backoff_actor/backoff/policies/first_wait.hpp"
#include "backoff_actor/backoff/policies/fixed.hpp"
#include "backoff_actor/backoff/policies/linear.hpp"
#include "backoff_actor/backoff/policies/memorystore.hpp"
#include "backoff_actor/backoff/policies/polynomial.hpp"
#include "backoff_actor/backoff/policies/random_slots.hpp"
#include "backoff_actor/backoff/policies/seed002.hpp"
#include "backoff_actor/backoff/policies/steps.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

// There are two kinds of formulas. Fixed, linear, exponential, polynomial and steps give a delay v;
// a jitter turns v into the delay to wait. The others draw their delay themselves, and take no
// jitter.
//
// A step takes one of three paths. `next` has two of them in itself: the formulas that draw, and
// the growth `v * factor + step` with a jitter. The order of cap and jitter changes only the
// numbers of the second. All else (a table, a power, a carried jitter, first waits, whole seconds)
// is composed out of line, so that nobody else pays for it.

namespace backoff_actor {

/// How long to wait before each retry: a formula, a jitter, and perhaps first waits and whole
/// seconds, as an immutable value.
///
///     Policy policy = Exponential{.first = 100ms, .factor = 2, .cap = 30s} | full_jitter;
///     Policy same = "exponential(100ms, x2, cap 30s) | full_jitter";
///
/// A policy says how long to wait, never whether to retry: `Limits` do that. The state of a series
/// is in a `Progress`, so any number of series can share one policy. A `BackOff` is a policy with
/// the state of one series.
///
/// @shape  `next(Progress, u) -> Step`; pure and total. Nothing is allocated.
/// @units  nanoseconds
/// @range  `0 <= delay <= longest()`
/// @errors constructors throw `InvalidArgument` naming every parameter that `check` finds wrong.
/// @thread safe from any thread, as long as nobody assigns to it.
class BACKOFF_ACTOR_EXPORT Policy {
public:
  /// Any of the formulas.
  using Formula = std::variant<Fixed, Linear, Exponential, Decorrelated, Ethernet, RandomSlots,
                               Memorystore, Seed002, Steps, Polynomial>;

  /// `RandomSlots` with its defaults.
  Policy() : Policy(Formula{RandomSlots{}}, no_jitter) {}

  /// A formula without an added jitter.
  ///
  /// @errors throws `InvalidArgument` naming every parameter that `check` finds wrong.
  template <class F>
  requires(!std::same_as<F, Formula> && std::constructible_from<Formula, const F&>)
    Policy(const F& formula)
    : Policy(Formula{formula}, no_jitter) {} // implicit on purpose

  /// What a text says, see `parse_policy`: wherever a policy is taken, its text is, too.
  ///
  /// @errors throws what `parse_policy` throws.
  template <class Text>
  requires(std::convertible_to<const Text&, std::string_view>) Policy(const Text& text)
    : Policy(of_text(text)) {} // implicit on purpose

  /// A formula with a jitter.
  ///
  /// @errors throws `InvalidArgument` naming every parameter that `check` finds wrong, including a
  ///         jitter for a formula that draws by itself.
  Policy(const Formula& formula, const Jitter& jitter, const FirstWait& first_wait = no_first_wait,
         Seconds seconds = Seconds::any);

  /// The progress before the first retry.
  Progress start() const { return {growth_.first, 0, 0}; }

  /// Returns the beginning of a new series. Its draws continue those of `progress`.
  Progress restart(const Progress& progress) const { return {growth_.first, 0, progress.draws}; }

  /// Returns the next retry.
  ///
  /// @shape  `(progress, u) -> Step`, with a progress of this policy
  /// @range  `0 <= u < 1`
  Step next(const Progress& progress, double u) const;

  /// The longest possible delay: the cap, if there is one, or what a jitter with `cap_first` makes
  /// of it.
  Duration longest() const { return longest_; }

  /// The largest `Progress::level` of a formula that takes a jitter: its longest delay before it.
  ///
  /// @units nanoseconds
  double greatest_level() const { return top_; }

  /// Whether the delay may be random. `true` even if the parameters leave only one value.
  bool is_random() const;

  /// The formula.
  const Formula& formula() const { return formula_; }

  /// The jitter; `no_jitter` for formulas that draw by themselves.
  const Jitter& jitter() const { return jitter_; }

  /// The delays of their own before the first retries; `no_first_wait` if there are none.
  FirstWait first_wait() const {
    return {std::chrono::milliseconds{first_wait_ms_}, first_wait_times_};
  }

  /// Whether delays are whole seconds.
  Seconds seconds() const { return seconds_; }

  /// Whether two are the same in all parts.
  BACKOFF_ACTOR_EXPORT friend bool operator==(const Policy& a, const Policy& b);

private:
  static Policy of_text(std::string_view text);

  static constexpr std::uint8_t composed_path = std::variant_size_v<Formula>;

  // Says to the compiler what `path_` says, so that it checks no index.
  template <std::size_t Index>
  const auto& formula_at() const {
    if (formula_.index() != Index)
      __builtin_unreachable();
    return *std::get_if<Index>(&formula_);
  }

  bool is_composed() const;
  double level_before(std::uint32_t n, double grown) const;
  Duration composed_delay(double level, std::uint32_t n, double u) const;
  Step composed_next(double level, std::uint32_t retries, std::uint32_t draws, double u) const;

  Formula formula_;
  Jitter jitter_;
  // The next two are of a growth, and follow from the formula and the jitter.
  detail::Growth growth_{};
  detail::JitterTerms terms_;
  // First waits in a form that leaves a policy as small as it would be without them.
  std::uint32_t first_wait_ms_ = 0;
  std::uint8_t first_wait_times_ = 0;
  Seconds seconds_ = Seconds::any;
  std::uint8_t path_ = 0; // the index of the formula, or `composed_path`
  bool is_normal_ = false;
  double top_ = 0; // the longest v, ns
  Duration longest_{0};
};

/// Adds a jitter to a policy that has none.
///
/// @errors throws `InvalidArgument` if the policy has one already, or its formula draws by itself.
BACKOFF_ACTOR_EXPORT Policy operator|(const Policy& policy, const Jitter& jitter);

/// Adds first waits to a policy that has none. Their order with a jitter does not matter.
///
/// @errors throws `InvalidArgument` if the policy has some already, or its formula draws by itself.
BACKOFF_ACTOR_EXPORT Policy operator|(const Policy& policy, const FirstWait& first_wait);

/// Makes the delays of a policy whole seconds.
///
/// @errors throws `InvalidArgument` if its formula draws by itself, or its jitter is normal.
BACKOFF_ACTOR_EXPORT Policy operator|(const Policy& policy, Seconds seconds);

/// Returns all that is wrong with a formula and what is added to it.
BACKOFF_ACTOR_EXPORT Problems check(const Policy::Formula& formula, const Jitter& jitter,
                                    const FirstWait& first_wait = no_first_wait,
                                    Seconds seconds = Seconds::any);

/// Renders a policy in the form that `parse_policy` takes:
/// `exponential(100ms, x2, cap 30s) | full_jitter`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Policy& policy);

// Inlined, without `std::visit`, and the result is assembled from single numbers at the end. So the
// numbers stay in registers; through memory a step takes five times as long.
[[gnu::always_inline]] inline Step Policy::next(const Progress& progress, double u) const {
  static_assert(std::variant_size_v<Formula> == 10);
  auto level = progress.level;
  auto retries = progress.retries;
  auto draws = progress.draws;
  Duration delay;
  const auto take = [&](const Step& step) {
    level = step.progress.level;
    retries = step.progress.retries;
    draws = step.progress.draws;
    delay = step.delay;
  };
  switch (path_) {
  case 3:
    take(detail::step(formula_at<3>(), {level, retries, draws}, u));
    break;
  case 4:
    take(detail::step(formula_at<4>(), {level, retries, draws}, u));
    break;
  case 5:
    take(detail::step(formula_at<5>(), {level, retries, draws}, u));
    break;
  case 6:
    take(detail::step(formula_at<6>(), {level, retries, draws}, u));
    break;
  case 7:
    take(detail::step(formula_at<7>(), {level, retries, draws}, u));
    break;
  case composed_path:
    return composed_next(level, retries, draws, u);
  default:
    delay = std::min(detail::jittered(terms_, is_normal_, level, u), longest_);
    level = std::min(level * growth_.factor + growth_.step, top_);
    retries = detail::one_more(retries);
    ++draws;
  }
  return {{level, retries, draws}, delay};
}

} // namespace backoff_actor
