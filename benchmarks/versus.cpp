// versus: what supervision costs, beside plain CAF, the article's design, and what is to be
// reached.

#include "common/command_line.hpp"
#include "versus/goals_picture.hpp"
#include "versus/peers.hpp"
#include "versus/report.hpp"
#include "versus/rows.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace versus {

namespace {

constexpr auto description =
  R"(Measures what supervision costs, compared with plain CAF, with the article's design, and with
the limits to keep.

Each figure comes from its own process, with an actor system of one thread unless the line says
otherwise. The program interleaves the rounds. A ratio compares two figures of the same round. The
program prints medians and quartiles. Rates of requests count processor time, so that they mean
something on a machine that is not idle. Latencies and lateness use wall-clock time. Restarts and
figures with two threads use wall-clock time minus the time that other processes took.
docs/explanation/performance.md says what each line means.
)";

constexpr auto footer = R"(
Examples:
  versus                           everything, in about a quarter of an hour
  versus --quick                   smaller runs and fewer rounds: two minutes
  versus --only "window 64" --rounds 11
  perf record -g versus --subject "ours 64" --rounds 5
  versus --json --plot versus.svg > versus.json

Exit codes:
  0    done, even if a limit is not kept
  1    a measurement failed
  2    bad input; nothing was run
)";

constexpr Scale full{.operations = 1'000'000,
                     .latencies = 100'000,
                     .restarts = 100'000,
                     .delayed_restarts = 5'000,
                     .resends = 500,
                     .pairs = 1'000'000,
                     .many = 1'000'000,
                     .children = 100'000,
                     .messages = 20'000,
                     .patience = 4};

constexpr Scale small{.operations = 200'000,
                      .latencies = 20'000,
                      .restarts = 20'000,
                      .delayed_restarts = 1'000,
                      .resends = 60,
                      .pairs = 100'000,
                      .many = 100'000,
                      .children = 10'000,
                      .messages = 2'000,
                      .patience = 2};

// The rows whose names have the text in them.
std::vector<Row> rows_with(std::vector<Row> rows, const std::string& text) {
  std::erase_if(rows, [&](const Row& row) { return row.what.find(text) == std::string::npos; });
  return rows;
}

// Those that the rows are made of.
std::vector<Subject> subjects_for(const std::vector<Row>& rows, std::vector<Subject> subjects) {
  std::set<std::string> wanted;
  for (const auto& row : rows) {
    wanted.insert(row.ours.subjects.begin(), row.ours.subjects.end());
    if (row.beside)
      wanted.insert(row.beside->subjects.begin(), row.beside->subjects.end());
  }
  std::erase_if(subjects, [&](const Subject& subject) { return wanted.erase(subject.name) == 0; });
  if (!wanted.empty())
    throw std::logic_error("nobody measures '" + *wanted.begin() + "'");
  return subjects;
}

int measure_one(const std::string& name, const std::vector<Subject>& subjects,
                std::uint64_t rounds) {
  const auto it = std::find_if(subjects.begin(), subjects.end(),
                               [&](const Subject& subject) { return subject.name == name; });
  if (it == subjects.end()) {
    std::cerr << "versus: --subject: got '" << name << "', allowed one of these:\n";
    for (const auto& subject : subjects)
      std::cerr << "  " << subject.name << '\n';
    return benchmarks::exit_bad_input;
  }
  for (std::uint64_t i = 0; i < rounds; ++i) {
    for (const auto figure : it->measure())
      std::cout << figure << ' ';
    std::cout << std::endl;
  }
  return benchmarks::exit_done;
}

std::vector<Round> measure(const std::vector<Subject>& subjects, std::uint64_t rounds) {
  std::vector<Round> result(rounds);
  for (std::uint64_t i = 0; i < rounds; ++i)
    for (const auto& subject : subjects)
      if (i < subject.most_rounds) {
        std::cerr << "versus: round " << i + 1 << " of " << rounds << ", " << subject.name << '\n';
        result[i][subject.name] = subject.measure();
      }
  return result;
}

} // namespace

} // namespace versus

int main(int argc, char** argv) {
  using namespace versus;
  std::uint64_t rounds = 0;
  bool is_quick = false;
  bool as_json = false;
  bool has_peers = false;
  std::string only;
  std::string one;
  std::string picture;
  benchmarks::CommandLine command_line{"versus", description, footer};
  command_line.number("--rounds", rounds, 0, 1001,
                      "number of rounds; 0 means 5, or 3 with --quick");
  command_line.flag("--quick", is_quick, "do fewer and smaller runs");
  command_line.text("--only", only, "TEXT", "only the lines whose name contains TEXT");
  command_line.flag("--peers", has_peers,
                    "also compare with Erlang and Go; ./dev bench --peers installs them");
  command_line.text("--subject", one, "NAME",
                    "measure only NAME and print its raw figures, for a profiler");
  command_line.flag("--json", as_json, "print JSON with all measured figures");
  command_line.text("--plot", picture, "FILE",
                    "also draw how far the limits are kept: an SVG, with gnuplot");
  if (const auto code = command_line.parse(argc, argv))
    return *code;
  const auto& scale = is_quick ? small : full;
  auto rows = all_rows(scale);
  if (has_peers)
    add_peer_rows(rows);
  rows = rows_with(std::move(rows), only);
  if (rows.empty()) {
    std::cerr << "versus: --only: got '" << only << "', allowed what is in the name of a line\n";
    return benchmarks::exit_bad_input;
  }
  try {
    const auto programs = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
    auto subjects = all_subjects(scale, programs);
    if (has_peers)
      add_peers(subjects, scale, programs + "/peers");
    if (rounds == 0)
      rounds = is_quick ? 3 : 5;
    if (!one.empty())
      return measure_one(one, subjects, rounds);
    const auto measured = measure(subjects_for(rows, std::move(subjects)), rounds);
    const auto results = results_of(rows, measured);
    if (as_json)
      std::cout << json(results, measured).dump(2) << '\n';
    else
      std::cout << table(results);
    if (!picture.empty())
      plot(results, picture);
    return benchmarks::exit_done;
  } catch (const std::exception& exception) {
    std::cerr << "versus: " << exception.what() << '\n';
    return benchmarks::exit_failed;
  }
}
