#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/supervision/decider.hpp"

#include <optional>
#include <stdexcept>
#include <string>

namespace backoff_actor {

/// A worker throws it if it knows whose fault a failure is:
///
///     throw BlamedError{Blame::service, "503 Service Unavailable", 30s};
///     throw BlamedError{Blame::message, "the order has no address"};
///
/// The worker's sender believes it. With `Blame::service` no attempt is charged; with
/// `Blame::message` one is, at once. Only `max_attempts` counts them.
///
/// The worker terminates by it as by any exception. A worker of the kinds that `child_of` takes
/// keeps what the exception says; an actor of your own does after `compat::keep_cause`.
class BACKOFF_ACTOR_EXPORT BlamedError : public std::runtime_error {
public:
  /// @param blame whose fault it is; `unknown` and `nobody` say nothing
  /// @param text what happened, for people
  /// @param retry_after how long the service asks not to be called, from now; unset: the backoff
  ///                    alone decides. At most the bound of `SenderOptions::retry_after` is waited.
  explicit BlamedError(Blame blame, const std::string& text,
                       std::optional<Duration> retry_after = std::nullopt);

  ~BlamedError() override; ///< destroys the text

  /// Whose fault it is.
  Blame blame() const { return blame_; }

  /// How long the service asks not to be called.
  std::optional<Duration> retry_after() const { return retry_after_; }

private:
  Blame blame_;
  std::optional<Duration> retry_after_;
};

} // namespace backoff_actor
