#include "postgres/peers.hpp"

#include "common/process.hpp"
#include "common/temporary_folder.hpp"
#include "postgres/server.hpp"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace postgres_benchmarks {

nlohmann::json run_peer_queue(const example::PrivatePostgres& server, const std::string& folder,
                              const std::string& queue, const std::vector<std::string>& arguments,
                              const std::function<void(const std::string&)>& prepare) {
  const std::string database = "bench_peer";
  server.query("CREATE DATABASE " + database);
  if (prepare)
    prepare(server.connection(database));
  const example::TemporaryFolder own_folder{"peer_queue"};
  const auto output = own_folder / "output";
  {
    const example::FileDescriptor file{open(output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
    const auto program = (std::filesystem::path{folder} / "postgres_queues.js").string();
    std::vector<std::string> command{"node", program, queue, server.url(database)};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const auto how = example::Process{command, {.out = file.get()}}.wait();
    if (!how.is_success())
      throw std::runtime_error(queue + ": " + example::to_string(how)
                               + "; './dev bench' installs it with --peers");
  }
  server.query("DROP DATABASE " + database + " WITH (FORCE)");
  std::ifstream in{output};
  return nlohmann::json::parse(in);
}

Rows measure_beside(const example::PrivatePostgres& server, const Extent& extent,
                    const BesidePeers& it) {
  const auto peers = extent.peers.empty() ? 0 : it.peers;
  const auto row = [&](const std::string& beside) {
    return Row{it.what + ": a sender / " + beside, it.unit};
  };
  Rows rows{row(peers == 1 ? peer_queues[0] : "the better of the two")};
  if (peers == 0)
    rows.front().what = it.what;
  else
    rows.front().goal = it.goal;
  for (std::size_t i = 0; peers > 1 && i < peers; ++i)
    rows.push_back(row(peer_queues.at(i)));
  for (std::uint64_t round = 0; round < extent.rounds; ++round) {
    in_new_database(server, [&](const std::string& connection) {
      const auto ours = it.ours(connection);
      for (auto& x : rows)
        x.ours.push_back(ours);
    });
    std::vector<double> beside;
    for (std::size_t i = 0; i < peers; ++i)
      beside.push_back(run_peer_queue(server, extent.peers, peer_queues.at(i), it.arguments)
                         .at(it.figure)
                         .get<double>());
    if (peers > 0)
      rows.front().beside.push_back(it.goal.is_at_least ? std::ranges::max(beside)
                                                        : std::ranges::min(beside));
    for (std::size_t i = 1; i < rows.size(); ++i)
      rows[i].beside.push_back(beside[i - 1]);
  }
  return rows;
}

} // namespace postgres_benchmarks
