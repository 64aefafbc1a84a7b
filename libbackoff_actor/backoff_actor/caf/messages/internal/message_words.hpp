#pragma once

#include "backoff_actor/core/export.hpp"

#include <caf/fwd.hpp>

#include <cstddef>
#include <string>

namespace backoff_actor {

struct DeadLetter;

namespace detail {

/// Renders a message as a person reads it, as CAF writes its parts: `("order", 7)`. What cannot be
/// rendered is said to be so.
BACKOFF_ACTOR_EXPORT std::string message_words(const caf::message& message);

/// Renders it so, with at most so many bytes and `...` behind them if there are more.
BACKOFF_ACTOR_EXPORT std::string message_words(const caf::message& message, std::size_t most);

/// Renders a letter as `to_string` does, with at most so many bytes of its message.
BACKOFF_ACTOR_EXPORT std::string letter_text(const DeadLetter& letter, std::size_t most);

} // namespace detail

} // namespace backoff_actor
