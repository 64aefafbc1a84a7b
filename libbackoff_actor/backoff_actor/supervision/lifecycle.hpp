#pragma once

namespace backoff_actor {

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
