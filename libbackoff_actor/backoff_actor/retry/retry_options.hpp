#pragma once

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/backoff/retry_series.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/retry/shared_guard.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <typeinfo>

namespace backoff_actor {

/// An attempt, as the function that makes it is told.
struct Attempt {
  /// Which it is, from 1.
  std::uint32_t number = 1;

  /// How long it may take: `Limits::attempt_timeout`, or what is left of `Limits::max_elapsed` if
  /// that is less; nothing: as long as it likes. It is for the function to keep to, by handing it on
  /// to whatever it calls. Round it up for what counts in milliseconds: 0 often means no limit.
  ///
  /// @range above 0
  std::optional<Duration> time_allowed{};

  /// Whether `Limits::max_retries` allows no further one.
  bool is_last = false;
};

/// A value that the predicate did not want.
class RefusedValue {
public:
  /// None.
  RefusedValue() = default;

  /// That which is referred to, and must outlive this.
  template <class R>
  explicit RefusedValue(const R& value) : value_(&value), type_(&typeid(R)) {}

  /// Returns the value if there is one and it is of this very type, else null.
  template <class R>
  const R* get_if() const {
    return value_ && *type_ == typeid(R) ? static_cast<const R*>(value_) : nullptr;
  }

private:
  const void* value_ = nullptr;
  const std::type_info* type_ = nullptr;
};

/// An attempt that failed and will be followed by another. To be used during the call only.
struct RetryNotice {
  const Attempt& attempt;       ///< that which failed
  const Assessment& assessment; ///< what the predicate said of it, with the server's wish
  Duration delay;               ///< how long the wait is
  const BackOff& backoff;       ///< with the coordinates of the draw
  std::exception_ptr error;     ///< what the attempt threw, if it did
  RefusedValue value;           ///< what it returned otherwise
};

/// Renders a notice for people, with the time rounded: `attempt 1 failed: connection refused; next
/// in 1.023s`, and `attempt 1 was refused; next in 1.023s` if it returned a value.
BACKOFF_ACTOR_EXPORT std::string to_string(const RetryNotice& notice);

/// What may be said to `retry` besides.
struct RetryOptions {
  /// The seed of the delays. Unset: one of this process.
  std::optional<std::uint64_t> seed{};

  /// The stream within the seed. Unset: 0 with a seed that is set, else another for each call.
  std::optional<std::uint64_t> stream{};

  /// Is asked before every attempt, and told what came of it: of a failure that is worth another
  /// attempt as a failure, of anything else that the function returned or threw as a success, for the
  /// service answered. It may be shared, also with actors; it must be on the time line of the clock.
  ///
  /// If it lets an attempt not through, the call ends at once, `GaveUp::held_back`.
  SharedGuard guard{};

  /// Called before each wait, above all to log it. What it throws ends the call of `retry`.
  std::function<void(const RetryNotice&)> on_retry{};
};

/// A predicate for functions whose every value is wanted: whatever `std::exception` they throw is
/// worth another attempt.
struct OnExceptions {
  /// Another attempt may succeed.
  constexpr Assessment operator()(const std::exception&) const { return retryable; }
};

/// The predicate `OnExceptions`.
inline constexpr OnExceptions on_exceptions{};

namespace detail {

/// A series' backoff, with draws of its own unless the options say which.
BACKOFF_ACTOR_EXPORT BackOff backoff_of(const Policy& policy, const RetryOptions& options);

} // namespace detail

} // namespace backoff_actor
