#pragma once

#include "backoff_actor/backoff/retry_series.hpp"
#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace backoff_actor {

/// Returns the default assessment of an error. An error that carries a `retry_after` is retryable,
/// whatever its code. Otherwise four codes are not retryable: `caf::sec::unexpected_message` and
/// `unexpected_response`, because the target does not understand the message,
/// `request_receiver_down`, because an actor that ended does not come back, and
/// `SenderError::unknown_type`. All other errors are retryable, for example `request_timeout`, a
/// dropped promise, and an error of your own that the target answers.
BACKOFF_ACTOR_EXPORT Assessment assess_error(const caf::error& error);

/// Decides whether to retry a failed request. It wraps any callable that takes a `const
/// caf::error&` and returns an `Assessment` or a `bool`: true means `retryable`, false means
/// `not_retryable`. Without a callable, `assess_error` decides. What the callable captures must
/// live as long as the request that is retried, or the guarded actor.
///
///     ErrorPredicate predicate = [](const caf::error& x) { return x == caf::sec::runtime_error; };
///
/// @errors if the callable throws, `assess_error` decides.
class BACKOFF_ACTOR_EXPORT ErrorPredicate {
public:
  /// Lets `assess_error` decide.
  ErrorPredicate() = default;

  /// Keeps a copy of the callable. If the callable is empty, `assess_error` decides.
  template <class Callable>
  requires(!std::same_as<Callable, ErrorPredicate> && std::invocable<Callable&, const caf::error&>)
    ErrorPredicate(Callable callable) { // implicit on purpose
    using Result = std::invoke_result_t<Callable&, const caf::error&>;
    static_assert(std::same_as<Result, bool> || std::convertible_to<Result, Assessment>,
                  "the predicate must return bool or Assessment");
    if constexpr (std::same_as<Result, bool>) {
      if (std::function<bool(const caf::error&)> is_retryable{std::move(callable)})
        assess_ = [is_retryable = std::move(is_retryable)](const caf::error& error) {
          return is_retryable(error) ? retryable : not_retryable;
        };
    } else {
      assess_ = std::move(callable);
    }
  }

  /// Returns the assessment of the callable. If that is `retryable` without a time, the time comes
  /// from the error (`retry_after`), if the error carries one.
  Assessment operator()(const caf::error& error) const;

private:
  std::function<Assessment(const caf::error&)> assess_;
};

} // namespace backoff_actor
