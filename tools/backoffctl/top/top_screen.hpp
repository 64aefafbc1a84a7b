#pragma once

#include "top.hpp"
#include "top_source.hpp"

#include "backoffctl/live/event_loop.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <termios.h>

namespace backoffctl {

/// A terminal, as long as a program has its whole screen: keys come one by one and are not shown.
/// Its former screen comes back at the end, however that comes.
class TopTerminal {
public:
  /// @param input,output descriptors of the same terminal
  ///
  /// @errors throws `std::runtime_error` if it is none
  TopTerminal(int input, int output);
  TopTerminal(const TopTerminal&) = delete;
  TopTerminal& operator=(const TopTerminal&) = delete;
  ~TopTerminal() { leave(); }

  /// Gives the terminal back, for a while.
  void leave() noexcept;

  /// Takes it again.
  void enter();

  /// Its size now: 80 by 24 if it does not say.
  TopSize size() const;

  /// Writes all of a text.
  ///
  /// @errors throws `std::runtime_error` if it cannot.
  void write(std::string_view text) const;

  /// The keys that have come; nothing once the terminal is gone.
  std::string keys() const;

private:
  int input_;
  int output_;
  termios before_{};
  bool is_entered_ = false;
};

/// Whether somebody sees a screen and can press keys.
bool is_terminal(int input, int output);

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
