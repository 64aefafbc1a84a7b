#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <optional>
#include <string>

namespace backoff_actor {

/// How a supervisor ends a child: it asks, and kills the child when its time is over; or it kills
/// the child at once; or it asks and waits without limit.
///
/// @source the child spec of Erlang/OTP: `brutal_kill`, a time, `infinity`
class Shutdown {
public:
  /// Asks the child to end, and kills it if it has not ended after `time`.
  ///
  /// @range 1 us and above; not checked here, but with the options of the child
  static constexpr Shutdown within(Duration time) { return Shutdown{time, true}; }

  /// Kills the child without asking first.
  static constexpr Shutdown at_once() { return Shutdown{std::nullopt, false}; }

  /// Asks the child to end, and waits without limit: for supervisors, which need time for their
  /// children.
  static constexpr Shutdown wait() { return Shutdown{std::nullopt, true}; }

  /// Whether the child is asked before it is killed.
  constexpr bool asks() const { return asks_; }

  /// How long the child may take to end when it is asked; unset: without limit.
  constexpr const std::optional<Duration>& limit() const { return limit_; }

  /// Whether two are the same.
  friend constexpr bool operator==(const Shutdown&, const Shutdown&) = default;

private:
  constexpr Shutdown(std::optional<Duration> time, bool asks) : limit_(time), asks_(asks) {}

  std::optional<Duration> limit_;
  bool asks_;
};

/// Renders it as `within 5s`, `at once` or `wait`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Shutdown& shutdown);

} // namespace backoff_actor
