#include "backoff_actor/supervision/restart_limit.hpp"

namespace backoff_actor {

bool RestartWindow::add(const RestartLimit& limit, Instant now) {
  const std::size_t bounded = std::size_t{limit.max_restarts} + 1;
  if (failures_.size() < bounded) {
    failures_.push_back(now);
  } else {
    failures_[oldest_] = now;
    oldest_ = (oldest_ + 1) % bounded;
  }
  return failures_.size() == bounded && now - failures_[oldest_] < limit.within;
}

void RestartWindow::clear() {
  failures_.clear();
  oldest_ = 0;
}

} // namespace backoff_actor
