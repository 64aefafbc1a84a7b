#pragma once

#include "top_source.hpp"
#include "top_terminal.hpp"
#include "top_view.hpp"

#include "backoffctl/live/event_loop.hpp"

#include <memory>
#include <string>

namespace backoffctl {

/// Shows the status of a program on a terminal, newer each interval, and does what the keys say.
///
/// @thread that of the loop
class TopScreen {
public:
  /// Draws the first screen. `q` stops the loop.
  TopScreen(EventLoop& loop, TopSource& source, TopTerminal& terminal, TopMoment first,
            TopView view, backoff_actor::Duration interval);

private:
  void ask();
  void take(const TopAnswer& answer);
  void take_keys();
  void draw();
  void suspend();

  EventLoop& loop_;
  TopSource& source_;
  TopTerminal& terminal_;
  TopMoment moment_;
  TopView view_;
  backoff_actor::Duration interval_;
  backoff_actor::Instant taken_; // when the status came
  std::size_t page_ = 1;
  bool is_coloured_;
  bool is_asking_ = false;
  LoopEvent next_;
  std::unique_ptr<LoopEvent> on_keys_;
  std::unique_ptr<LoopEvent> on_resize_;
  std::unique_ptr<LoopEvent> on_suspend_;
};

} // namespace backoffctl
