#pragma once

#include "backoff_actor/core/export.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace backoff_actor::detail {

// How a durable outbox says of a delivery that it was cancelled while a child had it. What has the
// mark when the next sender starts ends at once.

/// The type of a row of other programs that cancels the message with its idempotency key.
inline constexpr std::string_view cancel_type = "backoff.cancel";

/// The payload of such a row that asks for a dead letter.
inline constexpr std::string_view cancel_with_letter = "letter";

/// Adds the mark to the context, as a line `cancelled: gone` or `cancelled: letter`; once.
BACKOFF_ACTOR_EXPORT void mark_cancelled(std::string& context, bool wants_letter);

/// Removes the mark from the context.
BACKOFF_ACTOR_EXPORT void unmark_cancelled(std::string& context);

/// Returns whether the mark asks for a dead letter; nothing if there is no mark.
BACKOFF_ACTOR_EXPORT std::optional<bool> cancel_mark_in(std::string_view context);

/// The line of the context of a row that is to replace the payload of a message that waits.
constexpr std::string_view replace_line = "replace: waiting";

/// Whether a row with this context is none to deliver, but replaces the payload of another one.
BACKOFF_ACTOR_EXPORT bool says_replace(std::string_view context);

} // namespace backoff_actor::detail
