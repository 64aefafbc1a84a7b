#pragma once

#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace backoff_actor {

/// The ways in which work on a delivery fails.
enum class FailureKind {
  child_down,   ///< the child terminated, by an error or while deliveries were owed
  start_failed, ///< no child could be made
  ack_timeout,  ///< the child did not acknowledge in time
  error_answer, ///< a living child answered with an error
};

/// What the sender does about a failure.
enum class Verdict {
  retry,    ///< ask the backoff for a delay and hand over again
  reject,   ///< the delivery that is held responsible ends; its client gets the error
  give_up,  ///< the sender ends, and gives up all owed deliveries
  escalate, ///< as `give_up`, and the sender's exit reason is the error of the failure
};

/// Whose fault a failed attempt is. Only attempts that are the message's fault count towards
/// `max_attempts`.
enum class Blame : std::uint8_t {
  unknown, ///< nobody says; the sender finds out as `Charging` says
  message, ///< the message's: the service is well, and would fail for it again
  service, ///< the service's: it would have failed for any message
  nobody,  ///< nobody tried: the message came back without an answer from a worker
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(FailureKind kind);

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(Blame blame);

/// What is decided about one failure.
struct Decision {
  /// Also converts from a bare verdict.
  constexpr Decision(Verdict what, std::optional<Duration> at_the_earliest_in = std::nullopt,
                     Blame whose = Blame::unknown)
    : verdict(what), retry_after(at_the_earliest_in), blame(whose) {}

  /// The same without a wait.
  constexpr Decision(Verdict what, Blame whose) : verdict(what), blame(whose) {}

  /// To retry a failure of this class: `Decision::retry_as("throttling")`.
  static constexpr Decision retry_as(FailureReason reason,
                                     std::optional<Duration> at_the_earliest_in = std::nullopt,
                                     Blame whose = Blame::unknown) {
    Decision result{Verdict::retry, at_the_earliest_in, whose};
    result.reason = reason;
    return result;
  }

  Verdict verdict; ///< what the sender does

  /// The class of the failure, see `SenderOptions::by_reason`; used with `Verdict::retry`. None:
  /// the name of the `FailureKind`.
  FailureReason reason{};

  /// The wait that the service asked for, from now; used with `Verdict::retry`. What it does is
  /// said by `SenderOptions::retry_after`: by default the sender never retries earlier, and an
  /// error answer that asks for more than its bound ends the delivery; after a crash or a hang the
  /// wait is cut to the bound.
  std::optional<Duration> retry_after{};

  /// Whose fault it is. `unknown`: as the error says (`blame_service`, `blame_message`), or else
  /// the sender finds out. With `Verdict::retry`: if it is the service's or nobody's, the wait is
  /// cut to that bound. With every other verdict it says what the guard counts: a failure if it is
  /// the service's, and an answer if it is the message's. Of an `unknown` one `assess_error` says
  /// it: a failure is what it calls retryable.
  ///
  /// `nobody` is meant for a delivery that came back without an answer from a worker: a guard
  /// before the service held it back, or a sender gave it back because it was stopped, suspended or
  /// draining. That sender is the child itself, or another one that the child asked. The errors of
  /// these say it.
  Blame blame = Blame::unknown;
};

/// Returns the default decision: retry crashes, hangs and failed starts. An error answer of a
/// living child is final, because the child has done its work and its answer happens to be an
/// error. It is retried only if it says when to come back.
constexpr Decision default_decider(FailureKind kind,
                                   std::optional<Duration> retry_after = std::nullopt) {
  if (kind == FailureKind::error_answer && !retry_after)
    return Verdict::reject;
  return {Verdict::retry, retry_after};
}

} // namespace backoff_actor
