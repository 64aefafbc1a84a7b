#pragma once

#include "event_loop.hpp"

#include <functional>
#include <optional>
#include <string>

namespace backoffctl {

/// Prints a line, at once.
///
/// @errors throws `std::runtime_error` if it cannot be written.
void print_line(const std::string& line);

/// A span in seconds.
double seconds_of(backoff_actor::Duration span);

/// The time of day: `21:03:12`.
std::string clock_text();

/// Something that is due at regular times, however long each takes, and for how long all goes on.
class Reports {
public:
  /// What is due; it is told how long ago the last was.
  using Report = std::function<void(double clock_s, double span_s)>;

  /// The first report is due after `every`. The loop ends after `in_all`, if there is such a time.
  Reports(EventLoop& loop, backoff_actor::Duration every,
          std::optional<backoff_actor::Duration> in_all, Report report);
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;

private:
  void tick();

  backoff_actor::Duration every_;
  Report report_;
  backoff_actor::Instant last_;
  backoff_actor::Instant due_;
  LoopEvent next_;
  LoopEvent end_;
};

} // namespace backoffctl
