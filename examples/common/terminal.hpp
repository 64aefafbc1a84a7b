#pragma once

#include <string>
#include <string_view>

namespace example {

/// Cuts a line to the width of the terminal behind `fd`: one that wraps cannot be redrawn in place.
/// What is no terminal has no width.
std::string fit_to_terminal(std::string line, int fd);

/// Cuts a text of several lines, each of them ended, to the width and the height of the terminal.
std::string fit_block_to_terminal(std::string_view text, int fd);

} // namespace example
