#pragma once

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/guard/guard_options.hpp"

#include <string_view>

namespace backoff_actor {

/// Reads what guards a service:
///
///     circuit_breaker(5 failures, open 5s, probes 1, spread 5s, probe_timeout 1min)
///     circuit_breaker(50% of 100 calls, min_calls 10, open exponential(5s, x2, cap 1min))
///     circuit_breaker(10% within 30s, min_calls 100, open fixed(5s) | equal_jitter)
///     retry_budget(20%, 10/s, window 10s)
///     rate(50/s, burst 5)
///     circuit_breaker + retry_budget + rate(100/min)
///     none
///
/// All parts and all arguments are optional and can come in any order. Omitted arguments have the
/// defaults of `CircuitBreakerOptions`, `RetryBudgetOptions` and `RateOptions`. `open` takes a span
/// or a policy. The period of a rate is `s`, `min`, `h`, or a span such as `250ms`. Blanks between
/// words are optional. `to_string` renders the full form, and `parse_guard` reads it back into the
/// same options.
///
/// @errors throws `ParseError` at the first place with a syntax error or an impossible policy. If
///         the syntax is right but values are out of range, it throws at the first of them and
///         names all.
BACKOFF_ACTOR_EXPORT GuardOptions parse_guard(std::string_view text);

} // namespace backoff_actor
