#pragma once

// When children are made, how many deliveries they work on at a time, and what follows their end.

#include <cstdint>

namespace backoff_actor {

/// When the first child is made.
enum class FirstStart : std::uint8_t {
  at_once,      ///< with the sender
  on_first_use, ///< when there is something to hand over: for many senders, most of them unused
};

/// When a child that went down is recreated.
///
/// In both cases the sender hands deliveries over only at the end of the delay.
enum class RestartTiming {
  /// At once, while the delay runs. Exception: if a child went down before it
  /// was handed anything, the sender waits for the end of the delay. Otherwise a child that dies at
  /// birth would spin.
  at_once,
  /// At the end of the delay: for children whose start is the risky part.
  at_tick,
};

/// Who waits after a message has failed.
enum class BackoffBy : std::uint8_t {
  /// The worker that it failed with waits for the worker's backoff. Where order is not strict, the
  /// message waits for its own backoff besides: in a pool at the same time, otherwise afterwards.
  worker_and_message,

  /// The message alone, for its own backoff, whoever else fails. Its worker goes on with others. In
  /// strict order the others wait for it. If a child cannot be made, or nobody knows which message
  /// brought it down, the worker waits.
  message,
};

/// How many deliveries a child works on at a time.
enum class WorksOn {
  /// One after the other, in the order of hand-over. The sender waits for the acknowledgement of
  /// the oldest. The timeout starts at its hand-over or at the child's last answer, whichever is
  /// later. The sender charges a crash without an error answer to the oldest.
  one,
  /// Several, with answers later and in any order. Each delivery's timeout starts at its own
  /// hand-over. After a crash that names no culprit, the deliveries that were in flight are
  /// suspects. The sender hands suspects over one at a time, until the child crashes with only one
  /// of them.
  many,
};

/// What the sender does if a child that was told to end has not ended within the grace.
enum class AfterGrace {
  abandon, ///< abandon it and start the next incarnation: for a while two are alive
  wait,    ///< start the next incarnation only when it has ended
};

} // namespace backoff_actor
