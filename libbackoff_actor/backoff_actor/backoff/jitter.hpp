#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/normal.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <string>

namespace backoff_actor {

/// Which of the cap and the jitter comes first.
enum class CapOrder : std::uint8_t {
  within,    ///< v is lowered until no result can exceed the cap
  cap_first, ///< v is cut to the cap, then jittered: a delay may exceed the cap
  cap_last,  ///< v is jittered, then cut to the cap: many delays may be exactly the cap
};

/// How a random part changes the delay v of a formula, so that clients that failed together do not
/// come back together.
///
/// By default, if the result could exceed the cap, v is first lowered until it cannot. So jitter is
/// as wide at the cap as below it. `full_jitter` spreads retries the most; use it unless you have a
/// reason for another. Other systems cut before or after the jitter: `cap_first`, `cap_last`.
struct Jitter {
  /// The distributions.
  enum class Kind : std::uint8_t {
    none,         ///< v
    full,         ///< uniform over 0 to v
    equal,        ///< uniform over v/2 to v
    proportional, ///< uniform over v (1 - amount) to v (1 + amount)
    additive,     ///< uniform over v to v + amount
    gaussian,     ///< normal around v, standard deviation v * amount, cut off at 3 deviations
    share,        ///< uniform over v to v (1 + amount)
    per_retry,    ///< uniform over v to v + n * amount before retry n; only with `cap_last`
  };

  /// The distribution.
  Kind kind = Kind::none;

  /// Which of the cap and the jitter comes first. Only for formulas with a cap.
  CapOrder order = CapOrder::within;

  /// Whether a delay grows from the jittered delay before it, and not from v. Only for
  /// `Exponential`, and only if the factor makes up for the shortest draw, so that none shrinks.
  bool is_carried = false;

  /// The width of the distribution.
  ///
  /// @units  nanoseconds if additive or per retry, else a part of v
  /// @range  proportional and share: more than 0, up to 1; additive: 0 to the cap, or to
  ///         `max_delay` with another order than `within`; per retry: 0 to `max_delay`; gaussian:
  ///         more than 0, up to 1/3; else 0
  double amount = 0;

  /// Returns the same jitter, applied after the cap: a delay may exceed it.
  constexpr Jitter cap_first() const { return {kind, CapOrder::cap_first, is_carried, amount}; }

  /// Returns the same jitter, applied before the cap: what exceeds it is cut off.
  constexpr Jitter cap_last() const { return {kind, CapOrder::cap_last, is_carried, amount}; }

  /// Returns the same jitter, from which the next delay grows.
  constexpr Jitter carried() const { return {kind, order, true, amount}; }

  /// Whether two are equal.
  friend constexpr bool operator==(const Jitter&, const Jitter&) = default;
};

/// The delay as the formula gives it.
inline constexpr Jitter no_jitter{};

/// Uniform over 0 to the delay.
inline constexpr Jitter full_jitter{Jitter::Kind::full};

/// One half of the delay, and a uniform part of the other half.
inline constexpr Jitter equal_jitter{Jitter::Kind::equal};

/// Uniform over the delay plus or minus a part of it: `proportional_jitter(0.2)` for 20 %.
constexpr Jitter proportional_jitter(double part) {
  return {.kind = Jitter::Kind::proportional, .amount = part};
}

/// The delay and, uniformly, up to `longest` more.
constexpr Jitter additive_jitter(Duration longest) {
  return {.kind = Jitter::Kind::additive, .amount = static_cast<double>(longest.count())};
}

/// The delay and, uniformly, up to a part of it more: `additive_jitter(0.3)` for 30 %.
constexpr Jitter additive_jitter(double part) {
  return {.kind = Jitter::Kind::share, .amount = part};
}

/// The delay and, uniformly, up to n times `longest` more before retry n. What exceeds the cap is
/// cut off.
constexpr Jitter additive_jitter_per_retry(Duration longest) {
  return {.kind = Jitter::Kind::per_retry,
          .order = CapOrder::cap_last,
          .amount = static_cast<double>(longest.count())};
}

/// Normal around the delay. The standard deviation is a part of the delay; the distribution is cut
/// off at 3 standard deviations.
constexpr Jitter gaussian_jitter(double part) {
  return {.kind = Jitter::Kind::gaussian, .amount = part};
}

/// Returns what is wrong with a jitter, its formula aside. `cap` is the limit that the jittered
/// delay must keep to if the order is `within`.
BACKOFF_ACTOR_EXPORT Problems check(const Jitter& jitter, Duration cap);

/// Renders it as it is written behind a formula: `full_jitter`, `proportional_jitter(20%)`,
/// `additive_jitter(1s)`, `additive_jitter(30%, carried, cap_first)`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Jitter& jitter);

namespace detail {

/// The longest v that keeps the result within the cap.
double room_below(const Jitter& jitter, double cap);

/// The longest result for a v.
double longest_of(const Jitter& jitter, double v);

/// The shortest result, as a part of v.
double least_part(const Jitter& jitter);

/// The common form of all jitters, in nanoseconds: `v * base + x * (v * width + extra)`, where x is
/// uniform over 0 to 1, or normal.
struct JitterTerms {
  double base = 1;
  double width = 0;
  double extra = 0;
};

BACKOFF_ACTOR_EXPORT JitterTerms terms_of(const Jitter& jitter);

/// The delay for a v. Contraction to a fused multiply-add cannot change the result, because `width`
/// or `extra` is 0.
inline Duration jittered(const JitterTerms& terms, bool is_normal, double v, double u) {
  const auto x = is_normal ? cut_off_normal_number(u) : u;
  const auto base = static_cast<std::int64_t>((v + 0.5) * terms.base);
  const auto spread = static_cast<std::int64_t>(x * (v * terms.width + terms.extra));
  return Duration{base + spread};
}

} // namespace detail

} // namespace backoff_actor
