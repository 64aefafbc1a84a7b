#include "top_screen.hpp"

#include "backoffctl/live/reports.hpp"
#include "backoffctl/text/colour.hpp"

#include <csignal>
#include <unistd.h>
#include <utility>

namespace backoffctl {

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
