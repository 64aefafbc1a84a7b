#pragma once

#include "backoff_actor/backoff/retry_series.hpp"
#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/admission.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace backoff_actor {

/// The outcome of a request with retries.
///
/// @units nanoseconds in `elapsed` and `come_back_in`
struct RetriedReply {
  /// The target's answer. It may have any number of elements, even none; empty if there was no
  /// answer.
  caf::message value{};

  /// The error of the last attempt, or the error that the target is gone. If the guard held back
  /// the first attempt: `SenderError::held_back`. None if the target answered.
  caf::error error{};

  /// Why there was no further retry; nothing: the target answered.
  std::optional<GaveUp> gave_up{};

  std::uint32_t attempts = 0; ///< how often the target was asked
  Duration elapsed{0};        ///< since the call

  /// With `GaveUp::held_back`: why the guard refused a further attempt.
  std::optional<HeldBackBy> held_back_by{};

  /// With `GaveUp::held_back`: how long after this reply a new request may succeed; nothing: only
  /// after the guard is closed by hand.
  ///
  /// @range 0 and above
  std::optional<Duration> come_back_in{};

  /// Returns true if the target answered.
  bool is_answered() const { return !gave_up; }
};

/// Renders a reply in one line, without its value. Examples: `answered after 300ms, 3 attempts`;
/// `attempts_exhausted after 700ms, 4 attempts: ` and the error;
/// `held back by open_breaker, come back in 3.2s, after 700ms, 4 attempts: ` and the error of the
/// last attempt, if there was one.
BACKOFF_ACTOR_EXPORT std::string render(const caf::actor_system& system, const RetriedReply& reply);

/// The first message to the actor that makes the attempts: it begins.
struct BeginRetries {};

/// Shows CAF the parts of each message, in their order on the network.
/// @{
auto inspect(auto& f, RetriedReply& x) {
  return compat::object(f, x, "backoff_actor::RetriedReply", compat::field("value", x.value),
                        compat::field("error", x.error),
                        compat::optional_enum_field("gave_up", x.gave_up),
                        compat::field("attempts", x.attempts), compat::field("elapsed", x.elapsed),
                        compat::optional_enum_field("held_back_by", x.held_back_by),
                        compat::field("come_back_in", x.come_back_in));
}
auto inspect(auto& f, BeginRetries& x) {
  return compat::object(f, x, "backoff_actor::BeginRetries");
}
/// @}

} // namespace backoff_actor
