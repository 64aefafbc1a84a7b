#include "postgres/measures.hpp"

#include "postgres/server.hpp"

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

int ServerProgram::run(
  int argc, char** argv,
  const std::function<Rows(const example::PrivatePostgres&, const Extent&)>& measure) {
  return program_.run(argc, argv, [&] {
    need_postgres();
    if (is_quick_)
      extent_ = {1, 1, 500, 20'000, 20'000, 1'000};
    if (with_peers_)
      extent_.peers = benchmarks::folder_of_programs() + "/peers/node";
    example::PrivatePostgres server{server_options()};
    turn_checksums_on(server);
    return compared(measure(server, extent_));
  });
}

} // namespace postgres_benchmarks
