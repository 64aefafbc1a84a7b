#pragma once

// Design notes
//
// Decides whether another attempt follows a failed one, and when. `retry` and `retry_request` share
// it. Plain data, driven from outside; each call passes the current instant:
//
//     begin_attempt --> (the attempt) --> succeeded: nothing more to ask
//           ^                 |
//           |              failed --> GiveUp
//           |                 |
//           +-- due <----- Retry
//                |
//                +-- is_out_of_time, if the caller woke up late: no attempt
//
// `GiveUp` has the first reason that applies. Reasons in the failure itself (it is final, the
// server asks for too much) come before those in the limits (no retries left, no time left).

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/backoff/by_reason.hpp"
#include "backoff_actor/backoff/limits.hpp"
#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace backoff_actor {

/// Why there is no further attempt.
enum class GaveUp : std::uint8_t {
  not_retryable,        ///< the predicate called the failure final
  attempts_exhausted,   ///< `Limits::max_attempts`
  out_of_time,          ///< `Limits::max_elapsed`: no retry could begin in time
  retry_after_too_long, ///< the server asked for more than `Limits::retry_after` allows
  cancelled,            ///< the caller no longer wants the result
  held_back,            ///< the guard of the service did not let the next attempt through
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(GaveUp reason);

/// What a predicate says about an attempt that ended.
struct Assessment {
  /// How it ended.
  enum class Kind : std::uint8_t {
    success,   ///< its result is wanted
    retryable, ///< another attempt may succeed
    final,     ///< another attempt would fail in the same way
  };

  /// How it ended.
  Kind kind = Kind::success;

  /// With `retryable`: the wait before the next attempt that the server asks for. What it does is
  /// said by `Limits::retry_after`.
  ///
  /// @range 0 and above; a negative span counts as 0
  std::optional<Duration> retry_after{};

  /// With `retryable`: the class of the failure, see `ByReason`. None: as all others.
  FailureReason reason{};
};

/// The result is wanted.
inline constexpr Assessment success{Assessment::Kind::success, {}, {}};

/// Another attempt may succeed.
inline constexpr Assessment retryable{Assessment::Kind::retryable, {}, {}};

/// Another attempt would fail in the same way.
inline constexpr Assessment not_retryable{Assessment::Kind::final, {}, {}};

/// Another attempt may succeed, and the server asks for a wait of `span` from now.
constexpr Assessment retryable_after(Duration span, FailureReason reason = {}) {
  return {Assessment::Kind::retryable, span, reason};
}

/// Another attempt may succeed. The failure is of this class: `retryable_as("throttling")`.
constexpr Assessment retryable_as(FailureReason reason) {
  return {Assessment::Kind::retryable, {}, reason};
}

/// One request or call with its retries.
///
/// @shape  `begin_attempt(now)`, then `failed(now, assessment) -> Next`, alternately; the same
///         inputs give the same answers, always.
/// @range  `now` must not go back.
/// @thread one at a time.
class BACKOFF_ACTOR_EXPORT RetrySeries {
public:
  /// Try again at `due`, after `delay`.
  struct Retry {
    Duration delay; ///< of the backoff and the server's wish, as `Limits::retry_after` says
    Instant due;    ///< when to begin
  };

  /// No further attempt.
  struct GiveUp {
    GaveUp reason; ///< why
  };

  /// What to do after a failure.
  using Next = std::variant<Retry, GiveUp>;

  /// The state before the first attempt. `max_elapsed` counts from `now`.
  ///
  /// @errors throws `InvalidArgument` naming every invalid limit.
  RetrySeries(const BackOff& backoff, const Limits& limits, Instant now, ByReason by_reason = {});

  /// Begins an attempt. Returns how long it may take; nothing: no limit.
  std::optional<Duration> begin_attempt(Instant now);

  /// Ends the attempt with a failure. An assessment of `success` counts as final.
  Next failed(Instant now, const Assessment& assessment);

  /// Whether `max_elapsed` is over, so that no attempt may begin any more. It is false at
  /// `Retry::due`, but it may be true if the caller wakes up later.
  bool is_out_of_time(Instant now) const {
    return limits_.max_elapsed && now - series_began_ >= *limits_.max_elapsed;
  }

  /// Whether `max_attempts` allows no attempt after the current one. Before the first attempt:
  /// whether it allows none after the first. Another attempt may follow nevertheless: with
  /// `reset_after`, because a healthy attempt starts a new series, and if the class of the failure
  /// has a number of its own.
  bool is_last_attempt() const {
    return limits_.max_attempts && retries_ >= *limits_.max_attempts - 1;
  }

  /// How many attempts have begun in total; stays at 2^32 - 1.
  std::uint32_t attempts() const { return attempts_; }

  /// Returns the time since this object was made.
  Duration elapsed(Instant now) const { return now - began_; }

  /// The current state of the backoff, as if no class of failures had one of its own.
  const BackOff& backoff() const { return backoff_; }

  /// The backoff that gave the last delay: that of the failure's class, if it has one.
  BackOff last_backoff() const;

  /// What the next retry takes from a retry budget.
  double cost() const { return last_ != nullptr && last_->cost ? *last_->cost : 1; }

private:
  bool was_healthy(Instant now) const;

  BackOff backoff_;
  Limits limits_;
  Instant began_;
  Instant series_began_; // `began_`, or the last failure of a healthy attempt
  Instant attempt_began_;
  std::uint32_t attempts_ = 0;
  std::uint32_t retries_ = 0;   // retries in this series
  std::uint32_t last_draw_ = 0; // that of the last failure
  ByReason by_reason_;
  const ReasonRetries* last_ = nullptr; // of the last failure, if its class has something own
};

} // namespace backoff_actor
