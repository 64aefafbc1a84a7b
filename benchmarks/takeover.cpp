// takeover: how long an outbox in PostgreSQL is without an owner when the owner fails.

#include "common/program.hpp"
#include "postgres/server.hpp"
#include "takeover/link.hpp"
#include "takeover/play.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace takeover {

namespace {

using namespace std::chrono_literals;
using benchmarks::ours_at_most;

const benchmarks::Words words{
  "takeover",
  R"(Measures how fast a standby takes over an outbox on a private server of PostgreSQL.

In each round one process owns a new outbox, and commits every 5 ms. A second process stands by.
Then the owner is killed, or the server ends its session, or it is frozen, or its cable is cut. The
time is from the fault until the standby owns the outbox. For a frozen or cut-off owner, that is the
lease and no more. Last, the same with spawn_owned_sender: until the first delivery that was owed is
handed over again.

To cut a cable, the program runs in a network of its own, where that is permitted.
)",
  "  takeover\n  takeover --rounds 200 --lease 2s\n  takeover --quick --json\n",
  postgres_benchmarks::failures};

constexpr auto median_goal = ours_at_most(20); // ms
constexpr auto worst_goal = ours_at_most(200);
constexpr double above_lease_goal = 100;

struct Question {
  std::uint64_t rounds = 50;
  std::uint64_t freezes = 10;
  backoff_actor::Duration lease = 1s;
};

/// A fault that is played several times, and its goals.
struct Scenario {
  std::string what;
  Fault fault;
  bool with_sender; ///< as `NodeOptions::with_sender`
  std::uint64_t rounds;
  std::optional<benchmarks::Goal> median{};
  std::optional<benchmarks::Goal> worst{};
};

std::vector<Scenario> scenarios(const Question& question, bool can_cut) {
  const auto [rounds, freezes, lease] = question;
  const auto lease_goal =
    ours_at_most(std::chrono::duration<double, std::milli>{lease}.count() + above_lease_goal);
  std::vector<Scenario> result{
    {"killed", Fault::kill, false, rounds, median_goal, worst_goal},
    {"session ended by the server", Fault::terminate, false, rounds, median_goal, worst_goal},
    {"frozen", Fault::freeze, false, freezes, {}, lease_goal}};
  if (can_cut)
    result.push_back({"cable cut", Fault::cut, false, freezes, {}, lease_goal});
  result.push_back({"killed, until the first hand-over", Fault::kill, true, rounds});
  result.push_back({"frozen, until the first hand-over", Fault::freeze, true, freezes});
  return result;
}

benchmarks::Report measure(const Question& question) {
  postgres_benchmarks::need_postgres();
  const auto can_cut = enter_own_network();
  if (!can_cut)
    std::cerr << "takeover: a network of its own is not permitted here: no cable is cut\n";
  constexpr auto database = "takeover";
  example::PrivatePostgres server{postgres_benchmarks::server_options()};
  postgres_benchmarks::make_database(server, database);
  std::vector<benchmarks::Row> rows;
  for (const auto& [what, fault, with_sender, rounds, median, worst] :
       scenarios(question, can_cut)) {
    const auto times = play(server, database, {fault, with_sender, rounds, question.lease});
    rows.push_back({what + ", " + std::to_string(rounds) + " rounds", "ms", median, times});
    rows.push_back({what + ", the worst", "ms", worst, {std::ranges::max(times)}});
  }
  return compared(rows);
}

} // namespace

} // namespace takeover

int main(int argc, char** argv) {
  takeover::Question question;
  bool is_quick = false;
  benchmarks::Program program{takeover::words};
  program.number("--rounds", question.rounds, 1, 100'000, "owners killed, and sessions ended");
  program.number("--freezes", question.freezes, 1, 100'000, "owners frozen, and cut off");
  program.time("--lease", question.lease, std::chrono::seconds{1}, std::chrono::minutes{5},
               "lease of an owner");
  program.flag("--quick", is_quick, "3 rounds, one freeze, a lease of 1s");
  return program.run(argc, argv, [&] {
    return takeover::measure(is_quick ? takeover::Question{3, 1} : question);
  });
}
