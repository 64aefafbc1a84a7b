#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstddef>
#include <string>
#include <string_view>

// How the library shows texts from outside, such as exception texts and names of children.

namespace backoff_actor::detail {

/// Returns a text as a part of one line of UTF-8. Control characters, the separators U+2028 and
/// U+2029, and the characters that turn the direction of a text, such as U+202E, become escapes:
/// `\n`, `\r`, `\t`, `\u001b`. Each byte that belongs to no valid UTF-8 character becomes U+FFFD.
/// All else stays.
BACKOFF_ACTOR_EXPORT std::string one_line(std::string_view text);

/// Returns a text in which each character takes one place on a terminal, as long as it is of a
/// script that is written so. A control character becomes `?`, and so does each byte that belongs
/// to no valid UTF-8 character. All else stays.
BACKOFF_ACTOR_EXPORT std::string in_places(std::string_view text);

/// Whether each byte belongs to a valid UTF-8 character.
BACKOFF_ACTOR_EXPORT bool is_utf8(std::string_view text);

/// Counts the characters of a text of valid UTF-8.
BACKOFF_ACTOR_EXPORT std::size_t count_characters(std::string_view text);

/// Returns the same JSON with escapes for the characters that `one_line` escapes and that JSON may
/// have as they are, in a string: U+007F to U+009F, and what turns the direction of a text.
BACKOFF_ACTOR_EXPORT std::string plain_json(std::string_view json);

/// Returns a text as a string of JSON, in quotes: `one_line`, with a backslash before each quote
/// and each backslash.
BACKOFF_ACTOR_EXPORT std::string json_string(std::string_view text);

} // namespace backoff_actor::detail
