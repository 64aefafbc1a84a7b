#include "common/terminal.hpp"

#include <algorithm>
#include <cstddef>
#include <sys/ioctl.h>

namespace example {

namespace {

// The size of the terminal, 0 where there is none.
winsize size_of(int fd) {
  winsize window{};
  return ioctl(fd, TIOCGWINSZ, &window) == 0 ? window : winsize{};
}

} // namespace

std::string fit_to_terminal(std::string line, int fd) {
  if (const auto width = size_of(fd).ws_col; width > 1)
    line.resize(std::min<std::size_t>(line.size(), width - 1u));
  return line;
}

std::string fit_block_to_terminal(std::string_view text, int fd) {
  const auto height = size_of(fd).ws_row;
  std::string result;
  std::size_t lines = 0;
  while (!text.empty() && (height < 2 || ++lines < height)) {
    const auto end = text.find('\n');
    result += fit_to_terminal(std::string{text.substr(0, end)}, fd);
    result += '\n';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return result;
}

} // namespace example
