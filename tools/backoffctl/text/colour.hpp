#pragma once

#include <string>

namespace backoffctl {

/// Whether what is written to a file descriptor may have colours: it is a terminal, the terminal
/// has colours (TERM is not `dumb`), and the user has not set NO_COLOR.
///
/// @source no-color.org
bool may_be_coloured(int descriptor);

enum class Colour { red, green };

/// Returns a text in a colour, or as it is.
std::string coloured(const std::string& text, Colour colour, bool is_on);

/// Returns what an outage came to with each `not recovered ...` in red, and the line `recovered
/// ...` in green; or as it is.
std::string coloured_verdicts(const std::string& text, bool is_on);

} // namespace backoffctl
