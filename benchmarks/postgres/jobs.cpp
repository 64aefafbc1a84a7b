#include "postgres/jobs.hpp"

#include "common/process.hpp"
#include "common/temporary_folder.hpp"
#include "postgres/own_jobs.hpp"
#include "postgres/server.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace postgres_benchmarks {

namespace {

constexpr Goal jobs_goal{true, 2};
constexpr std::array<const char*, 2> systems{"graphile-worker", "pg-boss"};
constexpr std::uint64_t ours_by_peers = 10; // it does this many times as many jobs

double peer_jobs_per_second(const example::PrivatePostgres& server, const JobPlan& plan,
                            const std::string& system, std::uint64_t window) {
  const auto database = std::string{"bench_peer"};
  server.query("CREATE DATABASE " + database);
  const example::TemporaryFolder folder{"postgres_store"};
  const auto output = folder / "output";
  {
    const example::FileDescriptor file{open(output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
    const auto program = (std::filesystem::path{plan.peers} / "postgres_queues.js").string();
    const auto how = example::Process{
      {"node", program, system, server.url(database), std::to_string(window),
       std::to_string(window == 1 ? std::max<std::uint64_t>(plan.jobs / 4, 1) : plan.jobs)},
      {.out =
         file.get()}}.wait();
    if (!how.is_success())
      throw std::runtime_error(system + ": " + example::to_string(how)
                               + "; './dev bench postgres_store --peers' installs it");
  }
  server.query("DROP DATABASE " + database + " WITH (FORCE)");
  std::ifstream in{output};
  return nlohmann::json::parse(in).at("jobs_per_second").get<double>();
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
    std::array<Row, systems.size()> each{};
    for (std::size_t i = 0; i < systems.size(); ++i)
      each[i] = {name + systems[i], "jobs/s", {}};
    for (std::uint64_t round = 0; round < plan.rounds; ++round) {
      const auto ours = our_jobs_per_second(server, plan, window);
      double best = 0;
      for (std::size_t i = 0; i < systems.size(); ++i) {
        const auto beside = peer_jobs_per_second(server, plan, systems[i], window);
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
