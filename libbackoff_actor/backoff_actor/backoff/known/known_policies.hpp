#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace backoff_actor {

/// What another system counts when it counts attempts.
enum class Counted : std::uint8_t {
  calls,   ///< the first one, too
  retries, ///< those after the first
};

/// How another system waits: one of its policies, as it was run.
///
/// @source docs/reference/how_others_wait.md; each was run in the version that it names, unless its
///         note says otherwise.
struct KnownPolicy {
  std::string_view name;    ///< as in `like("celery")`
  std::string_view variant; ///< as in `like("tenacity exponential")`; empty: the only one
  std::string_view version; ///< that was run
  std::string_view policy;  ///< as `parse_policy` reads it and `to_string` writes it

  Counted counted = Counted::retries; ///< what `most` counts

  /// How many calls or retries it makes by its defaults. Nothing: it goes on for ever, or its user
  /// must say.
  std::optional<std::uint32_t> most{};

  std::string_view note{}; ///< what surprises

  /// After how much time it makes no further call, if it has such a limit by default.
  std::optional<Duration> max_elapsed{};
};

/// Returns all, by name. The first of a name is what the name alone means.
BACKOFF_ACTOR_EXPORT std::span<const KnownPolicy> known_policies();

} // namespace backoff_actor
