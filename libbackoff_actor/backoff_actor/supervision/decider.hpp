#pragma once

#include "backoff_actor/core/time.hpp"

#include <optional>

namespace backoff_actor {

/// The ways in which work on a delivery fails.
enum class FailureKind {
  child_down,   ///< the child terminated, by an error or while deliveries were owed
  start_failed, ///< no child came into being
  ack_timeout,  ///< the child did not acknowledge in time
  error_answer, ///< a living child answered with an error
};

/// What becomes of a failure.
enum class Verdict {
  retry,    ///< ask the backoff for a delay and hand over again
  reject,   ///< the delivery that is held responsible ends; its client gets the error
  give_up,  ///< the sender ends, and with it all that it owes
  escalate, ///< the same, and the sender's exit reason is the failure's own
};

/// What is decided about one failure.
struct Decision {
  /// Takes a bare verdict too.
  constexpr Decision(Verdict what, std::optional<Duration> at_the_earliest_in = std::nullopt)
    : verdict(what), retry_after(at_the_earliest_in) {}

  Verdict verdict; ///< what becomes of it

  /// When the service asked to be tried again, from now; of use with `Verdict::retry` for an error
  /// answer. Never retried earlier, and given up if that is beyond `retry_after_ceiling`.
  std::optional<Duration> retry_after;

  /// Whether the delivery was given back without an answer: a guard before the service held it back,
  /// or a sender that the child asked, or that is the child, was stopped, suspended or draining. With
  /// `Verdict::retry` no attempt is charged then, and the time to come back is kept up to the ceiling.
  bool is_held_back = false;
};

/// Returns what becomes of a failure: crashes, hangs and failed starts are retried. An error answer
/// of a living child is final, unless it says when to come back: the child has done its work, and
/// its answer happens to be an error.
constexpr Decision default_decider(FailureKind kind,
                                   std::optional<Duration> retry_after = std::nullopt) {
  if (kind == FailureKind::error_answer && !retry_after)
    return Verdict::reject;
  return {Verdict::retry, retry_after};
}

} // namespace backoff_actor
