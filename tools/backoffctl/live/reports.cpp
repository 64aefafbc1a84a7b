#include "reports.hpp"

#include <chrono>
#include <ctime>
#include <iostream>
#include <stdexcept>
#include <utility>

namespace backoffctl {

double seconds_of(backoff_actor::Duration span) {
  return std::chrono::duration<double>{span}.count();
}

void print_line(const std::string& line) {
  if (!(std::cout << line << std::endl))
    throw std::runtime_error{"the output cannot be written"};
}

std::string clock_text() {
  const auto now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[16];
  return {text, std::strftime(text, sizeof text, "%H:%M:%S", &parts)};
}

Reports::Reports(EventLoop& loop, backoff_actor::Duration every,
                 std::optional<backoff_actor::Duration> in_all, Report report)
  : every_(every), report_(std::move(report)), last_(EventLoop::now()), due_(last_ + every),
    next_(loop, [this] { tick(); }), end_(loop, [&loop] { loop.stop(); }) {
  next_.in(every);
  if (in_all)
    end_.in(*in_all);
}

void Reports::tick() {
  const auto now = EventLoop::now();
  report_(seconds_of(now.since_origin), seconds_of(now - last_));
  last_ = now;
  while (due_ <= now) // several if this process was stopped
    due_ = due_ + every_;
  next_.in(due_ - now);
}

} // namespace backoffctl
