#include "backoff_actor/supervision/pool_options.hpp"

#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/internal/check_span.hpp"

#include <string>

namespace backoff_actor {

namespace {

constexpr std::uint32_t most_workers = 1000;
constexpr std::uint32_t most_in_flight = 1024;
constexpr std::uint32_t largest_backlog = 1'000'000;
constexpr Duration shortest_time = std::chrono::milliseconds{1};
constexpr Duration longest_time = std::chrono::hours{24};

} // namespace

Problems check(const WorkerPool& pool) {
  Problems problems{"WorkerPool"};
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < pool.kinds.size(); ++i) {
    const auto& kind = pool.kinds[i];
    const auto field = "kinds[" + std::to_string(i) + "].";
    all += kind.workers.most;
    detail::check_count(problems, field + "workers.most", kind.workers.most, 1, most_workers);
    if (kind.workers.least > kind.workers.most)
      problems.add(field + "workers.least", std::to_string(kind.workers.least),
                   "0.." + std::to_string(kind.workers.most) + ", the most");
    detail::check_count(problems, field + "max_in_flight", kind.max_in_flight, 1, most_in_flight);
  }
  if (pool.kinds.size() > 1 && all > most_workers)
    problems.add("kinds", std::to_string(all) + " workers",
                 "1.." + std::to_string(most_workers) + " of all kinds together");
  detail::check_count(problems, "scaling.backlog_per_worker", pool.scaling.backlog_per_worker, 1,
                      largest_backlog);
  detail::check_span(problems, "scaling.grow_after", pool.scaling.grow_after, shortest_time,
                     longest_time);
  detail::check_span(problems, "scaling.shrink_after", pool.scaling.shrink_after, shortest_time,
                     longest_time);
  return problems;
}

} // namespace backoff_actor
