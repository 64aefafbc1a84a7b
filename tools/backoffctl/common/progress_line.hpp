#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace backoffctl {

/// Whether a progress line is to be shown: where stderr is a terminal.
bool is_progress_shown();

/// A line at the console that tells how far some long work is: `contention, full jitter: 42 %`.
/// There is none before the work has taken a second; it is rewritten in place, and erased when the
/// work is done.
class ProgressLine {
public:
  /// A clock, for tests.
  using Now = std::function<std::chrono::steady_clock::time_point()>;

  /// The work begins now.
  ///
  /// @param console must outlive the line
  /// @param what    is done: short, so that the line fits into the console's width
  /// @param total   how much there is to do, in any unit
  ProgressLine(std::ostream& console, bool is_shown, std::string what, std::uint64_t total,
               Now now = std::chrono::steady_clock::now);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Erases the line.
  ~ProgressLine();

  /// Tells how much is done. To be called as often as one likes: the clock is read seldom, about a
  /// hundred times a second.
  ///
  /// @range 0..total
  void at(std::uint64_t done) {
    if (--calls_until_look_ == 0)
      look(done);
  }

private:
  using Time = std::chrono::steady_clock::time_point;

  void look(std::uint64_t done);
  void write(const std::string& text);

  std::ostream& console_;
  const std::string what_;
  const std::uint64_t total_;
  const Now now_;
  Time last_look_;
  Time next_text_;
  std::uint64_t calls_between_looks_ = 1;
  std::uint64_t calls_until_look_;
  std::string text_; // what the console shows
};

} // namespace backoffctl
