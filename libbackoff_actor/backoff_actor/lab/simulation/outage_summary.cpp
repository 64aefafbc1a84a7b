#include "backoff_actor/lab/simulation/internal/outage_summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace backoff_actor {

OutageSummary summarize(const std::vector<OutageSecond>& seconds, const OutageTimes& times) {
  OutageSummary summary;
  summary.recovery = judge_recovery(seconds, times);
  summary.rate_before = rate_before(seconds, times);
  double attempts = 0;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const auto begin_s = static_cast<double>(i);
    const auto stopped_s = std::min(begin_s + 1, times.back_s) - std::max(begin_s, times.stopped_s);
    attempts += std::max(stopped_s, 0.0) * static_cast<double>(seconds[i].attempts);
    if (begin_s + 1 > times.stopped_s)
      summary.peak_concurrency = std::max(summary.peak_concurrency, seconds[i].peak_concurrency);
    if (begin_s >= times.back_s)
      summary.peak_attempts = std::max(summary.peak_attempts, seconds[i].attempts);
  }
  summary.attempts_during_outage = static_cast<std::uint64_t>(std::llround(attempts));
  return summary;
}

void add_waits(OutageSummary& summary, std::vector<double> waits_s, std::uint64_t still_waiting) {
  summary.waiting = waits_s.size();
  summary.still_waiting = still_waiting;
  if (waits_s.empty())
    return;
  const auto count = static_cast<double>(waits_s.size());
  summary.extra_wait_mean_s = std::accumulate(waits_s.begin(), waits_s.end(), 0.0) / count;
  const auto rank = static_cast<std::size_t>(std::ceil(0.99 * count)) - 1;
  const auto at_rank = waits_s.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(waits_s.begin(), at_rank, waits_s.end());
  summary.extra_wait_p99_s = *at_rank;
}

} // namespace backoff_actor
