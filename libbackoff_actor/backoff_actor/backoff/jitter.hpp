#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/normal.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <string>

namespace backoff_actor {

/// How a random part changes the delay v of a formula, so that clients that failed together do not
/// come back together.
///
/// If the result could exceed the cap, v is first lowered until it cannot. So jitter is as wide at
/// the cap as below it. `full_jitter` spreads retries the most; use it unless you have a reason for
/// another.
struct Jitter {
  /// The distributions.
  enum class Kind : std::uint8_t {
    none,         ///< v
    full,         ///< uniform over 0 to v
    equal,        ///< uniform over v/2 to v
    proportional, ///< uniform over v (1 - amount) to v (1 + amount)
    additive,     ///< uniform over v to v + amount
    gaussian,     ///< normal around v, standard deviation v * amount, cut off at 3 deviations
  };

  /// The distribution.
  Kind kind = Kind::none;

  /// The width of the distribution.
  ///
  /// @units  nanoseconds if additive, else a part of v
  /// @range  proportional: more than 0, up to 1; additive: 0 to the cap; gaussian: more than 0, up
  ///         to 1/3; else 0
  double amount = 0;

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
constexpr Jitter proportional_jitter(double part) { return {Jitter::Kind::proportional, part}; }

/// The delay and, uniformly, up to `longest` more.
constexpr Jitter additive_jitter(Duration longest) {
  return {Jitter::Kind::additive, static_cast<double>(longest.count())};
}

/// Normal around the delay. The standard deviation is a part of the delay; the distribution is cut
/// off at 3 standard deviations.
constexpr Jitter gaussian_jitter(double part) { return {Jitter::Kind::gaussian, part}; }

/// Returns what is wrong with the amount. `cap` is the limit that the jittered delay must keep to.
BACKOFF_ACTOR_EXPORT Problems check(const Jitter& jitter, Duration cap);

/// Renders it as it is written behind a formula: `full_jitter`, `proportional_jitter(20%)`,
/// `additive_jitter(1s)`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Jitter& jitter);

namespace detail {

/// The longest v that keeps the result within the cap.
BACKOFF_ACTOR_EXPORT double room_below(const Jitter& jitter, double cap);

/// The longest result for a v.
double longest_of(const Jitter& jitter, double v);

/// The common form of all jitters, in nanoseconds: `v * base + x * (v * width + extra)`, where x is
/// uniform over 0 to 1, or normal.
struct JitterTerms {
  double base = 1;
  double width = 0;
  double extra = 0;
  bool is_normal = false;
};

JitterTerms terms_of(const Jitter& jitter);

/// The delay for a v. Contraction to a fused multiply-add cannot change the result, because `width`
/// or `extra` is 0.
inline Duration jittered(const JitterTerms& terms, double v, double u) {
  const auto x = terms.is_normal ? cut_off_normal_number(u) : u;
  const auto base = static_cast<std::int64_t>((v + 0.5) * terms.base);
  const auto spread = static_cast<std::int64_t>(x * (v * terms.width + terms.extra));
  return Duration{base + spread};
}

} // namespace detail

} // namespace backoff_actor
