// postgres_store: what an outbox on a server of PostgreSQL does, beside pgbench and two job queues.

#include "common/command_line.hpp"
#include "postgres/commits.hpp"
#include "postgres/jobs.hpp"
#include "postgres/report.hpp"
#include "postgres/server.hpp"
#include "postgres/time_to_own.hpp"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace postgres_store {

namespace {

using namespace postgres_benchmarks;

constexpr auto description =
  R"(Measures an outbox on a private server of PostgreSQL, which is on this machine.

1. Commits of 1, 10, 100 and 1000 deliveries of 256 bytes. Each also acknowledges the deliveries of
   the commit before. Beside it, pgbench does the same in a table of two columns: one client, with
   prepared statements in a pipeline. The server's processor time is that of the session.
2. How long it takes to own an outbox that owes up to 1,000,000 deliveries, and to read them.
3. With --peers: how many jobs a second a sender executes, beside graphile-worker and pg-boss, with
   1, 100 and 1000 jobs outstanding. A job is stored durably, executed and acknowledged durably.

What is compared is measured in turn, in the same round. The table has medians, and the quartiles of
the ratios. The server has data checksums, synchronous_commit = on, 256 MB of shared buffers and
2 GB of log between checkpoints. Its data are in TMPDIR, or in /tmp. The result depends on whether
that disk really syncs.
)";

constexpr auto footer = R"(
Examples:
  postgres_store
  postgres_store --quick --json
  postgres_store --peers        after './dev bench postgres_store --peers' has installed them

Exit codes:
  0    done, whether or not every goal is reached
  1    failed, for example because PostgreSQL is not installed
  2    bad input; nothing was run
)";

struct Arguments {
  std::uint64_t rounds = 5;
  std::uint64_t seconds = 3;
  std::uint64_t jobs = 4000;
  std::uint64_t backlog = 1'000'000;
  bool with_peers = false;
};

std::vector<Row> measure(const Arguments& arguments) {
  example::PrivatePostgres server{server_options()};
  turn_checksums_on(server);
  auto rows = measure_commits(server, {arguments.rounds, arguments.seconds, {1, 10, 100, 1000}});
  const auto add = [&rows](std::vector<Row> more) {
    rows.insert(rows.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  };
  const auto backlog = arguments.backlog;
  add(
    measure_time_to_own(server, {arguments.rounds, {0, backlog / 10, backlog * 3 / 10, backlog}}));
  if (arguments.with_peers) {
    const auto programs = std::filesystem::canonical("/proc/self/exe").parent_path();
    add(measure_jobs(
      server,
      {arguments.rounds, {1, 100, 1000}, arguments.jobs, (programs / "peers" / "node").string()}));
  }
  return rows;
}

} // namespace

} // namespace postgres_store

int main(int argc, char** argv) {
  postgres_store::Arguments arguments;
  bool is_quick = false;
  bool as_json = false;
  benchmarks::CommandLine command_line{"postgres_store", postgres_store::description,
                                       postgres_store::footer};
  command_line.number("--rounds", arguments.rounds, 1, 1001, "number of rounds");
  command_line.number("--seconds", arguments.seconds, 1, 600,
                      "length of a series of commits, in s");
  command_line.number("--backlog", arguments.backlog, 10, 100'000'000,
                      "the most deliveries that are owed");
  command_line.number("--jobs", arguments.jobs, 1, 10'000'000,
                      "jobs of a peer; the sender executes ten times as many");
  command_line.flag("--quick", is_quick,
                    "one round, series of 1 s, a backlog of 20,000, and 500 jobs");
  command_line.flag("--peers", arguments.with_peers, "measure graphile-worker and pg-boss, too");
  command_line.flag("--json", as_json, "print JSON");
  if (const auto code = command_line.parse(argc, argv))
    return *code;
  if (is_quick)
    arguments = {1, 1, 500, 20'000, arguments.with_peers};
  if (!example::PrivatePostgres::is_installed()) {
    std::cerr << "postgres_store: PostgreSQL is not installed: apt-get install postgresql\n";
    return benchmarks::exit_failed;
  }
  try {
    const auto rows = postgres_store::measure(arguments);
    if (as_json)
      std::cout << postgres_benchmarks::json("postgres_store", rows).dump(2) << '\n';
    else
      std::cout << postgres_benchmarks::table(rows);
  } catch (const std::exception& error) {
    std::cerr << "postgres_store: " << error.what() << '\n';
    return benchmarks::exit_failed;
  }
  return benchmarks::exit_done;
}
