#include "backoff_actor/supervision/restart_limit.hpp"

namespace backoff_actor {

namespace {

constexpr std::uint32_t most_restarts = 1'000'000;

} // namespace

Problems check(const RestartLimit& limit) {
  Problems problems;
  if (limit.max_restarts > most_restarts)
    problems.add("max_restarts", std::to_string(limit.max_restarts),
                 "0.." + std::to_string(most_restarts));
  if (limit.within <= Duration::zero())
    problems.add("within", to_string(limit.within), "more than 0ns");
  return problems;
}

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
