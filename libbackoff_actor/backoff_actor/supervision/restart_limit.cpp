#include "backoff_actor/supervision/restart_limit.hpp"

#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/internal/check_span.hpp"

namespace backoff_actor {

namespace {

constexpr std::uint32_t most_restarts = 1'000'000;

} // namespace

Problems check(const RestartLimit& limit) {
  Problems problems;
  detail::check_count(problems, "max_restarts", limit.max_restarts, 0, most_restarts);
  detail::check_time(problems, "within", limit.within);
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
