#pragma once

#include "backoff_actor/core/export.hpp"

#include <string>
#include <string_view>

namespace backoff_actor::detail {

// How a message's context keeps the note of its child: as a line `note: row=4711`. Bytes that are
// no printable ASCII, and `%`, are written as `%0A`, so a note of text can be read wherever the
// context is shown.

/// Replaces the note in the context. An empty one removes it.
BACKOFF_ACTOR_EXPORT void set_note(std::string& context, std::string_view note);

/// Returns the note; empty if there is none, or if it is no such text.
BACKOFF_ACTOR_EXPORT std::string note_in(std::string_view context);

} // namespace backoff_actor::detail
