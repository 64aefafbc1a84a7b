// versus: what supervision costs, beside plain CAF, the article's design, and what is to be
// reached.

#include "common/program.hpp"
#include "versus/lines.hpp"

#include <algorithm>
#include <sstream>

namespace versus {

namespace {

const Words words{
  "versus",
  R"(Measures what supervision costs, compared with plain CAF, with the article's design, and with
the limits to keep.

Each figure comes from its own process, with an actor system of one thread unless the line says
otherwise. The program interleaves the rounds. A ratio compares two figures of the same round. The
program prints medians and quartiles. Rates of requests count processor time, so that they mean
something on a machine that is not idle. Latencies and lateness use wall-clock time. Restarts and
figures with two threads use wall-clock time minus the time that other processes took.
docs/explanation/performance.md says what each line means.
)",
  R"(  versus                           everything, in about a quarter of an hour
  versus --quick                   smaller runs and fewer rounds: two minutes
  versus --only "window 64" --rounds 11
  perf record -g versus --subject "ours 64" --rounds 5
  versus --json --plot versus.svg > versus.json
)",
  "a measurement failed"};

struct Question {
  std::uint64_t rounds = 0;
  bool is_quick = false;
  bool has_peers = false;
  std::string only;
  std::string subject;
  std::string picture;
};

Report measure_one(const std::string& name, const std::vector<Subject>& subjects,
                   std::uint64_t rounds) {
  const auto it = std::ranges::find(subjects, name, &Subject::name);
  if (it == subjects.end()) {
    auto text = "--subject: got '" + name + "', allowed one of these:";
    for (const auto& subject : subjects)
      text += "\n  " + subject.name;
    throw BadInput(text);
  }
  std::ostringstream out;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    for (const auto figure : it->measure())
      out << figure << ' ';
    out << '\n';
  }
  return {out.str()};
}

Report measure(const Question& question) {
  auto plan = everything({question.is_quick}, folder_of_programs(), question.has_peers);
  const std::uint64_t usual_rounds = question.is_quick ? 3 : 5;
  const auto rounds = question.rounds == 0 ? usual_rounds : question.rounds;
  if (!question.subject.empty())
    return measure_one(question.subject, plan.subjects, rounds);
  plan.keep(question.only);
  if (plan.lines.empty())
    throw BadInput("--only: got '" + question.only + "', allowed what is in the name of a line");
  const auto results = plan.results(in_turn(rounds, plan.subjects));
  if (!question.picture.empty())
    plot(results, question.picture);
  auto report = compared(results);
  report.json["caf"] = VERSUS_CAF_VERSION;
  return report;
}

} // namespace

} // namespace versus

int main(int argc, char** argv) {
  versus::Question question;
  benchmarks::Program program{versus::words};
  program.number("--rounds", question.rounds, 0, 1001,
                 "number of rounds; 0 means 5, or 3 with --quick");
  program.flag("--quick", question.is_quick, "do fewer and smaller runs");
  program.text("--only", question.only, "TEXT", "only the lines whose name contains TEXT");
  program.flag("--peers", question.has_peers,
               "also compare with Erlang and Go; ./dev bench --peers installs them");
  program.text("--subject", question.subject, "NAME",
               "measure only NAME and print its raw figures, for a profiler");
  program.text("--plot", question.picture, "FILE",
               "also draw how far the limits are kept: an SVG, with gnuplot");
  return program.run(argc, argv, [&] { return versus::measure(question); });
}
