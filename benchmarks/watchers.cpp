// watchers: what those who watch the live page cost the senders that they see.

#include "common/actors.hpp"
#include "common/program.hpp"

#include <backoff_actor/web/web_server.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <set>
#include <thread>

namespace watchers {

namespace {

using namespace benchmarks;

const Words words{"watchers",
                  R"(Measures what the watchers of the live page cost the senders that they see.

All senders have one name, and an echo as their child. A client keeps 64 messages open, and gives
each next one to another sender, so that all of them change between two looks. A WebServer of the
same process serves the page. The watchers are in another process, so their own work counts for
nobody. Each round has three parts, in turn from the first to the last and back: nobody watches;
some watch; one more watches, but takes nothing. What is beside is the part of the same round in
which nobody watches.

"Answers per processor second, all" counts the time of all threads of the program, those of the
server included. It says what the watchers cost if no processor is free, whatever else the machine
does. The sending over 127.0.0.1 is part of it.
)",
                  "  watchers                                 10,000 senders, 8 watchers\n"
                  "  watchers --senders 100000 --watchers 31\n"};

constexpr std::uint64_t window = 64;

struct Question {
  std::uint64_t senders = 10'000;
  std::uint64_t watchers = 8;
  std::uint64_t rounds = 31;
  std::uint64_t span = 1000; // milliseconds
};

/// One part of a round.
struct Part {
  double by_all = 0;        ///< million answers for each second of a processor of all threads
  double by_senders = 0;    ///< the same of all threads but the server's
  double answers = 0;       ///< millions a second
  double server = 0;        ///< % of a processor
  double frames = 0;        ///< a second, of the watcher who saw the fewest
  double megabytes = 0;     ///< a second, of all watchers
  double longest_pause = 0; ///< seconds between two frames
};

struct CloseAudience {
  void operator()(FILE* audience) const { pclose(audience); }
};

class Measurement {
public:
  explicit Measurement(const Question& question)
    : question_(question), senders_(observatory_, question.senders, window, 1),
      others_(threads_now()), server_(observatory_, {.port = 0}) {
    std::ranges::set_difference(threads_now(), others_,
                                std::inserter(of_server_, of_server_.end()));
    part(question.watchers, 1); // to warm up
  }

  Part part(std::uint64_t reading, std::uint64_t stopped) {
    std::unique_ptr<FILE, CloseAudience> audience;
    if (reading + stopped != 0) {
      auto command = "exec '" + folder_of_programs() + "/watchers_audience'";
      for (const auto number : {std::uint64_t{server_.port()}, reading, stopped, question_.span})
        command += ' ' + std::to_string(number);
      audience.reset(popen(command.c_str(), "r"));
      if (!audience || std::fscanf(audience.get(), "ready") == EOF)
        throw std::runtime_error("the watchers have failed");
    }
    const auto answers_before = senders_.answers();
    const auto all_before = cpu_now();
    const auto server_before = cpu_of(of_server_);
    const auto seconds =
      seconds_of([&] { std::this_thread::sleep_for(std::chrono::milliseconds{question_.span}); });
    const auto of_server = cpu_of(of_server_) - server_before;
    const auto of_all = cpu_now() - all_before;
    const auto answers = static_cast<double>(senders_.answers() - answers_before) / 1e6;
    if (answers == 0)
      throw std::runtime_error("the senders do not work");
    Part result{answers / of_all, answers / (of_all - of_server), answers / seconds,
                100 * of_server / seconds};
    if (audience) {
      double bytes = 0;
      if (std::fscanf(audience.get(), "%lf %lf %lf", &result.frames, &bytes, &result.longest_pause)
          != 3)
        throw std::runtime_error("the watchers have failed");
      result.frames /= seconds;
      result.megabytes = bytes / seconds / 1e6;
    }
    return result;
  }

private:
  const Question& question_;
  backoff_actor::Observatory observatory_;
  ManySenders senders_;
  std::set<std::string> others_;
  backoff_actor::WebServer server_;
  std::set<std::string> of_server_;
};

/// A figure of the parts.
struct Figure {
  const char* what;
  const char* unit;
  double Part::*value;
  bool is_compared = false; ///< to the part in which nobody watches
  std::optional<Goal> goal{};
};

constexpr Figure all_figures[] = {
  {"answers per processor second, all", "M/s", &Part::by_all, true, at_least(0.98)},
  {"answers per processor second, senders", "M/s", &Part::by_senders, true},
  {"answers per second", "M/s", &Part::answers, true},
  {"time of the server, of a processor", "%", &Part::server, true},
  {"frames per second, fewest of any", "", &Part::frames},
  {"all watchers", "MB/s", &Part::megabytes},
  {"longest pause between two frames", "s", &Part::longest_pause},
};

Report measure(const Question& question) {
  Measurement measurement{question};
  const auto watch = std::to_string(question.watchers) + " watch";
  std::vector<Row> rows;
  for (const auto& who : {watch, watch + ", one stopped"})
    for (const auto& figure : all_figures)
      rows.push_back(
        {std::string{figure.what} + ": " + who + (figure.is_compared ? " / nobody" : ""),
         figure.unit, figure.goal});
  for (std::uint64_t i = 0; i != question.rounds; ++i) {
    enum : std::size_t { nobody, some, with_stopped };
    std::array<Part, 3> parts;
    for (std::size_t j = 0; j < parts.size(); ++j) {
      const auto which = i % 2 == 0 ? j : 2 - j;
      parts.at(which) =
        measurement.part(which == nobody ? 0 : question.watchers, which == with_stopped ? 1 : 0);
    }
    auto row = rows.begin();
    for (const auto which : {some, with_stopped})
      for (const auto& figure : all_figures) {
        row->ours.push_back(parts.at(which).*figure.value);
        if (figure.is_compared)
          row->beside.push_back(parts[nobody].*figure.value);
        ++row;
      }
  }
  for (auto& row : rows) // the longest of all rounds
    if (row.unit == "s")
      row.ours = {std::ranges::max(row.ours)};
  return compared(rows);
}

} // namespace

} // namespace watchers

int main(int argc, char** argv) {
  watchers::Question question;
  benchmarks::Program program{watchers::words};
  program.number("--senders", question.senders, 1, 1'000'000, "number of senders");
  program.number("--watchers", question.watchers, 1, 31, "number of watchers that read");
  program.number("--rounds", question.rounds, 1, 1001, "number of rounds");
  program.number("--span", question.span, 100, 20'000, "length of each part of a round, in ms");
  return program.run(argc, argv, [&] { return watchers::measure(question); });
}
