#pragma once

#include "backoff_actor/backoff/retry_series.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/guard_port.hpp"

#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace backoff_actor {

/// What became of a call with its retries, but for the value.
struct RetryOutcome {
  /// What the last attempt threw, if it did.
  std::exception_ptr error{};

  /// Why there was no further attempt; nothing: the last one succeeded.
  std::optional<GaveUp> reason{};

  /// With `GaveUp::held_back`: why the guard let no further attempt through.
  std::optional<HeldBackBy> held_back_by{};

  /// With `GaveUp::held_back`: how long after the end of the call it is worth another; nothing: when
  /// the guard is closed by hand.
  ///
  /// @range 0 and above
  std::optional<Duration> come_back_in{};

  /// How many attempts were made; 0 only if the call was cancelled, or held back by the guard, before
  /// the first.
  std::uint32_t attempts = 0;

  /// How long it all took, delays included.
  Duration elapsed{0};

  /// Whether the last attempt succeeded.
  explicit operator bool() const { return !reason; }
};

/// Renders an outcome for people, with the time rounded: `succeeded after 2 attempts in 1.023s`,
/// `gave up: retries_exhausted after 4 attempts in 7s; last error: connection refused`, `gave up: held
/// back by open_breaker, come back in 3.2s, after 0 attempts in 0ns`.
BACKOFF_ACTOR_EXPORT std::string to_string(const RetryOutcome& outcome);

/// Thrown by `value_or_throw` where there is no exception of an attempt to throw.
class BACKOFF_ACTOR_EXPORT GaveUpError : public std::runtime_error {
public:
  /// For an outcome that has a reason; `what()` is its rendering.
  explicit GaveUpError(const RetryOutcome& outcome);

  /// Why there was no further attempt.
  GaveUp reason() const { return reason_; }

private:
  GaveUp reason_;
};

namespace detail {

/// Throws the exception of the last attempt, or else `GaveUpError`; returns if it succeeded.
BACKOFF_ACTOR_EXPORT void throw_if_given_up(const RetryOutcome& outcome);

/// What an exception says of itself.
BACKOFF_ACTOR_EXPORT std::string text_of(const std::exception_ptr& error);

/// Renders a span so that it can be read at a glance.
BACKOFF_ACTOR_EXPORT std::string rounded(Duration span);

/// Renders why a guard let nothing through, and when to come again, with a comma after it: `held back
/// by open_breaker, come back in 3.2s,`.
BACKOFF_ACTOR_EXPORT std::string text_of(HeldBackBy reason, std::optional<Duration> come_back_in);

} // namespace detail

/// What became of a call with its retries.
///
///     if (result)
///       use(*result.value);
///     else
///       log(to_string(result));
template <class R>
struct [[nodiscard]] RetryResult : RetryOutcome {
  /// What the last attempt returned, unless it threw; after giving up, this is a value that the
  /// predicate did not want.
  std::optional<R> value{};

  /// Returns the value of a call that succeeded.
  ///
  /// @errors throws the exception of the last attempt, or `GaveUpError` if it threw none.
  const R& value_or_throw() const& {
    detail::throw_if_given_up(*this);
    return *value;
  }

  /// Returns the value of a call that succeeded, moved out of the result.
  ///
  /// @errors throws the exception of the last attempt, or `GaveUpError` if it threw none.
  R value_or_throw() && {
    detail::throw_if_given_up(*this);
    return *std::move(value);
  }
};

/// What became of a call that returns nothing, with its retries.
template <>
struct [[nodiscard]] RetryResult<void> : RetryOutcome {
  /// Does nothing if the call succeeded.
  ///
  /// @errors throws the exception of the last attempt, or `GaveUpError` if there was none.
  void value_or_throw() const { detail::throw_if_given_up(*this); }
};

} // namespace backoff_actor
