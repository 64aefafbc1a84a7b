#pragma once

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/backoff/by_reason.hpp"
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

/// What the function is told about the attempt that it makes.
struct Attempt {
  /// The number of the attempt, from 1.
  std::uint32_t number = 1;

  /// How long the attempt may take: `Limits::attempt_timeout`, or what is left of
  /// `Limits::max_elapsed` if that is less. Nothing: no limit. The function has to keep to it,
  /// usually by passing it on as a timeout. Round it up when you convert it to milliseconds: for
  /// many libraries a timeout of 0 means no limit.
  ///
  /// @range above 0
  std::optional<Duration> time_allowed{};

  /// Whether `Limits::max_attempts` allows no further attempt. A class of failures with a number of
  /// attempts of its own may allow one all the same.
  bool is_last = false;
};

/// A reference to a value that the predicate did not accept.
class RefusedValue {
public:
  /// No value.
  RefusedValue() = default;

  /// Refers to `value`, which must outlive this object.
  template <class R>
  explicit RefusedValue(const R& value) : value_(&value), type_(&typeid(R)) {}

  /// Returns the value if there is one and its type is exactly `R`, else null.
  template <class R>
  const R* get_if() const {
    return value_ && *type_ == typeid(R) ? static_cast<const R*>(value_) : nullptr;
  }

private:
  const void* value_ = nullptr;
  const std::type_info* type_ = nullptr;
};

/// An attempt that failed and will be followed by another. Valid during the call of `on_retry`
/// only.
struct RetryNotice {
  const Attempt& attempt;       ///< the failed attempt
  const Assessment& assessment; ///< what the predicate returned, with the server's wish
  Duration delay;               ///< how long the wait is
  const BackOff& backoff;       ///< with the coordinates of the draw
  std::exception_ptr error;     ///< what the attempt threw, if it did
  RefusedValue value;           ///< what it returned otherwise
};

/// Renders a notice for people, with the time rounded:
///
/// `attempt 1 failed: connection refused; next in 1.023s`, and
/// `attempt 1 was refused; next in 1.023s` if it returned a value.
BACKOFF_ACTOR_EXPORT std::string to_string(const RetryNotice& notice);

/// Optional settings of `retry`.
struct RetryOptions {
  /// The seed of the delays. Unset: the seed of this process.
  std::optional<std::uint64_t> seed{};

  /// The stream within the seed. Unset: 0 if `seed` is set, else a new stream for each call.
  std::optional<std::uint64_t> stream{};

  /// The guard of the service. `retry` asks it before every attempt and reports each outcome. A
  /// retryable outcome counts as a failure of the service. Anything else that the function returns
  /// or throws counts as a success, because the service answered. The guard may be shared, also
  /// with actors. It must be on the time line of the clock. A call of `retry` with the same guard
  /// inside of the function is a part of the attempt: it asks for no permit of its own.
  ///
  /// If the guard does not let an attempt through, the call ends at once with `GaveUp::held_back`.
  SharedGuard guard{};

  /// How failures of certain classes are retried. The predicate says the class:
  /// `retryable_as("throttling")`. A number of attempts takes the place of `Limits::max_attempts`.
  /// Empty: all alike.
  ///
  /// @range a cost at most what the retry budget of the guard holds after a rest
  ByReason by_reason{};

  /// Called before each wait, mainly for logging. What it throws ends the call of `retry`.
  std::function<void(const RetryNotice&)> on_retry{};
};

/// A predicate that accepts every value and retries every `std::exception`.
struct OnExceptions {
  /// Returns `retryable`.
  constexpr Assessment operator()(const std::exception&) const { return retryable; }
};

/// The predicate `OnExceptions`.
inline constexpr OnExceptions on_exceptions{};

namespace detail {

/// Returns the backoff of a new series. Unless the options set a seed or a stream, its draws are
/// its own.
BACKOFF_ACTOR_EXPORT BackOff backoff_of(const Policy& policy, const RetryOptions& options);

/// Throws `InvalidArgument` naming each cost that the guard's retry budget may never hold.
BACKOFF_ACTOR_EXPORT void raise_if_too_dear(const RetryOptions& options);

/// Adds a problem for each cost that the guard's retry budget may never hold.
BACKOFF_ACTOR_EXPORT void check_costs(Problems& problems, const ByReason& by_reason,
                                      const SharedGuard& guard);

} // namespace detail

} // namespace backoff_actor
