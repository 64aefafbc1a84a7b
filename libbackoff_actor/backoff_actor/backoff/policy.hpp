#pragma once

#include "backoff_actor/backoff/jitter.hpp"
#include "backoff_actor/backoff/policies/decorrelated.hpp"
#include "backoff_actor/backoff/policies/ethernet.hpp"
#include "backoff_actor/backoff/policies/exponential.hpp"
#include "backoff_actor/backoff/policies/fixed.hpp"
#include "backoff_actor/backoff/policies/linear.hpp"
#include "backoff_actor/backoff/policies/memorystore.hpp"
#include "backoff_actor/backoff/policies/random_slots.hpp"
#include "backoff_actor/backoff/policies/seed002.hpp"

#include <concepts>
#include <string>
#include <string_view>
#include <variant>

// There are two kinds of formulas. Fixed, linear and exponential give a delay v; a jitter turns v
// into the delay to wait, and the next v follows from v. The others draw their delay themselves,
// and take no jitter.

namespace backoff_actor {

/// How long to wait before each retry: a formula and a jitter, as an immutable value.
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
                               Memorystore, Seed002>;

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
  Policy(const Formula& formula, const Jitter& jitter);

  /// The progress before the first retry.
  Progress start() const { return {growth_.first, 0, 0}; }

  /// Returns the beginning of a new series. Its draws continue those of `progress`.
  Progress restart(const Progress& progress) const { return {growth_.first, 0, progress.draws}; }

  /// Returns the next retry.
  ///
  /// @shape  `(progress, u) -> Step`, with a progress of this policy
  /// @range  `0 <= u < 1`
  Step next(const Progress& progress, double u) const;

  /// The longest possible delay: the cap, if there is one.
  Duration longest() const { return longest_; }

  /// Whether the delay may be random. `true` even if the parameters leave only one value.
  bool is_random() const;

  /// The formula.
  const Formula& formula() const { return formula_; }

  /// The jitter; `no_jitter` for formulas that draw by themselves.
  const Jitter& jitter() const { return jitter_; }

  /// Whether two have the same formula and jitter.
  BACKOFF_ACTOR_EXPORT friend bool operator==(const Policy& a, const Policy& b);

private:
  static Policy of_text(std::string_view text);

  Formula formula_;
  Jitter jitter_;
  // The rest follows from these two.
  detail::Growth growth_{};
  detail::JitterTerms terms_;
  double top_ = 0; // the longest v, ns
  Duration longest_{0};
};

/// Adds a jitter to a policy that has none.
///
/// @errors throws `InvalidArgument` if the policy has one already, or its formula draws by itself.
BACKOFF_ACTOR_EXPORT Policy operator|(const Policy& policy, const Jitter& jitter);

/// Returns all that is wrong with a formula and a jitter.
BACKOFF_ACTOR_EXPORT Problems check(const Policy::Formula& formula, const Jitter& jitter);

/// Renders a policy in the form that `parse_policy` takes:
/// `exponential(100ms, x2, cap 30s) | full_jitter`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Policy& policy);

// Inlined, without `std::visit`, and the result is assembled from single numbers at the end. So the
// numbers stay in registers; through memory a step takes five times as long.
[[gnu::always_inline]] inline Step Policy::next(const Progress& progress, double u) const {
  static_assert(std::variant_size_v<Formula> == 8);
  auto level = progress.level;
  auto retries = progress.retries;
  auto draws = progress.draws;
  Duration delay;
  const auto take = [&](const auto& formula) {
    const auto step = detail::step(formula, {level, retries, draws}, u);
    level = step.progress.level;
    retries = step.progress.retries;
    draws = step.progress.draws;
    delay = step.delay;
  };
  switch (formula_.index()) {
  case 3:
    take(*std::get_if<3>(&formula_));
    break;
  case 4:
    take(*std::get_if<4>(&formula_));
    break;
  case 5:
    take(*std::get_if<5>(&formula_));
    break;
  case 6:
    take(*std::get_if<6>(&formula_));
    break;
  case 7:
    take(*std::get_if<7>(&formula_));
    break;
  default:
    delay = std::min(detail::jittered(terms_, level, u), longest_);
    level = std::min(level * growth_.factor + growth_.step, top_);
    retries = detail::one_more(retries);
    ++draws;
  }
  return {{level, retries, draws}, delay};
}

} // namespace backoff_actor
