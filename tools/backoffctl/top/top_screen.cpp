#include "top_screen.hpp"

#include "backoffctl/live/process.hpp"
#include "backoffctl/text/colour.hpp"
#include "backoffctl/text/number_text.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

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

TopScreen::TopScreen(EventLoop& loop, TopSource& source, TopTerminal& terminal, TopMoment first,
                     TopView view, backoff_actor::Duration interval)
  : loop_(loop), source_(source), terminal_(terminal), moment_(std::move(first)),
    view_(std::move(view)), interval_(interval), taken_(EventLoop::now()),
    is_coloured_(may_be_coloured(STDOUT_FILENO)), next_(loop, [this] { ask(); }),
    on_keys_(LoopEvent::on_readable(loop, STDIN_FILENO, [this] { take_keys(); })),
    on_resize_(LoopEvent::on_signal(loop, SIGWINCH, [this] { draw(); })),
    on_suspend_(LoopEvent::on_signal(loop, SIGTSTP, [this] { suspend(); })) {
  draw();
  next_.in(interval_);
}

void TopScreen::ask() {
  if (view_.is_frozen || std::exchange(is_asking_, true))
    return;
  source_.ask([this](const TopAnswer& answer) {
    is_asking_ = false;
    take(answer);
  });
}

void TopScreen::take(const TopAnswer& answer) {
  next_.in(interval_);
  if (view_.is_frozen) // since it was asked for
    return;
  const auto now = EventLoop::now();
  if (answer.trouble.empty()) {
    auto status = answer.status;
    set_rates(status, moment_.status, seconds_of(now - taken_));
    moment_.status = std::move(status);
    moment_.clock = clock_text();
    moment_.trouble.clear();
    taken_ = now;
  } else {
    moment_.trouble = answer.trouble;
  }
  draw();
}

void TopScreen::take_keys() {
  const auto was_frozen = view_.is_frozen;
  const auto keys = terminal_.keys();
  // Without any, the terminal is gone.
  if (keys.empty() || press(view_, keys, page_) == TopWish::end) {
    loop_.stop();
    return;
  }
  if (was_frozen && !view_.is_frozen)
    ask();
  draw();
}

void TopScreen::draw() {
  const auto frame = frame_of(moment_, view_, terminal_.size());
  view_.first = frame.first;
  page_ = frame.page;
  terminal_.write(drawing_of(frame, is_coloured_));
}

// Ctrl-Z: the shell finds the terminal as it was.
void TopScreen::suspend() {
  terminal_.leave();
  std::raise(SIGSTOP);
  terminal_.enter();
  draw();
}

} // namespace backoffctl
