#include "postgres/program.hpp"

#include "common/command_line.hpp"
#include "postgres/server.hpp"

#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

namespace postgres_benchmarks {

namespace {

std::string footer(const std::string& name) {
  auto with_peers = "  " + name + " --peers";
  with_peers.resize(32, ' ');
  return "\nExamples:\n  " + name + "\n  " + name + " --quick --json\n" + with_peers
         + "after './dev bench " + name + R"( --peers' has installed them

Exit codes:
  0    done, whether or not every goal is reached
  1    failed, for example because PostgreSQL is not installed
  2    bad input; nothing was run
)";
}

} // namespace

int run(const Program& program, int argc, char** argv) {
  Extent extent{5, 3, 4000, program.rows, {}, 50'000};
  bool is_quick = false;
  bool with_peers = false;
  bool as_json = false;
  bool behind_snapshot = false;
  benchmarks::CommandLine command_line{program.name, program.description, footer(program.name)};
  command_line.number("--rounds", extent.rounds, 1, 1001, "number of rounds");
  command_line.number("--seconds", extent.seconds, 1, 600, program.seconds_help);
  command_line.number(program.rows_option, extent.rows, 10, program.rows_at_most,
                      program.rows_help);
  command_line.number("--jobs", extent.jobs, 1, 10'000'000,
                      "jobs of a peer; the sender executes ten times as many");
  command_line.flag("--quick", is_quick, program.quick_help);
  command_line.flag("--peers", with_peers, "measure graphile-worker and pg-boss, too");
  if (program.old_snapshot) {
    command_line.flag("--old-snapshot", behind_snapshot,
                      "measure what a transaction costs that somebody leaves open, and no more");
    command_line.number("--commits", extent.commits, 10, 10'000'000,
                        "commits behind it, with --old-snapshot");
  }
  command_line.flag("--json", as_json, "print JSON");
  if (const auto code = command_line.parse(argc, argv))
    return *code;
  if (is_quick)
    extent = {1, 1, 500, 20'000, {}, 1'000};
  if (!example::PrivatePostgres::is_installed()) {
    std::cerr << program.name << ": PostgreSQL is not installed: apt-get install postgresql\n";
    return benchmarks::exit_failed;
  }
  try {
    const auto programs = std::filesystem::canonical("/proc/self/exe").parent_path();
    if (with_peers)
      extent.peers = (programs / "peers" / "node").string();
    example::PrivatePostgres server{server_options()};
    turn_checksums_on(server);
    const auto rows =
      behind_snapshot ? program.old_snapshot(server, extent) : program.measure(server, extent);
    if (as_json)
      std::cout << json(program.name, rows).dump(2) << '\n';
    else
      std::cout << table(rows);
  } catch (const std::exception& error) {
    std::cerr << program.name << ": " << error.what() << '\n';
    return benchmarks::exit_failed;
  }
  return benchmarks::exit_done;
}

} // namespace postgres_benchmarks
