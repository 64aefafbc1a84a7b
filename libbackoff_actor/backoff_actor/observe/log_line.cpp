#include "backoff_actor/observe/log_line.hpp"

#include <cstdio>

namespace backoff_actor {

namespace {

// Renders a time as `2026-11-23T07:21:10.123456Z`.
std::string utc_text(std::chrono::sys_time<Duration> at) {
  using namespace std::chrono;
  const auto midnight = floor<days>(at);
  const year_month_day date{midnight};
  const hh_mm_ss time{floor<microseconds>(at - midnight)};
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02ld:%02ld:%02ld.%06ldZ", int{date.year()},
                unsigned{date.month()}, unsigned{date.day()}, long{time.hours().count()},
                long{time.minutes().count()}, long{time.seconds().count()},
                long{time.subseconds().count()});
  return text;
}

template <class AnyEvent>
std::string log_line_of(const AnyEvent& event, std::chrono::sys_time<Duration> at) {
  return utc_text(at)
    .append(" ")
    .append(to_string(severity_of(event)))
    .append(" ")
    .append(to_string(event));
}

} // namespace

std::string line_of(const Event& event, std::chrono::sys_time<Duration> at) {
  return log_line_of(event, at);
}

std::string line_of(const SupervisorEvent& event, std::chrono::sys_time<Duration> at) {
  return log_line_of(event, at);
}

std::string event::line_of(const GuardEvent& event, std::chrono::sys_time<Duration> at) {
  return log_line_of(event, at);
}

} // namespace backoff_actor
