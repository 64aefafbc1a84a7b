#pragma once

// Design notes
//
// One small actor per call makes the attempts and sleeps between them, so that the caller, which
// waits for this actor's answer as for any other, needs neither states nor timers of its own:
//
//     caller --BeginRetries--> [idle] --> [trying] --answer, or given up--> RetriedReply --> caller
//                                         |      ^
//                                   error |      | due
//                                         v      |
//                                        [waiting]
//
// It lives as long as somebody can wake it: while a timer of its own runs it holds itself, and
// while the target is asked without a timeout only the request does. If nobody is left who could
// answer, it goes, and says so. It watches the caller, whose end is its own, and the target.

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

  /// Whether to try again. `max_elapsed` counts from the call; with none set it is tried for ever.
  Limits limits{};

  /// Which errors are worth another attempt, `caf::sec::request_timeout` included, which stands for
  /// `Limits::attempt_timeout`.
  ///
  /// @thread not the caller's: it is called while the caller does something else, and must not
  ///         touch what is the caller's.
  ErrorPredicate predicate{};

  /// Is asked before every attempt, and told what came of it: of an error that is worth another
  /// attempt, and of none in time, as a failure, of anything else as a success, for the service
  /// answered. That the target is gone says nothing of the service, nor does `SenderError::held_back`.
  ///
  /// If it lets an attempt not through, the reply comes at once, `GaveUp::held_back`. It may be shared,
  /// but not with the target if that is guarded by it already: each call would count twice.
  SharedGuard guard{};

  /// The seed of the draws; unset: one per process, so that two never march in step.
  std::optional<std::uint64_t> seed{};

  /// The stream of the draws within the seed; unset: one per call.
  std::optional<std::uint64_t> stream{};
};

/// Returns all that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const RetryRequestOptions& options);

namespace detail {

struct RetryRequest {
  caf::actor target;
  RetryRequestOptions options;
  caf::message message;
  Instant began;
};

// With the type of its answer, so that a handler that takes anything else does not compile.
using RetryingHandle = caf::typed_actor<seam::Signature<RetriedReply, BeginRetries>>;

BACKOFF_ACTOR_EXPORT RetryingHandle spawn_retrying(caf::actor_system& system, RetryRequest request);

// CAF's own pointer-like handles differ in whether they can be dereferenced.
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

/// Makes a request, and makes it again as long as that is worth it:
///
///     retry_request(self, target, Fixed{100ms}, {.max_retries = 5, .attempt_timeout = 1s}, {}, "job")
///       .then([](const RetriedReply& reply) { ... });
///
/// Whatever the target does, the caller gets a `RetriedReply`, as the answer to an ordinary request;
/// that nothing more is tried is a result with a reason. Each attempt gives the target the same
/// message, which is shared and not copied. Its answer ends the series; an error, if the predicate
/// calls it retryable, brings the next attempt after the policy's delay, and no earlier than the
/// error asks for (`retry_after`). An answer that comes after the timeout of its attempt is not
/// heard, though the target may have done the work: it may be asked more than once.
///
/// If the caller ends, nothing more is tried; what the target has been asked already it may still
/// do. If the target ends, neither: an actor that is gone does not come back, whatever the predicate
/// says, and the error is `caf::sec::request_receiver_down`. Only if it ended normally, on this
/// node, is an attempt that was begun waited for: it may have been passed on to somebody else.
///
/// Without limits it goes on until the target answers, and unless the predicate says otherwise an
/// error that the target answers is worth another attempt, other than with a `BackOffSender`, for
/// which it is final: whoever asks in this way wants the answer.
///
/// The target sees an actor of this library's as the sender, which takes nothing but answers. There
/// is one for each call, as long as that lasts. As with requests of CAF's own, each costs time that
/// is linear in how many the caller has open, and here also the target.
///
/// @shape  `self`: the calling actor, by pointer or as a `caf::scoped_actor`; `target`: a handle,
///         typed or not. The message is made of `values`, or is the one `caf::message` among them.
///         Returns what CAF returns for a request: `then`, `await` or `receive` takes the reply.
///         That a typed target takes the message is not checked before it is sent.
/// @errors throws `InvalidArgument` naming every limit that cannot be, and an invalid target, before
///         anything is started. Nothing that the target does calls the request's error handler.
/// @thread the caller's
template <class Self, class Target, class... Ts>
auto retry_request(Self&& self, const Target& target, RetryRequestOptions options, Ts&&... values) {
  auto& system = self->system();
  const auto retrying =
    detail::spawn_retrying(system, {caf::actor_cast<caf::actor>(target), std::move(options),
                                    detail::message_of(std::forward<Ts>(values)...),
                                    Instant{system.clock().now().time_since_epoch()}});
  return seam::request(detail::actor_of(self), retrying, BeginRetries{});
}

/// Makes a request, and makes it again as long as that is worth it, without naming the draws.
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
