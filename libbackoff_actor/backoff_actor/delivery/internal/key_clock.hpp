#pragma once

// Inside of the library; not for its users.

#include "backoff_actor/delivery/delivery_store.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <variant>

namespace backoff_actor::detail {

/// The times of the acknowledged keys of a store, in nanoseconds since 1970. They never go back, so
/// that the keys that are forgotten are those at one end. If a wall clock was ahead, and was set
/// back since, all keys would stay until it has caught up: so the later times are given up.
struct KeyClock {
  static constexpr auto never = std::numeric_limits<std::int64_t>::min();

  std::int64_t since = never; ///< older keys are forgotten, even if their rows are still there
  std::int64_t last = never;  ///< the time of the newest key

  /// Whether keys are later than what is acknowledged now. A second is no step of a clock, because
  /// threads read it at different moments.
  bool is_ahead_of(std::span<const StoreChange> changes) const {
    constexpr std::int64_t tolerance = 1'000'000'000;
    const auto key = std::max(since, last);
    if (key < never + tolerance)
      return false; // there has been none
    const auto now = newest(changes);
    return now && *now < key - tolerance;
  }

  /// When the last of the changes' deliveries was acknowledged; nothing if none was.
  static std::optional<std::int64_t> newest(std::span<const StoreChange> changes) {
    std::optional<std::int64_t> result;
    for (const auto& one : changes)
      if (const auto* const x = std::get_if<change::Acknowledge>(&one))
        result = std::max(result.value_or(x->at.since_epoch), x->at.since_epoch);
    return result;
  }

  /// Nothing is later than `at` any more. The store gives all later keys this time.
  void set_back(std::int64_t at) {
    since = std::min(since, at);
    last = std::min(last, at);
  }

  /// Keys before this time are forgotten.
  void forget(std::int64_t before) { since = std::max(since, before); }

  /// Returns the time of a key that is acknowledged at `at`.
  std::int64_t next(std::int64_t at) { return last = std::max({last, since, at}); }

  friend bool operator==(const KeyClock&, const KeyClock&) = default;
};

} // namespace backoff_actor::detail
