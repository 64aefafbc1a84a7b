#include "postgres/measures.hpp"

#include "common/processes.hpp"
#include "postgres/server.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>

namespace postgres_benchmarks {

namespace {

benchmarks::Words with_examples(benchmarks::Words words) {
  auto with_peers = "  " + words.name + " --peers";
  with_peers.resize(32, ' ');
  words.examples = "  " + words.name + "\n  " + words.name + " --quick --json\n" + with_peers
                   + "after './dev bench " + words.name + " --peers' has installed them\n";
  words.failures = failures;
  return words;
}

} // namespace

ServerProgram::ServerProgram(const benchmarks::Words& words) : program_(with_examples(words)) {
  program_.number("--rounds", extent_.rounds, 1, 1001, "number of rounds");
  program_.number("--seconds", extent_.seconds, 1, 600, "length of a series, in s");
  program_.number("--jobs", extent_.jobs, 1, 10'000'000,
                  "jobs of a peer; the sender executes ten times as many");
  program_.flag("--quick", is_quick_, "one round, and little of everything");
  program_.flag("--peers", with_peers_, "measure graphile-worker and pg-boss, too");
}

int ServerProgram::run(int argc, char** argv,
                       const std::function<void(Rows&, const Server&, const Extent&)>& measure) {
  return program_.run(argc, argv, [&] {
    need_postgres();
    if (is_quick_)
      extent_ = {1, 1, 500, 20'000, 20'000, 1'000};
    if (with_peers_) {
      extent_.peers = benchmarks::folder_of_programs() + "/peers/node";
      if (!std::filesystem::exists(extent_.peers))
        throw std::runtime_error("the peers are not installed: './dev bench' does it with --peers");
    }
    example::PrivatePostgres server{server_options()};
    turn_checksums_on(server);
    Rows rows;
    measure(rows, server, extent_);
    return compared(rows);
  });
}

double run_peer_queue(const Server& server, const std::string& folder, const std::string& queue,
                      const std::vector<std::string>& arguments, const std::string& figure,
                      const std::string& snapshot) {
  const std::string database = "bench_peer";
  server.query("CREATE DATABASE " + database);
  std::optional<SqlSession> session;
  if (!snapshot.empty())
    session.emplace(server.connection(database)).query(snapshot);
  std::vector<std::string> command{"node", folder + "/postgres_queues.js", queue,
                                   server.url(database)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto output = nlohmann::json::parse(benchmarks::output_of(command));
  session.reset();
  server.query("DROP DATABASE " + database + " WITH (FORCE)");
  return output.at(figure).get<double>();
}

void measure_beside(Rows& rows, const Server& server, const Extent& extent, const BesidePeers& it) {
  const auto peers = extent.peers.empty() ? 0 : it.peers;
  const auto row = [&](const std::string& beside) {
    return Row{it.what + ": a sender / " + beside, it.unit};
  };
  Rows result{row(peers == 1 ? peer_queues[0] : "the better of the two")};
  if (peers == 0)
    result.front().what = it.what;
  else
    result.front().goal = it.goal;
  for (std::size_t i = 0; peers > 1 && i < peers; ++i)
    result.push_back(row(peer_queues.at(i)));
  for (std::uint64_t round = 0; round < extent.rounds; ++round) {
    in_new_database(server, [&](const std::string& connection) {
      const auto ours = it.ours(connection);
      for (auto& x : result)
        x.ours.push_back(ours);
    });
    std::vector<double> beside;
    for (std::size_t i = 0; i < peers; ++i)
      beside.push_back(
        run_peer_queue(server, extent.peers, peer_queues.at(i), it.arguments, it.figure));
    if (peers > 0)
      result.front().beside.push_back(it.goal.is_at_least ? std::ranges::max(beside)
                                                          : std::ranges::min(beside));
    for (std::size_t i = 1; i < result.size(); ++i)
      result[i].beside.push_back(beside[i - 1]);
  }
  rows.insert(rows.end(), result.begin(), result.end());
}

} // namespace postgres_benchmarks
