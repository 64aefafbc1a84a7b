#include "postgres/handed_over_jobs.hpp"

#include "postgres/own_incoming.hpp"
#include "postgres/peer_queues.hpp"
#include "postgres/server.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>

namespace postgres_benchmarks {

namespace {

constexpr std::uint64_t producers = 20;     // sessions; as many as the peers have
constexpr std::uint64_t peer_window = 100;  // their jobs in work
constexpr std::uint64_t ours_by_peers = 10; // it does this many times as many jobs
constexpr std::uint64_t most_starts = 200;  // one at a time
constexpr auto incoming_database = "bench_incoming";

// What is measured: of ours in a new database, and of a peer by the arguments of its program.
struct Measure {
  std::string what;
  std::string unit;
  std::function<double(const std::string& connection)> ours;
  std::vector<std::string> arguments;
  const char* figure; // of what the peer prints
  Goal goal;          // beside the better one, or the first if that is the only one asked for
  std::size_t peers;  // how many of them
};

Row row_of(const Measure& it, const std::string& beside) {
  return {it.what + (beside.empty() ? "" : ": a sender / " + beside), it.unit, {}};
}

std::vector<Row> measure(const example::PrivatePostgres& server, const HandedOverPlan& plan,
                         const Measure& it) {
  const auto peers = plan.peers.empty() ? 0 : it.peers;
  auto better = row_of(it, peers == 0 ? "" : peers == 1 ? peer_queues[0] : "the better of the two");
  if (peers > 0)
    better.goal = it.goal;
  std::vector<Row> each;
  for (std::size_t i = 0; peers > 1 && i < peers; ++i)
    each.push_back(row_of(it, peer_queues[i]));
  for (std::uint64_t round = 0; round < plan.rounds; ++round) {
    make_database(server, incoming_database);
    const auto ours = it.ours(server.connection(incoming_database));
    server.query(std::string{"DROP DATABASE "} + incoming_database + " WITH (FORCE)");
    std::vector<double> beside;
    for (std::size_t i = 0; i < peers; ++i)
      beside.push_back(run_peer_queue(server, plan.peers, peer_queues[i], it.arguments)
                         .at(it.figure)
                         .get<double>());
    better.ours.push_back(ours);
    for (std::size_t i = 0; i < each.size(); ++i) {
      each[i].ours.push_back(ours);
      each[i].beside.push_back(beside[i]);
    }
    if (peers > 0)
      better.beside.push_back(it.goal.is_at_least
                                ? *std::max_element(beside.begin(), beside.end())
                                : *std::min_element(beside.begin(), beside.end()));
  }
  std::vector<Row> rows{std::move(better)};
  for (auto& row : each)
    rows.push_back(std::move(row));
  return rows;
}

} // namespace

std::vector<Row> measure_handed_over(const example::PrivatePostgres& server,
                                     const HandedOverPlan& plan) {
  const auto rate = [jobs = plan.jobs * ours_by_peers](std::uint64_t sessions, std::uint64_t rows) {
    return [load = IncomingLoad{sessions, rows, jobs}](const std::string& connection) {
      return handed_over_per_second(connection, load);
    };
  };
  const auto starts = std::min(plan.jobs, most_starts);
  const auto jobs = std::to_string(plan.jobs);
  const auto window = std::to_string(peer_window);
  std::vector<Row> result;
  for (const auto& it : {Measure{"handed over, one row a transaction",
                                 "jobs/s",
                                 rate(producers, 1),
                                 {window, jobs},
                                 "jobs_per_second",
                                 {true, 1},
                                 2},
                         Measure{"handed over, 1,000 rows a statement",
                                 "jobs/s",
                                 rate(1, 1000),
                                 {window, jobs, "1000"},
                                 "jobs_per_second",
                                 {true, 2},
                                 2},
                         Measure{"insert to start, one at a time",
                                 "ms",
                                 [starts](const std::string& connection) {
                                   return time_to_start(connection, starts);
                                 },
                                 {"1", std::to_string(starts), "one_at_a_time"},
                                 "median_ms",
                                 {false, 1},
                                 1}})
    for (auto& row : measure(server, plan, it))
      result.push_back(std::move(row));
  return result;
}

} // namespace postgres_benchmarks
