#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace backoff_actor {

/// Which failed attempts count towards `max_attempts`.
struct Charging {
  /// How a sender finds out whose fault a failure is, if nobody says it (`Decision::blame`).
  enum class Rule : std::uint8_t {
    /// It looks at other messages. A message that fails while the service does others is charged.
    /// While the service is down, no message is charged.
    by_evidence,

    /// It does not: each failure is charged to the message that failed, unless the worker or the
    /// decider blames the service.
    every_failure,
  };

  /// The rule.
  Rule rule = Rule::by_evidence;

  /// How long a message may fail without a charge. The first failure after that time ends it as a
  /// dead letter, `expired`. A charge begins the time anew. Unset: for ever. Only with
  /// `Rule::by_evidence` and `max_attempts`.
  ///
  /// @range 1 us and above
  std::optional<Duration> give_up_after = std::chrono::hours{72};

  /// Each failure is charged to the message that failed, unless somebody blames the service: such a
  /// failure never counts. A message that has no others ends at its `time_to_live`, or with its
  /// sender, which `max_elapsed` may end.
  static constexpr Charging every_failure() { return {Rule::every_failure, std::nullopt}; }

  /// Whether two are the same.
  friend bool operator==(const Charging&, const Charging&) = default;
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(Charging::Rule rule);

/// Returns all that is wrong.
BACKOFF_ACTOR_EXPORT Problems check(const Charging& charging);

/// Renders it in the form that `parse_charging` takes, with everything in it.
BACKOFF_ACTOR_EXPORT std::string to_string(const Charging& charging);

/// Reads which failures are charged:
///
///     by_evidence(give_up_after 72h)
///     by_evidence(give_up_after never)
///     every_failure
///
/// What is left out has the default of `Charging`.
///
/// @errors throws `ParseError` at the first place that is wrong.
BACKOFF_ACTOR_EXPORT Charging parse_charging(std::string_view text);

} // namespace backoff_actor
