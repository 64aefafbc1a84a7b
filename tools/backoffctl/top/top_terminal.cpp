#include "top_screen.hpp"

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <sys/ioctl.h>
#include <unistd.h>

namespace backoffctl {

namespace {

// The alternate screen; no cursor; a line that is too long is cut.
constexpr std::string_view take_screen = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
constexpr std::string_view give_screen_back = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

} // namespace

TopTerminal::TopTerminal(int input, int output) : input_(input), output_(output) {
  if (tcgetattr(input_, &before_) != 0)
    throw std::runtime_error{"the input is not a terminal"};
  enter();
}

void TopTerminal::enter() {
  if (is_entered_)
    return;
  auto mode = before_;
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  mode.c_cc[VMIN] = 0; // a read waits for nothing
  mode.c_cc[VTIME] = 0;
  mode.c_cc[VQUIT] = _POSIX_VDISABLE; // it would end the program without an end of this
  tcsetattr(input_, TCSADRAIN, &mode);
  is_entered_ = true;
  write(take_screen);
}

void TopTerminal::leave() noexcept {
  if (!is_entered_)
    return;
  is_entered_ = false;
  write_all(output_, give_screen_back);
  tcsetattr(input_, TCSADRAIN, &before_);
}

TopSize TopTerminal::size() const {
  winsize window{};
  if (ioctl(output_, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0)
    return {};
  return {window.ws_col, window.ws_row};
}

void TopTerminal::write(std::string_view text) const {
  if (!write_all(output_, text))
    throw std::runtime_error{"the terminal cannot be written"};
}

std::string TopTerminal::keys() const {
  char bytes[256];
  const auto count = read(input_, bytes, sizeof bytes);
  return {bytes, count > 0 ? static_cast<std::size_t>(count) : 0};
}

bool is_terminal(int input, int output) {
  const auto* const kind = std::getenv("TERM");
  return isatty(input) == 1 && isatty(output) == 1 && kind != nullptr && *kind != '\0'
         && std::string_view{kind} != "dumb";
}

} // namespace backoffctl
