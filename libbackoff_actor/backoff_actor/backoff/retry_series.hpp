#pragma once

// Design notes
//
// Whether an attempt that failed is followed by another, and when: what `retry` and `retry_request`
// have in common. Plain data, driven from outside with the present instant:
//
//     begin_attempt --> (the attempt) --> succeeded: nothing more to ask
//           ^                 |
//           |              failed --> GiveUp
//           |                 |
//           +-- due <----- Retry
//                |
//                +-- is_out_of_time, if whoever waited woke up late: no attempt
//
// The first reason that applies is given: what was said of the failure itself (it is final, the
// server asks for too much) before what the limits say (the retries are used up, there is no time).

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/backoff/limits.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace backoff_actor {

/// Why there is no further attempt.
enum class GaveUp : std::uint8_t {
  not_retryable,     ///< the predicate called the failure final
  retries_exhausted, ///< `Limits::max_retries`
  out_of_time,       ///< `Limits::max_elapsed`: no retry could begin in time
  server_hint,       ///< the server asked for more than `Limits::server_hint`
  cancelled,         ///< whoever wanted the result does so no longer
  held_back,         ///< the guard of the service did not let the next attempt through
};

/// Returns the enumerator's name; `unknown` for a number that is none.
BACKOFF_ACTOR_EXPORT std::string_view to_string(GaveUp reason);

/// What a predicate says of an attempt that ended.
struct Assessment {
  /// How it ended.
  enum class Kind : std::uint8_t {
    success,   ///< its result is wanted
    retryable, ///< another attempt may succeed
    final,     ///< another would fail alike
  };

  /// How it ended.
  Kind kind = Kind::success;

  /// With `retryable`: no earlier than this from now, as the server wishes.
  ///
  /// @range 0 and above; below, it is taken for 0
  std::optional<Duration> hint{};
};

/// The result is wanted.
inline constexpr Assessment success{Assessment::Kind::success, {}};

/// Another attempt may succeed.
inline constexpr Assessment retryable{Assessment::Kind::retryable, {}};

/// Another attempt would fail alike.
inline constexpr Assessment not_retryable{Assessment::Kind::final, {}};

/// Another attempt may succeed, but no earlier than `span` from now.
constexpr Assessment retryable_after(Duration span) { return {Assessment::Kind::retryable, span}; }

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
    Duration delay; ///< what the backoff said, or the server, if that is longer
    Instant due;    ///< when to begin
  };

  /// There is no further attempt.
  struct GiveUp {
    GaveUp reason; ///< why
  };

  /// What to do after a failure.
  using Next = std::variant<Retry, GiveUp>;

  /// Before the first attempt. `max_elapsed` counts from `now`.
  ///
  /// @errors throws `InvalidArgument` naming every limit that cannot be.
  RetrySeries(const BackOff& backoff, const Limits& limits, Instant now);

  /// An attempt begins. Returns how long it may take; nothing: as long as it likes.
  std::optional<Duration> begin_attempt(Instant now);

  /// The attempt ended without success. An assessment of success counts as final.
  Next failed(Instant now, const Assessment& assessment);

  /// Whether `max_elapsed` is over, so that no attempt may begin any more. `failed` names no instant
  /// of which this is true; but one may wake up later than that.
  bool is_out_of_time(Instant now) const {
    return limits_.max_elapsed && now - series_began_ >= *limits_.max_elapsed;
  }

  /// Whether `max_retries` allows no attempt after the one that began last, or that is to begin
  /// first. With `reset_after` there may be one all the same.
  bool is_last_attempt() const { return limits_.max_retries && retries_ >= *limits_.max_retries; }

  /// How many attempts have begun, ever; stays at 2^32 - 1.
  std::uint32_t attempts() const { return attempts_; }

  /// The first attempt began with the series.
  Duration elapsed(Instant now) const { return now - began_; }

  /// The backoff as it stands.
  const BackOff& backoff() const { return backoff_; }

private:
  bool was_healthy(Instant now) const;

  BackOff backoff_;
  Limits limits_;
  Instant began_;
  Instant series_began_; // began, or the last failure after health
  Instant attempt_began_;
  std::uint32_t attempts_ = 0;
  std::uint32_t retries_ = 0; // in this series
};

} // namespace backoff_actor
