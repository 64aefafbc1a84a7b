#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace backoff_actor {

/// How one message is retried, where the options of its sender say something else.
struct OwnRetries {
  /// How often it may fail by its own fault. Unset: as the sender says.
  ///
  /// @range 1 to 1,000,000,000
  std::optional<std::uint32_t> max_attempts{};

  /// How long it waits after its failures. Then it waits by this alone, as with
  /// `BackoffBy::message`. Unset: as the sender says.
  std::optional<Policy> backoff{};

  /// Whether two are the same.
  friend bool operator==(const OwnRetries&, const OwnRetries&) = default;
};

/// Returns all that is wrong.
BACKOFF_ACTOR_EXPORT Problems check(const OwnRetries& retries);

/// Renders it in the form that `parse_own_retries` takes; empty if nothing is set.
BACKOFF_ACTOR_EXPORT std::string to_string(const OwnRetries& retries);

/// Reads how a message is retried:
///
///     max_attempts 5, backoff exponential(2s, x2, cap 10min)
///     backoff fixed(5s)
///     max_attempts 1
///
/// An empty text sets nothing.
///
/// @errors throws `ParseError` at the first place that is wrong.
BACKOFF_ACTOR_EXPORT OwnRetries parse_own_retries(std::string_view text);

/// Returns the line of a message's context that says how the message is retried, as text:
/// `retries: max_attempts 5`. Empty if nothing is set.
BACKOFF_ACTOR_EXPORT std::string context_of(const OwnRetries& retries);

/// Returns what the line `retries: ...` of a context says; empty if there is none.
BACKOFF_ACTOR_EXPORT std::string_view retries_in(std::string_view context);

} // namespace backoff_actor
