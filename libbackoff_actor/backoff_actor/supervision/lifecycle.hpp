#pragma once

// When children are made, how many deliveries they work on at a time, and what follows their end.

#include <cstdint>

namespace backoff_actor {

/// When the first child is made.
enum class FirstStart : std::uint8_t {
  at_once,      ///< with the sender
  on_first_use, ///< when there is something to hand over: most of many may never be used
};

/// When a child that went down is recreated.
///
/// Deliveries are handed over at the end of the delay in both.
enum class RestartTiming {
  /// At once, while the delay runs, as in the article. A child that went down without having been
  /// handed anything still waits for the end of the delay: a child that dies at birth would spin.
  at_once,
  /// At the end of the delay: for children whose start is the dangerous part.
  at_tick,
};

/// What becomes of a sender whose child stopped normally, with nothing waiting for it.
enum class AfterNormalStop : std::uint8_t {
  rest,    ///< the next message starts the next child, at once
  restart, ///< as after a crash: the next child starts after the backoff
  end,     ///< the sender ends too, normally, also if something waits
};

/// How many deliveries a child works on at a time.
enum class WorksOn {
  /// One after the other, in the order in which they were handed over. The acknowledgement that is
  /// waited for is that of the oldest, and its time begins with its hand-over or with the child's
  /// last answer, whichever is later; a crash without a word is the oldest one's.
  one,
  /// On several, with answers that come later and in any order. Each delivery's time begins with
  /// its own hand-over. After a crash that names no culprit, those that were in flight go one at a
  /// time until one of them is alone when it crashes.
  many,
};

/// What becomes of a child that was told to end and has not ended within the grace.
enum class AfterGrace {
  abandon, ///< it is left to itself, and the next incarnation starts: for once two are alive
  wait,    ///< the next incarnation starts only when it has ended
};

} // namespace backoff_actor
