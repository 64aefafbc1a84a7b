#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

namespace backoff_actor {

/// What the wait that a service asks for, its `Retry-After`, does to the wait of the backoff. By
/// default the retry comes no earlier than either says, and a service that asks for more than
/// `bound` is not tried again. A span converts to that reading:
///
///     limits.retry_after = 30s;                                // beyond 30 s: give up
///     limits.retry_after = RetryAfterReading::cut_to(30s);     // beyond 30 s: after 30 s
///     limits.retry_after = RetryAfterReading::cut_to(30s).in_place_of_backoff();
///
/// @shape  pure and total
/// @units  nanoseconds
/// @thread safe from any thread, as long as nobody assigns to it.
struct RetryAfterReading {
  /// What follows if the service asks for more than `bound`.
  enum class Rule : std::uint8_t {
    give_up,             ///< there is no retry
    cut,                 ///< the wish counts as `bound`
    cut_to_backoff_plus, ///< the wish counts as the backoff's own wait and `bound`
    ignore,              ///< nothing, ever: the backoff alone decides
  };

  /// The default: `up_to(5min)`.
  constexpr RetryAfterReading() = default;

  /// The same as `up_to(longest)`.
  template <class Rep, class Period>
  requires(std::convertible_to<
           const std::chrono::duration<Rep, Period>&,
           Duration>) constexpr RetryAfterReading(const std::chrono::duration<Rep, Period>& longest)
    : bound(longest) {} // implicit on purpose

  /// Obeyed up to `longest`. If the service asks for more, there is no retry.
  static constexpr RetryAfterReading up_to(Duration longest) { return {longest}; }

  /// Obeyed, whatever the service asks for.
  static constexpr RetryAfterReading without_bound() { return {Duration::max()}; }

  /// Obeyed up to `longest`. A service that asks for more is tried again then.
  static constexpr RetryAfterReading cut_to(Duration longest) {
    return of_rule(Rule::cut, longest);
  }

  /// Obeyed up to the wait of the backoff and `extra`. A service that asks for more is tried again
  /// then.
  static constexpr RetryAfterReading cut_to_backoff_plus(Duration extra) {
    return of_rule(Rule::cut_to_backoff_plus, extra);
  }

  /// Never obeyed.
  static constexpr RetryAfterReading ignored() { return of_rule(Rule::ignore, Duration::zero()); }

  /// Returns the same reading, but the wish takes the place of the backoff's wait, also if it is
  /// shorter. A wish of 0 means at once.
  constexpr RetryAfterReading in_place_of_backoff() const {
    auto result = *this;
    result.replaces_backoff = true;
    return result;
  }

  /// The longest wish that is obeyed; with `cut_to_backoff_plus`, beyond the backoff's own wait.
  /// Without effect with `ignore`.
  ///
  /// @range 0 and above; `Duration::max()`: without a bound
  Duration bound = std::chrono::minutes{5};

  /// What follows if the service asks for more than `bound`.
  Rule rule = Rule::give_up;

  /// Whether the wish takes the place of the backoff's wait. Otherwise the longer of the two
  /// counts, so a wish of 0 changes nothing.
  bool replaces_backoff = false;

  /// Whether a wish takes the place of the backoff's wait.
  constexpr bool replaces() const { return replaces_backoff && rule != Rule::ignore; }

  /// Whether this wish ends the retrying.
  constexpr bool gives_up(Duration asked) const { return rule == Rule::give_up && asked > bound; }

  /// How much of the wish is obeyed, where it does not end the retrying. `backoff`: the backoff's
  /// own wait.
  ///
  /// @range 0 and above; a negative wish counts as 0
  constexpr Duration obeyed(Duration asked, Duration backoff) const {
    if (rule == Rule::ignore)
      return Duration::zero();
    const auto longest = rule == Rule::cut_to_backoff_plus && bound < Duration::max() - backoff
                           ? backoff + bound
                         : rule == Rule::cut_to_backoff_plus ? Duration::max()
                                                             : bound;
    return std::max(std::min(asked, longest), Duration::zero());
  }

  /// Returns the wait before the retry. `asked` none: the service asked for nothing.
  constexpr Duration wait(Duration backoff, std::optional<Duration> asked) const {
    if (!asked || rule == Rule::ignore)
      return backoff;
    const auto wish = obeyed(*asked, backoff);
    return replaces() ? wish : std::max(backoff, wish);
  }

  /// Whether two are the same.
  friend constexpr bool operator==(const RetryAfterReading&, const RetryAfterReading&) = default;

  // Found only for a reading: spans, which convert to one, have a `to_string` of their own.
  /// Renders a reading: `up to 5min`, `without bound`, `cut to 30s`, `cut to the backoff plus 5s`,
  /// `ignored`; with `in_place_of_backoff` also `cut to 30s, in place of the backoff`.
  friend std::string to_string(const RetryAfterReading& reading) { return reading.text(); }

private:
  BACKOFF_ACTOR_EXPORT std::string text() const;

  static constexpr RetryAfterReading of_rule(Rule rule, Duration bound) {
    RetryAfterReading result{bound};
    result.rule = rule;
    return result;
  }
};

/// When to stop retrying. A policy says how long to wait, limits say whether to go on. By default
/// only `retry_after` is set.
struct Limits {
  /// How many attempts there may be, the first included. Unset: any number.
  ///
  /// @range 1 to 1,000,000,000
  std::optional<std::uint32_t> max_attempts{};

  /// How long all attempts and the delays between them may take together. If a retry could begin
  /// only after that, the series ends without waiting for it. An attempt that begins earlier may
  /// take only the time that is left. With `reset_after` set, this limit shortens no attempt.
  ///
  /// @range 1 us and above
  std::optional<Duration> max_elapsed{};

  /// How long one attempt may take. A plain function is told this time, and must keep to it by
  /// itself.
  ///
  /// @range 1 us and above
  std::optional<Duration> attempt_timeout{};

  /// What the wait that a server asks for, its `Retry-After` or the like, does to the wait of the
  /// policy. By default the retry comes no earlier than the server asked, and if the server asks
  /// for more than 5 minutes, there is no retry. A span stands for the same with another bound.
  ///
  /// @range the bound 0 and above
  RetryAfterReading retry_after{};

  /// If an attempt, such as a connection, lasts this long before it fails, it counts as healthy.
  /// Its failure then starts a new series: retries, delays and `max_elapsed` begin again. Only the
  /// duration is checked, so this must be longer than the slowest failure. An attempt that
  /// `attempt_timeout` cut off is never healthy. Unset: no attempt is.
  ///
  /// @range 1 us and above, and less than `attempt_timeout`
  std::optional<Duration> reset_after{};

  /// Whether two are equal.
  friend constexpr bool operator==(const Limits&, const Limits&) = default;
};

/// Returns all that is wrong with a reading.
BACKOFF_ACTOR_EXPORT Problems check(const RetryAfterReading& reading);

/// Returns all that is wrong with the limits.
BACKOFF_ACTOR_EXPORT Problems check(const Limits& limits);

/// Returns the limits that the source of a policy demands. `memorystore`: 11 attempts. Its
/// documentation forbids endless retries but gives no number; ten reach the cap and stay there for
/// some minutes. `ethernet`: 15 retries, from its 16 attempts. Other policies: none.
BACKOFF_ACTOR_EXPORT Limits limits_of(const Policy& policy);

/// Renders the limits that are set:
/// `max_attempts 11, max_elapsed 30s, retry_after up to 5min`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Limits& limits);

} // namespace backoff_actor
