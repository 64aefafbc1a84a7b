// handed_over: jobs that other programs hand over by SQL, beside two job queues.

#include "common/command_line.hpp"
#include "postgres/handed_over_jobs.hpp"
#include "postgres/incoming_cost.hpp"
#include "postgres/report.hpp"
#include "postgres/server.hpp"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace handed_over {

namespace {

using namespace postgres_benchmarks;

constexpr auto description =
  R"(Measures the table incoming of an outbox, on a private server of PostgreSQL on this machine.

1. How many rows a second sixteen producers commit, one in each transaction, beside the same table
   without its trigger. First nobody takes the rows, then an owner executes them meanwhile.
2. How long a look for new rows takes behind 200,000 dead rows, which an old snapshot keeps.
3. How many jobs a second are handed over, executed and acknowledged durably: with one row a
   transaction by 20 sessions, and with 1,000 rows a statement by one session.
4. The median time from the INSERT to the start of the job, one at a time.

With --peers, 3 and 4 are beside graphile-worker (add_job, add_jobs) and pg-boss (send, insert).

What is compared is measured in turn, in the same round. The table has medians, and the quartiles of
the ratios. The server is that of postgres_store, see there.
)";

constexpr auto footer = R"(
Examples:
  handed_over
  handed_over --quick --json
  handed_over --peers           after './dev bench handed_over --peers' has installed them

Exit codes:
  0    done, whether or not every goal is reached
  1    failed, for example because PostgreSQL is not installed
  2    bad input; nothing was run
)";

struct Arguments {
  std::uint64_t rounds = 5;
  std::uint64_t seconds = 3;
  std::uint64_t jobs = 4000;
  std::uint64_t dead_rows = 200'000;
  bool with_peers = false;
};

std::vector<Row> measure(const Arguments& arguments) {
  example::PrivatePostgres server{server_options()};
  turn_checksums_on(server);
  const auto programs = std::filesystem::canonical("/proc/self/exe").parent_path();
  const auto peers = arguments.with_peers ? (programs / "peers" / "node").string() : std::string{};
  auto rows = measure_incoming(server, {arguments.rounds, arguments.seconds, arguments.dead_rows});
  auto more = measure_handed_over(server, {arguments.rounds, arguments.jobs, peers});
  rows.insert(rows.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
  return rows;
}

} // namespace

} // namespace handed_over

int main(int argc, char** argv) {
  handed_over::Arguments arguments;
  bool is_quick = false;
  bool as_json = false;
  benchmarks::CommandLine command_line{"handed_over", handed_over::description,
                                       handed_over::footer};
  command_line.number("--rounds", arguments.rounds, 1, 1001, "number of rounds");
  command_line.number("--seconds", arguments.seconds, 1, 600,
                      "length of a series of insertions, in s");
  command_line.number("--dead-rows", arguments.dead_rows, 10, 10'000'000,
                      "dead rows before a look");
  command_line.number("--jobs", arguments.jobs, 1, 10'000'000,
                      "jobs of a peer; the sender executes ten times as many");
  command_line.flag("--quick", is_quick,
                    "one round, series of 1 s, 20,000 dead rows, and 500 jobs");
  command_line.flag("--peers", arguments.with_peers, "measure graphile-worker and pg-boss, too");
  command_line.flag("--json", as_json, "print JSON");
  if (const auto code = command_line.parse(argc, argv))
    return *code;
  if (is_quick)
    arguments = {1, 1, 500, 20'000, arguments.with_peers};
  if (!example::PrivatePostgres::is_installed()) {
    std::cerr << "handed_over: PostgreSQL is not installed: apt-get install postgresql\n";
    return benchmarks::exit_failed;
  }
  try {
    const auto rows = handed_over::measure(arguments);
    if (as_json)
      std::cout << postgres_benchmarks::json("handed_over", rows).dump(2) << '\n';
    else
      std::cout << postgres_benchmarks::table(rows);
  } catch (const std::exception& error) {
    std::cerr << "handed_over: " << error.what() << '\n';
    return benchmarks::exit_failed;
  }
  return benchmarks::exit_done;
}
