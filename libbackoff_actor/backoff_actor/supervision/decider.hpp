#pragma once

namespace backoff_actor {

/// The ways in which work on a delivery fails.
enum class FailureKind {
  child_down,   ///< the child terminated, by an error or while deliveries were owed
  start_failed, ///< no child came into being
  error_answer, ///< a living child answered with an error
};

/// What becomes of a failure.
enum class Verdict {
  retry,  ///< ask the backoff for a delay and hand over again
  reject, ///< this delivery ends; its client gets the error
};

/// Returns what becomes of a failure: crashes and failed starts are retried. An error answer of a
/// living child is final: the child has done its work, and its answer happens to be an error.
constexpr Verdict default_decider(FailureKind kind) {
  return kind == FailureKind::error_answer ? Verdict::reject : Verdict::retry;
}

} // namespace backoff_actor
