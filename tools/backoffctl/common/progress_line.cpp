#include "progress_line.hpp"

#include <algorithm>
#include <ostream>
#include <unistd.h>
#include <utility>

namespace backoffctl {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds before_first_text{1000};
constexpr milliseconds between_texts{100};

// Reading the clock costs as much as some events do, so it is read once in many calls. How long a
// call takes is not known and changes, so the number of calls doubles or halves.
constexpr milliseconds looks_too_often{5};
constexpr milliseconds looks_too_seldom{20};
constexpr std::uint64_t most_calls_between_looks = 1 << 20;

} // namespace

bool is_progress_shown() { return isatty(STDERR_FILENO) == 1; }

ProgressLine::ProgressLine(std::ostream& console, bool is_shown, std::string what,
                           std::uint64_t total, Now now)
  : console_(console), what_(std::move(what)), total_(total), now_(std::move(now)),
    last_look_(now_()), next_text_(last_look_ + before_first_text),
    calls_until_look_(is_shown ? 1 : UINT64_MAX) {}

ProgressLine::~ProgressLine() {
  if (!text_.empty()) {
    write({});
    console_ << '\r' << std::flush;
  }
}

void ProgressLine::look(std::uint64_t done) {
  const auto now = now_();
  const auto since_last = now - last_look_;
  last_look_ = now;
  if (since_last < looks_too_often)
    calls_between_looks_ = std::min(calls_between_looks_ * 2, most_calls_between_looks);
  else if (since_last > looks_too_seldom)
    calls_between_looks_ = std::max<std::uint64_t>(calls_between_looks_ / 2, 1);
  calls_until_look_ = calls_between_looks_;
  if (now < next_text_)
    return;
  next_text_ = now + between_texts;
  const auto percent =
    static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total_));
  write(what_ + ": " + std::to_string(percent) + " %");
}

// In place of the last text, the rest of which is overwritten with spaces.
void ProgressLine::write(const std::string& text) {
  if (text == text_)
    return;
  const auto rest = text_.size() > text.size() ? text_.size() - text.size() : 0;
  console_ << '\r' << text << std::string(rest, ' ') << std::flush;
  text_ = text;
}

} // namespace backoffctl
