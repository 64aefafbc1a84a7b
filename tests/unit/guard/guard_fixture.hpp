#pragma once

#include "backoff_actor/guard/admission.hpp"
#include "backoff_actor/guard/guard_options.hpp"
#include "backoff_actor/guard/internal/circuit_breaker.hpp"
#include "backoff_actor/guard/internal/guard.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <variant>
#include <vector>

namespace backoff_actor::guard_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Strings = std::vector<std::string>;

constexpr Instant at(Duration since_begin) { return Instant{since_begin}; }

/// "let through", "a probe", or "open_breaker until 5s", "isolated_breaker for ever".
inline std::string shown(const Admission& answer) {
  if (const auto* permit = std::get_if<Permit>(&answer))
    return permit->probe == 0 ? "let through" : "a probe";
  const auto& [reason, until] = std::get<HeldBack>(answer);
  return std::string{to_string(reason)}
         + (until == Instant::never() ? " for ever" : " until " + to_string(until.since_origin));
}

inline Permit permit_of(const Admission& answer) { return std::get<Permit>(answer); }

inline HeldBackBy reason_of(const Admission& answer) { return std::get<HeldBack>(answer).reason; }

inline Instant until_of(const Admission& answer) { return std::get<HeldBack>(answer).until; }

/// Calls that end at once.
inline void fail(CircuitBreaker& breaker, Duration now) {
  breaker.failed(permit_of(breaker.admit(at(now))), at(now));
}

inline void succeed(CircuitBreaker& breaker, Duration now) {
  breaker.succeeded(permit_of(breaker.admit(at(now))), at(now));
}

/// Opens after one failure.
inline CircuitBreakerOptions touchy() {
  CircuitBreakerOptions options;
  options.trip = ConsecutiveFailures{1};
  options.spread = 0s;
  return options;
}

} // namespace backoff_actor::guard_test
