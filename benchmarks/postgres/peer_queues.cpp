#include "postgres/peer_queues.hpp"

#include "common/process.hpp"
#include "common/temporary_folder.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace postgres_benchmarks {

namespace {

constexpr auto peer_database = "bench_peer";

} // namespace

nlohmann::json run_peer_queue(const example::PrivatePostgres& server, const std::string& folder,
                              const std::string& queue, const std::vector<std::string>& arguments,
                              const std::function<void(const std::string&)>& prepare) {
  const std::string database = peer_database;
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

} // namespace postgres_benchmarks
