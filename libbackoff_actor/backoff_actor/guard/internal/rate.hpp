#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/guard_options.hpp"

#include <cstdint>

namespace backoff_actor {

/// A limit on the calls in any time, as a value: in a time `t` there are at most
/// `burst + t / interval()` calls. The same calls in the same order give the same answers, always.
///
/// The rate remembers one instant: that until which the calls so far have used it up. It needs no
/// timer.
///
/// @range  `now` must not go back.
/// @errors none
/// @source the generic cell rate algorithm (ITU-T I.371), as a virtual scheduling algorithm
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT Rate {
public:
  /// Makes a rate that was not used yet, so that `burst` calls may be made at once.
  ///
  /// @errors throws `InvalidArgument` naming every option that `check` finds wrong.
  explicit Rate(const RateOptions& options);

  /// Whether a call may be made now.
  bool can_go(Instant now) const { return first_allowed() <= now; }

  /// Counts a call that is made now.
  ///
  /// @range `can_go(now)`
  void go(Instant now);

  /// Returns when a caller that must not call now should come again; `now` if it may call. Waiting
  /// callers get successive turns, an interval apart. The first one gets the first instant at which
  /// a call is allowed. So does a caller that another one has deprived of its turn. If a turn would
  /// be later than one second after that instant, the turns begin again at it.
  ///
  /// A turn is kept for nobody: whoever comes first may call. If neither its owner nor anybody else
  /// comes at a turn, the call is not made up for, except by `burst`. So callers that never come
  /// back put the others off by one second at most.
  Instant next_turn(Instant now);

  /// How many calls may be made at once, at `now`.
  ///
  /// @range 0 to `burst`
  std::uint32_t calls_left(Instant now) const;

  /// The time between two calls at the full rate: the period divided by the calls, rounded up to a
  /// nanosecond.
  Duration interval() const { return interval_; }

  /// The time after which an exhausted rate is as if it had never been used: `burst` intervals,
  /// limited to the range of `Duration`.
  Duration time_to_fill() const;

  /// The options.
  const RateOptions& options() const { return options_; }

private:
  Instant first_allowed() const { return used_until_ + -tolerance_; }
  bool awaits_somebody() const { return awaited_ < end_of_turns_; }
  void await_next(Instant now);

  RateOptions options_;
  Duration interval_;
  Duration tolerance_;                    // `burst - 1` intervals
  Instant used_until_{Duration::min()};   // one interval for each call, from its time on
  Instant awaited_{Duration::min()};      // the earliest turn that nobody has come for
  Instant end_of_turns_{Duration::min()}; // one interval after the last turn that was given
};

} // namespace backoff_actor
