#include "live_line.hpp"

#include "common/terminal.hpp"

#include <iostream>
#include <sstream>
#include <unistd.h>

namespace http_guard {

namespace {

using namespace std::chrono_literals;

std::string render(const Present& present, const Options& options) {
  const auto& counts = present.counts;
  std::ostringstream line;
  line << counts.acknowledged << '/' << options.requests << " acknowledged | ";
  if (options.workers > 1)
    line << present.workers_up << " of " << options.workers << " workers up";
  else
    line << "worker " << present.incarnation << (present.workers_up > 0 ? " up" : " down");
  if (present.delay)
    line << ", waiting " << backoff_actor::to_string(*present.delay);
  line << " | " << counts.crashes << " crashes, " << counts.nacks << " nacks";
  if (!present.last_cause.empty())
    line << ", the last: " << present.last_cause;
  return line.str();
}

} // namespace

LiveLine::LiveLine(const Options& options)
  : options_(options), is_terminal_(isatty(STDERR_FILENO) == 1),
    next_(std::chrono::steady_clock::now() + interval()) {}

std::chrono::milliseconds LiveLine::interval() const { return is_terminal_ ? 100ms : 1000ms; }

void LiveLine::update(const RunRecord& record) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_)
    return;
  next_ = now + interval();
  const auto line = render(record.present(), options_);
  if (is_terminal_)
    std::cerr << "\r\033[K" << example::fit_to_terminal(line, STDERR_FILENO) << std::flush;
  else
    std::cerr << line << std::endl;
}

void LiveLine::clear() const {
  if (is_terminal_)
    std::cerr << "\r\033[K" << std::flush;
}

} // namespace http_guard
