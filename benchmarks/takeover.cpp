// takeover: how long an outbox in PostgreSQL is without an owner when the owner fails.

#include "common/command_line.hpp"
#include "common/table.hpp"
#include "postgres/report.hpp"
#include "postgres/server.hpp"
#include "takeover/link.hpp"
#include "takeover/play.hpp"

#include <backoff_actor/core/time.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace takeover {

namespace {

using backoff_actor::Duration;

constexpr auto description =
  R"(Measures how fast a standby takes over an outbox on a private server of PostgreSQL.

In each round one process owns a new outbox, and commits every 5 ms. A second process stands by.
Then the owner is killed, or the server ends its session, or it is frozen, or its cable is cut. The
time is from the fault until the standby owns the outbox. For a frozen or cut-off owner, that is the
lease and no more. Last, the same with spawn_owned_sender: until the first delivery that was owed is
handed over again.

To cut a cable, the program runs in a network of its own, where that is permitted.
)";

constexpr auto footer = R"(
Examples:
  takeover
  takeover --rounds 200 --lease 2s
  takeover --quick --json

Exit codes:
  0    done, whether or not every goal is reached
  1    failed, for example because PostgreSQL is not installed
  2    bad input; nothing was run
)";

constexpr double median_goal = 20; // ms
constexpr double worst_goal = 200;
constexpr double above_lease_goal = 100;

struct Arguments {
  std::uint64_t rounds = 50;
  std::uint64_t freezes = 10;
  std::string lease = "1s";
};

struct Outcome {
  Scenario scenario;
  std::vector<double> times;

  double worst() const { return *std::max_element(times.begin(), times.end()); }
  bool is_reached() const {
    return benchmarks::median(times) <= scenario.median_goal.value_or(1e9)
           && worst() <= scenario.worst_goal.value_or(1e9);
  }
};

std::vector<Scenario> scenarios(const Arguments& arguments, Duration lease, bool can_cut) {
  const auto lease_goal =
    std::chrono::duration<double, std::milli>{lease}.count() + above_lease_goal;
  std::vector<Scenario> result{
    {"killed", Fault::kill, false, arguments.rounds, median_goal, worst_goal},
    {"session ended by the server", Fault::terminate, false, arguments.rounds, median_goal,
     worst_goal},
    {"frozen", Fault::freeze, false, arguments.freezes, {}, lease_goal}};
  if (can_cut)
    result.push_back({"cable cut", Fault::cut, false, arguments.freezes, {}, lease_goal});
  result.push_back({"killed, until the first hand-over", Fault::kill, true, arguments.rounds});
  result.push_back({"frozen, until the first hand-over", Fault::freeze, true, arguments.freezes});
  return result;
}

std::vector<Outcome> measure(const Arguments& arguments, Duration lease) {
  const auto can_cut = enter_own_network();
  if (!can_cut)
    std::cerr << "takeover: a network of its own is not permitted here: no cable is cut\n";
  constexpr auto database = "takeover";
  example::PrivatePostgres server{postgres_benchmarks::server_options()};
  postgres_benchmarks::make_database(server, database);
  std::vector<Outcome> result;
  for (auto& scenario : scenarios(arguments, lease, can_cut)) {
    auto times = play(server, database, scenario, lease);
    result.push_back({std::move(scenario), std::move(times)});
  }
  return result;
}

std::string in_ms(std::optional<double> goal) {
  return goal ? "<= " + benchmarks::grouped(static_cast<std::int64_t>(*goal)) + " ms" : "-";
}

std::string table(const std::vector<Outcome>& outcomes) {
  benchmarks::Table lines{{"the owner is", "rounds", "median", "worst", "goal of the median",
                           "goal of the worst", "reached"}};
  for (const auto& outcome : outcomes) {
    const auto& scenario = outcome.scenario;
    const auto has_goal = scenario.median_goal || scenario.worst_goal;
    lines.add({scenario.what, std::to_string(outcome.times.size()),
               postgres_benchmarks::rounded(benchmarks::median(outcome.times)) + " ms",
               postgres_benchmarks::rounded(outcome.worst()) + " ms", in_ms(scenario.median_goal),
               in_ms(scenario.worst_goal),
               !has_goal              ? "-"
               : outcome.is_reached() ? "yes"
                                      : "no"});
  }
  return lines.text();
}

nlohmann::json json(const std::vector<Outcome>& outcomes, Duration lease) {
  auto lines = nlohmann::json::array();
  for (const auto& outcome : outcomes) {
    nlohmann::json line{{"fault", outcome.scenario.what},
                        {"median_ms", benchmarks::median(outcome.times)},
                        {"worst_ms", outcome.worst()},
                        {"rounds_ms", outcome.times}};
    if (outcome.scenario.median_goal)
      line["median_at_most_ms"] = *outcome.scenario.median_goal;
    if (outcome.scenario.worst_goal) {
      line["worst_at_most_ms"] = *outcome.scenario.worst_goal;
      line["reached"] = outcome.is_reached();
    }
    lines.push_back(std::move(line));
  }
  return {{"benchmark", "takeover"},
          {"lease_ms", std::chrono::duration<double, std::milli>{lease}.count()},
          {"rows", std::move(lines)}};
}

} // namespace

} // namespace takeover

int main(int argc, char** argv) {
  takeover::Arguments arguments;
  bool is_quick = false;
  bool as_json = false;
  benchmarks::CommandLine command_line{"takeover", takeover::description, takeover::footer};
  command_line.number("--rounds", arguments.rounds, 1, 100'000,
                      "owners killed, and sessions ended");
  command_line.number("--freezes", arguments.freezes, 1, 100'000, "owners frozen, and cut off");
  command_line.text("--lease", arguments.lease, "TIME", "lease of an owner, 1s..5min; default 1s");
  command_line.flag("--quick", is_quick, "3 rounds, one freeze, a lease of 1s");
  command_line.flag("--json", as_json, "print JSON");
  if (const auto code = command_line.parse(argc, argv))
    return *code;
  if (is_quick)
    arguments = {3, 1, "1s"};
  const auto lease = backoff_actor::parse_duration(arguments.lease);
  if (!lease || *lease < std::chrono::seconds{1} || *lease > std::chrono::minutes{5}) {
    std::cerr << "takeover: --lease: got " << arguments.lease
              << ", allowed 1s..5min\ntakeover --help explains the options.\n";
    return benchmarks::exit_bad_input;
  }
  if (!example::PrivatePostgres::is_installed()) {
    std::cerr << "takeover: PostgreSQL is not installed: apt-get install postgresql\n";
    return benchmarks::exit_failed;
  }
  try {
    const auto outcomes = takeover::measure(arguments, *lease);
    if (as_json)
      std::cout << takeover::json(outcomes, *lease).dump(2) << '\n';
    else
      std::cout << takeover::table(outcomes);
  } catch (const std::exception& error) {
    std::cerr << "takeover: " << error.what() << '\n';
    return benchmarks::exit_failed;
  }
  return benchmarks::exit_done;
}
