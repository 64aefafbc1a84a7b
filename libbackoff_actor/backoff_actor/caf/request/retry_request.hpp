#pragma once

// Design notes
//
// One small actor per call makes the attempts and sleeps between them. The caller waits for this
// actor's answer as for any other, so it needs neither states nor timers of its own:
//
//     caller --BeginRetries--> [idle] --> [trying] --answer, or given up--> RetriedReply --> caller
//                                         |      ^
//                                   error |      | due
//                                         v      |
//                                        [waiting]
//
// It lives as long as something can wake it. While its timer runs, it holds a reference to itself.
// During an attempt without a timeout, only the pending request holds it. If no actor is left that
// could answer, it ends and tells the caller so. It watches the target and the caller, and ends
// when the caller ends.

#include "backoff_actor/backoff/by_reason.hpp"
#include "backoff_actor/backoff/limits.hpp"
#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/caf/messages/error_predicate.hpp"
#include "backoff_actor/caf/messages/retried_reply.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/retry/shared_guard.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/typed_actor.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace backoff_actor {

/// How a request is retried.
struct RetryRequestOptions {
  /// How long to wait before each retry.
  Policy policy{};

  /// When to stop retrying. `max_elapsed` counts from the call. Without limits, it retries for
  /// ever.
  Limits limits{};

  /// Decides which errors are retryable. An attempt that exceeds `Limits::attempt_timeout` is
  /// passed to it as `caf::sec::request_timeout`.
  ///
  /// @thread not the caller's: it runs while the caller does something else, and must not touch the
  ///         caller's data.
  ErrorPredicate predicate{};

  /// Is asked before every attempt, and told the outcome. A retryable error and a timeout count as
  /// failures. Everything else counts as a success, because the service answered. The end of the
  /// target and `SenderError::held_back` count as neither.
  ///
  /// If the guard holds an attempt back, the reply comes at once, with `GaveUp::held_back`. The
  /// guard may be shared. But do not use the guard of a `guarded` target here: each call would
  /// count twice.
  SharedGuard guard{};

  /// How failures of certain classes are retried, as `RetryOptions::by_reason`. The predicate says
  /// the class. Empty: all alike.
  ///
  /// @range a cost at most what the retry budget of the guard holds after a rest
  ByReason by_reason{};

  /// The seed of the random draws. Unset: one per process, so that two processes never retry in
  /// step.
  std::optional<std::uint64_t> seed{};

  /// The stream of the random draws within the seed. Unset: one per call.
  std::optional<std::uint64_t> stream{};
};

/// Returns all problems of the options.
BACKOFF_ACTOR_EXPORT Problems check(const RetryRequestOptions& options);

namespace detail {

struct RetryRequest {
  caf::actor target;
  RetryRequestOptions options;
  caf::message message;
  Instant began;
};

// Names the type of its answer, so that a handler for any other type does not compile.
using RetryingHandle = caf::typed_actor<compat::Signature<RetriedReply, BeginRetries>>;

BACKOFF_ACTOR_EXPORT RetryingHandle spawn_retrying(caf::actor_system& system, RetryRequest request);

// Not all of CAF's pointer-like handles have an `operator*`.
template <class Pointer>
auto& actor_of(Pointer& self) {
  if constexpr (std::is_pointer_v<Pointer>)
    return *self;
  else
    return *self.operator->();
}

template <class... Ts>
inline constexpr bool is_message = false;

template <class T>
inline constexpr bool is_message<T> = std::same_as<std::remove_cvref_t<T>, caf::message>;

template <class... Ts>
caf::message message_of(Ts&&... values) {
  if constexpr (is_message<Ts...>)
    return caf::message{std::forward<Ts>(values)...};
  else
    return caf::make_message(std::forward<Ts>(values)...);
}

} // namespace detail

/// Makes a request, and retries it as the options say:
///
///     retry_request(self, target, Fixed{100ms}, {.max_attempts = 6, .attempt_timeout = 1s}, {},
///                   "job")
///       .then([](const RetriedReply& reply) { ... });
///
/// Whatever the target does, the caller gets a `RetriedReply`, as the answer to an ordinary
/// request. If the retries end without success, the reply holds the reason. Each attempt sends the
/// target the same message, which is shared and not copied. A value from the target ends the
/// series. An error that the predicate calls retryable leads to the next attempt, after the
/// policy's delay and no earlier than the error asks for (`retry_after`). An answer that comes
/// after the timeout of its attempt is dropped. The target may have done the work by then, so it
/// may do the work twice.
///
/// If the caller ends, no further attempt is made, but the target may still work on the last one.
/// If the target ends, no further attempt is made either, whatever the predicate says: an actor
/// that has ended does not come back. The error is then `caf::sec::request_receiver_down`. There is
/// one exception: if the target ended normally, on this node, it may have passed the request on to
/// another actor. Then the attempt in progress is still waited for.
///
/// Without limits, the attempts go on until the target answers with a value. By default every error
/// that the target answers is retryable. A `BackOffSender` differs: there, such an error is final
/// by default.
///
/// The target sees an actor of this library as the sender, which takes nothing but answers. Each
/// call has one such actor until the call is over. As with CAF's own requests, each call takes time
/// linear in the number of the caller's open requests; here also in that of the open requests to
/// the target.
///
/// @shape  `self`: the calling actor, by pointer or as a `caf::scoped_actor`; `target`: a handle,
///         typed or not. The message is made of `values`, or is the one `caf::message` among them.
///         Returns what CAF returns for a request: `then`, `await` or `receive` takes the reply.
///         It is not checked whether a typed target takes the message.
/// @errors throws `InvalidArgument` naming every invalid limit, and an invalid target, and
///         `std::logic_error` if `init` was not called, before anything is started. Nothing that
///         the target does calls the request's error handler.
/// @thread the caller's
template <class Self, class Target, class... Ts>
auto retry_request(Self&& self, const Target& target, RetryRequestOptions options, Ts&&... values) {
  auto& system = self->system();
  const auto retrying =
    detail::spawn_retrying(system, {caf::actor_cast<caf::actor>(target), std::move(options),
                                    detail::message_of(std::forward<Ts>(values)...),
                                    Instant{system.clock().now().time_since_epoch()}});
  return compat::request(detail::actor_of(self), retrying, BeginRetries{});
}

/// The same, with the most common options as separate arguments.
///
/// @errors as above
/// @thread the caller's
template <class Self, class Target, class... Ts>
auto retry_request(Self&& self, const Target& target, const Policy& policy, const Limits& limits,
                   ErrorPredicate predicate, Ts&&... values) {
  return retry_request(std::forward<Self>(self), target,
                       RetryRequestOptions{policy, limits, std::move(predicate), {}},
                       std::forward<Ts>(values)...);
}

} // namespace backoff_actor
