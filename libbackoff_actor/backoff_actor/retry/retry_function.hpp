#pragma once

// Design notes
//
// `RetrySeries` decides; the loop around it calls the function, asks the predicate and the guard,
// and waits. Everything runs on the caller's thread. A `std::exception` from the function is a
// failed attempt. An exception from the predicate, the observer or the clock is a bug in the
// program, and passes through.

#include "backoff_actor/backoff/retry_series.hpp"
#include "backoff_actor/retry/guarded_call.hpp"
#include "backoff_actor/retry/retry_options.hpp"
#include "backoff_actor/retry/retry_result.hpp"
#include "backoff_actor/retry/steady_clock.hpp"

#include <concepts>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <variant>

namespace backoff_actor {

namespace detail {

template <class Function>
decltype(auto) call(Function& function, [[maybe_unused]] const Attempt& attempt) {
  if constexpr (std::invocable<Function&, const Attempt&>)
    return std::invoke(function, attempt);
  else
    return std::invoke(function);
}

/// Whether the predicate accepts this subject, an exception or a value.
template <class Predicate, class Subject>
concept CanAssess = std::invocable<Predicate&, const Subject&>;

template <class Predicate, class Subject>
Assessment assess(Predicate& predicate, const Subject& subject, const Assessment& if_not_retried) {
  using Answer = std::remove_cvref_t<std::invoke_result_t<Predicate&, const Subject&>>;
  static_assert(std::same_as<Answer, bool> || std::same_as<Answer, Assessment>,
                "the predicate must return bool, true to try again, or an Assessment");
  if constexpr (std::same_as<Answer, bool>)
    return std::invoke(predicate, subject) ? retryable : if_not_retried;
  else
    return std::invoke(predicate, subject);
}

template <class Predicate>
Assessment assess_exception([[maybe_unused]] Predicate& predicate,
                            [[maybe_unused]] const std::exception& error) {
  if constexpr (CanAssess<Predicate, std::exception>)
    return assess(predicate, error, not_retryable);
  else
    return retryable;
}

template <class R, class Predicate>
Assessment assess_value([[maybe_unused]] Predicate& predicate,
                        [[maybe_unused]] const RetryResult<R>& result) {
  if constexpr (!std::is_void_v<R>)
    if constexpr (CanAssess<Predicate, R>)
      return assess(predicate, *result.value, success);
  return success;
}

/// Makes one attempt, and stores its value or its exception in the result.
template <class R, class Predicate, class Function>
Assessment make_attempt(RetryResult<R>& result, Predicate& predicate, Function& function,
                        const Attempt& attempt) {
  result.error = nullptr;
  try {
    if constexpr (std::is_void_v<R>) {
      call(function, attempt);
    } else {
      result.value.reset();
      result.value.emplace(call(function, attempt));
    }
  } catch (const std::exception& error) {
    result.error = std::current_exception();
    const auto assessment = assess_exception(predicate, error);
    // The attempt threw, so there is no value that a success could return.
    const auto is_empty_success =
      !std::is_void_v<R> && assessment.kind == Assessment::Kind::success;
    return is_empty_success ? not_retryable : assessment;
  }
  return assess_value(predicate, result);
}

template <class R>
RefusedValue refused_value(const RetryResult<R>& result) {
  if constexpr (!std::is_void_v<R>)
    if (result.value)
      return RefusedValue{*result.value};
  return {};
}

/// Handles one failed attempt and waits for the next. Returns the reason if there is no next one.
template <class R, class Clock>
std::optional<GaveUp> wait_for_next(RetrySeries& series, Instant now, const Attempt& attempt,
                                    const Assessment& assessment, const RetryResult<R>& result,
                                    Clock& clock, const RetryOptions& options) {
  const auto next = series.failed(now, assessment);
  if (const auto* end = std::get_if<RetrySeries::GiveUp>(&next))
    return end->reason;
  const auto& [delay, due] = std::get<RetrySeries::Retry>(next);
  if (options.on_retry)
    options.on_retry(
      {attempt, assessment, delay, series.last_backoff(), result.error, refused_value(result)});
  if (!clock.sleep_until(due))
    return GaveUp::cancelled;
  return std::nullopt;
}

/// Asks the guard whether the next attempt may be made. If not, stores the reason in the result.
/// Inside of another guarded call to the service, the answer to that one counts.
template <class R>
bool is_held_back(GuardedCalls& calls, const RetrySeries& series, Instant now,
                  const RetryOptions& options, RetryResult<R>& result) {
  if (options.guard && CallUnderWay::is_within(options.guard))
    return false;
  const auto held_back =
    calls.begin(now, series.attempts() == 0 ? Call::first : Call::retry, series.cost());
  if (!held_back)
    return false;
  result.reason = GaveUp::held_back;
  result.held_back_by = held_back->reason;
  result.come_back_in = come_back_in(*held_back, now);
  return true;
}

/// The retry loop. The arguments' types have been checked.
template <class R, class Predicate, class Function, class Clock>
RetryResult<R> run_retries(const Policy& policy, const Limits& limits, Predicate& predicate,
                           Function& function, Clock& clock, const RetryOptions& options) {
  RetryResult<R> result;
  auto now = clock.now();
  if (!options.by_reason.empty())
    raise_if_too_dear(options);
  RetrySeries series{backoff_of(policy, options), limits, now, options.by_reason};
  GuardedCalls calls{options.guard};
  if (!clock.sleep_until(now))
    result.reason = GaveUp::cancelled;
  while (!result.reason && !is_held_back(calls, series, now, options, result)) {
    const auto time_allowed = series.begin_attempt(now);
    const Attempt attempt{series.attempts(), time_allowed, series.is_last_attempt()};
    const auto assessment = [&] {
      std::optional<CallUnderWay> under_way;
      if (options.guard)
        under_way.emplace(options.guard);
      return make_attempt(result, predicate, function, attempt);
    }();
    now = clock.now();
    calls.end(now, assessment.kind);
    if (assessment.kind == Assessment::Kind::success)
      break;
    result.reason = wait_for_next(series, now, attempt, assessment, result, clock, options);
    now = clock.now();
    if (!result.reason && series.is_out_of_time(now))
      result.reason = GaveUp::out_of_time;
  }
  result.attempts = series.attempts();
  result.elapsed = series.elapsed(now);
  return result;
}

} // namespace detail

/// Calls a function until it succeeds or there is a reason to give up, and waits between attempts.
/// Giving up is a result, not an exception.
///
///     const Policy policy = Exponential{.first = 100ms, .cap = 10s} | full_jitter;
///     const Limits limits{.max_attempts = 6, .max_elapsed = 30s, .attempt_timeout = 2s};
///     const auto result = retry(policy, limits,
///       [](const Response& response) { return response.status >= 500; },
///       [&](const Attempt& attempt) { return get(url, attempt.time_allowed); });
///     if (!result)
///       log(to_string(result)); // gave up: attempts_exhausted after 6 attempts in 3.1s
///
/// `retry` cannot stop an attempt: the function is told how much time it has, and must keep to it.
/// An attempt that succeeds after that time has still succeeded. The first attempt is always made,
/// unless the clock reports a cancellation or `RetryOptions::guard` holds the call back. A retry
/// never begins early, nor when `max_elapsed` is over. Without limits `retry` goes on for ever;
/// `limits_of(policy)` returns the limits that the policy's source demands.
///
/// @shape  `function()` or `function(const Attempt&)` returns a movable value or nothing, or
///         throws. A `std::exception` is a failed attempt. Anything else that is thrown, an `int`
///         for example, is no failed attempt: it ends the call and passes through to the caller,
///         and `RetryOptions::guard` forgets the attempt. `predicate(const Value&)` assesses what
///         was returned, and `predicate(const std::exception&)` what was thrown. Each returns an
///         `Assessment`, or a bool that is true to try again. At least one of the two must exist.
///         Without the first, every value is a success. Without the second, every
///         `std::exception` is retried. `on_exceptions` has only the second. A lambda with
///         `const auto&` has both.
///         To follow a server's `Retry-After`, the predicate returns `retryable_after(span)`; see
///         `parse_retry_after`.
///         If the predicate calls an exception a success, it is one only for a function that
///         returns nothing. Otherwise the failure is final, because there is no value.
/// @errors throws `InvalidArgument` naming every invalid limit, and `ParseError` for a policy given
///         as a text that is none, before the first attempt. What the predicate, the observer or
///         the clock throws passes through.
/// @thread all calls are made on the caller's thread. An attempt allocates nothing beyond what the
///         function itself allocates.
template <class Predicate, class Function, class Clock>
requires RetryClock<std::remove_reference_t<Clock>>
auto retry(const Policy& policy, const Limits& limits, Predicate&& predicate, Function&& function,
           Clock&& clock, const RetryOptions& options = {}) {
  using F = std::remove_reference_t<Function>;
  using P = std::remove_reference_t<Predicate>;
  constexpr auto is_function = std::invocable<F&, const Attempt&> || std::invocable<F&>;
  static_assert(is_function, "the function that is retried must be callable with a const Attempt& "
                             "or with no argument");
  if constexpr (is_function) {
    using Result = decltype(detail::call(function, Attempt{}));
    using R = std::remove_cv_t<Result>;
    constexpr auto is_movable = std::is_void_v<R> || std::move_constructible<R>;
    static_assert(!std::is_reference_v<Result>,
                  "the function must not return a reference; return a value or a pointer");
    static_assert(is_movable, "the function must return a movable type");
    if constexpr (!std::is_reference_v<Result> && is_movable) {
      if constexpr (std::is_void_v<R>)
        static_assert(detail::CanAssess<P, std::exception>,
                      "the predicate must be callable with a const std::exception&, because the "
                      "function returns void");
      else
        static_assert(detail::CanAssess<P, R> || detail::CanAssess<P, std::exception>,
                      "the predicate must be callable with the function's result as const&, or "
                      "with a const std::exception&");
      return detail::run_retries<R>(policy, limits, predicate, function, clock, options);
    }
  }
}

/// The same in real time, without a way to cancel it.
///
/// @shape  as above
/// @errors as above
/// @thread as above
template <class Predicate, class Function>
requires(!std::same_as<std::remove_cvref_t<Function>, RetryOptions>) auto retry(
  const Policy& policy, const Limits& limits, Predicate&& predicate, Function&& function,
  const RetryOptions& options = {}) {
  const SteadyClock clock;
  return retry(policy, limits, predicate, function, clock, options);
}

/// The same without a predicate: every value is a success, and every `std::exception` is retried.
///
///     retry("exponential(100ms, cap 10s) | full_jitter", {.max_attempts = 6}, [&] { save(x); });
///
/// @shape  as above
/// @errors as above
/// @thread as above
template <class Function>
auto retry(const Policy& policy, const Limits& limits, Function&& function,
           const RetryOptions& options = {}) {
  return retry(policy, limits, on_exceptions, function, options);
}

/// The same with the limits of `limits_of(policy)`. Most policies have none: then it goes on until
/// the function returns, or throws something that is no `std::exception`.
///
/// @shape  as above
/// @errors as above
/// @thread as above
template <class Function>
auto retry(const Policy& policy, Function&& function) {
  return retry(policy, limits_of(policy), function);
}

} // namespace backoff_actor
