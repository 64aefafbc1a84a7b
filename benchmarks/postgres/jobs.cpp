#include "postgres/jobs.hpp"

#include "postgres/own_jobs.hpp"
#include "postgres/peer_queues.hpp"
#include "postgres/server.hpp"

#include <algorithm>
#include <array>

namespace postgres_benchmarks {

namespace {

constexpr Goal jobs_goal{true, 2};
constexpr std::uint64_t ours_by_peers = 10; // it does this many times as many jobs

double peer_jobs_per_second(const example::PrivatePostgres& server, const JobPlan& plan,
                            const std::string& system, std::uint64_t window) {
  const auto jobs = window == 1 ? std::max<std::uint64_t>(plan.jobs / 4, 1) : plan.jobs;
  return run_peer_queue(server, plan.peers, system, {std::to_string(window), std::to_string(jobs)})
    .at("jobs_per_second")
    .get<double>();
}

double our_jobs_per_second(const example::PrivatePostgres& server, const JobPlan& plan,
                           std::uint64_t window) {
  const auto database = std::string{"bench_jobs"};
  make_database(server, database);
  const auto jobs = window == 1 ? plan.jobs : plan.jobs * ours_by_peers;
  const auto result = own_jobs_per_second(server.connection(database), {window, jobs});
  server.query("DROP DATABASE " + database + " WITH (FORCE)");
  return result;
}

} // namespace

std::vector<Row> measure_jobs(const example::PrivatePostgres& server, const JobPlan& plan) {
  std::vector<Row> rows;
  for (const auto window : plan.windows) {
    const auto name = "jobs, window " + std::to_string(window) + ": a sender / ";
    Row better{name + "the better of the two", "jobs/s", {}, {}, jobs_goal};
    std::array<Row, peer_queues.size()> each{};
    for (std::size_t i = 0; i < peer_queues.size(); ++i)
      each[i] = {name + peer_queues[i], "jobs/s", {}};
    for (std::uint64_t round = 0; round < plan.rounds; ++round) {
      const auto ours = our_jobs_per_second(server, plan, window);
      double best = 0;
      for (std::size_t i = 0; i < peer_queues.size(); ++i) {
        const auto beside = peer_jobs_per_second(server, plan, peer_queues[i], window);
        each[i].ours.push_back(ours);
        each[i].beside.push_back(beside);
        best = std::max(best, beside);
      }
      better.ours.push_back(ours);
      better.beside.push_back(best);
    }
    rows.push_back(std::move(better));
    for (auto& row : each)
      rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace postgres_benchmarks
