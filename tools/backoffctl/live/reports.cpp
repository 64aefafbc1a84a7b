#include "reports.hpp"

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <utility>

namespace backoffctl {

namespace {

double seconds_of(backoff_actor::Duration span) {
  return std::chrono::duration<double>{span}.count();
}

} // namespace

void print_line(const std::string& line) {
  if (!(std::cout << line << std::endl))
    throw std::runtime_error{"the output cannot be written"};
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
