#pragma once

#include "backoff_actor/backoff/retry_series.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/admission.hpp"

#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace backoff_actor {

/// The outcome of a call with its retries, without the value.
struct RetryOutcome {
  /// What the last attempt threw, if it did.
  std::exception_ptr error{};

  /// Why there was no further attempt; nothing: the last one succeeded.
  std::optional<GaveUp> reason{};

  /// With `GaveUp::held_back`: why the guard did not let the next attempt through.
  std::optional<HeldBackBy> held_back_by{};

  /// With `GaveUp::held_back`: how long to wait before calling again, from the end of the call.
  /// Nothing: only closing the guard by hand will help.
  ///
  /// @range 0 and above
  std::optional<Duration> come_back_in{};

  /// How many attempts were made. It is 0 only if the call was cancelled, or the guard held it
  /// back, before the first attempt.
  std::uint32_t attempts = 0;

  /// How long the whole call took, delays included.
  Duration elapsed{0};

  /// Whether the last attempt succeeded.
  explicit operator bool() const { return !reason; }
};

/// Renders an outcome for people, with the time rounded: `succeeded after 2 attempts in 1.023s`,
/// `gave up: attempts_exhausted after 4 attempts in 7s; last error: connection refused`,
/// `gave up: held back by open_breaker, come back in 3.2s, after 0 attempts in 0ns`.
BACKOFF_ACTOR_EXPORT std::string to_string(const RetryOutcome& outcome);

/// Thrown by `value_or_throw` if the call gave up and the last attempt left no exception.
class BACKOFF_ACTOR_EXPORT GaveUpError : public std::runtime_error {
public:
  /// For an outcome that has a reason; `what()` is the rendered outcome.
  explicit GaveUpError(const RetryOutcome& outcome);

  /// Why there was no further attempt.
  GaveUp reason() const { return reason_; }

private:
  GaveUp reason_;
};

namespace detail {

/// If the call gave up: rethrows the exception of the last attempt, or throws `GaveUpError` if
/// there is none.
BACKOFF_ACTOR_EXPORT void throw_if_given_up(const RetryOutcome& outcome);

/// Returns `what()` of a `std::exception`, or a text that says it is none.
BACKOFF_ACTOR_EXPORT std::string text_of(const std::exception_ptr& error);

/// Renders a span rounded down: to milliseconds from 1 s on, to microseconds from 1 ms on.
BACKOFF_ACTOR_EXPORT std::string rounded(Duration span);

/// Renders why the guard held the call back and when to call again, with a comma at the end:
/// `held back by open_breaker, come back in 3.2s,`.
BACKOFF_ACTOR_EXPORT std::string text_of(HeldBackBy reason, std::optional<Duration> come_back_in);

} // namespace detail

/// The outcome of a call with its retries.
///
///     if (result)
///       use(*result.value);
///     else
///       log(to_string(result));
template <class R>
struct [[nodiscard]] RetryResult : RetryOutcome {
  /// What the last attempt returned, if it returned. After giving up, this is a value that the
  /// predicate did not accept.
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

/// The outcome, with its retries, of a call that returns nothing.
template <>
struct [[nodiscard]] RetryResult<void> : RetryOutcome {
  /// Does nothing if the call succeeded.
  ///
  /// @errors throws the exception of the last attempt, or `GaveUpError` if there was none.
  void value_or_throw() const { detail::throw_if_given_up(*this); }
};

} // namespace backoff_actor
