#include "postgres/incoming_owner.hpp"
#include "postgres/peers.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace postgres_benchmarks {

namespace {

constexpr std::uint64_t producers = 20;     // sessions; as many as the peers have
constexpr auto peer_window = "100";         // their jobs in work
constexpr std::uint64_t ours_by_peers = 10; // it does this many times as many jobs
constexpr std::uint64_t most_starts = 200;  // one at a time

} // namespace

Rows measure_handed_over(const Server& server, const Extent& extent) {
  const auto rate = [jobs = extent.jobs * ours_by_peers](std::uint64_t sessions,
                                                         std::uint64_t rows) {
    return [load = IncomingLoad{sessions, rows, jobs}](const std::string& connection) {
      return handed_over_per_second(connection, load);
    };
  };
  const auto starts = std::min(extent.jobs, most_starts);
  const auto jobs = std::to_string(extent.jobs);
  Rows result;
  for (const auto& it : {BesidePeers{"handed over, one row a transaction",
                                     "jobs/s",
                                     rate(producers, 1),
                                     {peer_window, jobs},
                                     "jobs_per_second",
                                     benchmarks::at_least(1)},
                         BesidePeers{"handed over, 1,000 rows a statement",
                                     "jobs/s",
                                     rate(1, 1000),
                                     {peer_window, jobs, "1000"},
                                     "jobs_per_second",
                                     benchmarks::at_least(2)},
                         BesidePeers{"insert to start, one at a time",
                                     "ms",
                                     [starts](const std::string& connection) {
                                       return time_to_start(connection, starts);
                                     },
                                     {"1", std::to_string(starts), "one_at_a_time"},
                                     "median_ms",
                                     benchmarks::at_most(1),
                                     1}})
    for (auto& row : measure_beside(server, extent, it))
      result.push_back(std::move(row));
  return result;
}

} // namespace postgres_benchmarks
