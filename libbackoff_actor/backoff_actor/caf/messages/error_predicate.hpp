#pragma once

#include "backoff_actor/backoff/retry_series.hpp"
#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace backoff_actor {

/// Returns what is thought of an error if nobody says otherwise. Final is what cannot get better:
/// `caf::sec::unexpected_message` and `unexpected_response`, as the same message would be no more
/// welcome the next time, and `request_receiver_down`, as an actor that is gone does not come back.
/// Anything else may get better: `request_timeout`, a dropped promise, whatever the target answers,
/// and every error that says when to come back (`retry_after`).
BACKOFF_ACTOR_EXPORT Assessment assess_error(const caf::error& error);

/// What says whether a request that failed is to be tried again: any callable that takes a
/// `const caf::error&` and returns an `Assessment`, or `bool`, where true stands for `retryable` and
/// false for `not_retryable`; made of nothing, `assess_error`.
///
///     ErrorPredicate predicate = [](const caf::error& x) { return x == caf::sec::runtime_error; };
///
/// @errors if the callable throws, `assess_error` decides.
class BACKOFF_ACTOR_EXPORT ErrorPredicate {
public:
  /// That of `assess_error`.
  ErrorPredicate() = default;

  /// Keeps a copy of the callable; one that is empty is none.
  template <class Callable>
  requires(!std::same_as<Callable, ErrorPredicate> && std::invocable<Callable&, const caf::error&>)
    ErrorPredicate(Callable callable) { // is meant to convert
    using Result = std::invoke_result_t<Callable&, const caf::error&>;
    static_assert(std::same_as<Result, bool> || std::convertible_to<Result, Assessment>,
                  "a predicate returns bool or Assessment");
    if constexpr (std::same_as<Result, bool>) {
      if (std::function<bool(const caf::error&)> is_retryable{std::move(callable)})
        assess_ = [is_retryable = std::move(is_retryable)](const caf::error& error) {
          return is_retryable(error) ? retryable : not_retryable;
        };
    } else {
      assess_ = std::move(callable);
    }
  }

  /// Returns what the callable says. If it says `retryable` without a time of its own, the time is
  /// that which the error carries (`retry_after`), if any.
  Assessment operator()(const caf::error& error) const;

private:
  std::function<Assessment(const caf::error&)> assess_;
};

} // namespace backoff_actor
