// watchers: what those who watch the live page cost the senders that they see.

#include "common/command_line.hpp"
#include "common/table.hpp"
#include "watchers/audience.hpp"
#include "watchers/processor_time.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/web/web_server.hpp>

#include <caf/config.hpp>
#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace watchers {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto description =
  R"(Measures what the watchers of the live page cost the senders that they see.

All senders have one name, and an echo as their child. A client keeps 64 messages open, and gives
each next one to the next sender, so that all of them change between two looks. A WebServer of the
same process serves the page. The watchers are in another process, so their own work counts for
nobody. Each round has three parts, in turn from the first to the last and back: nobody watches;
some watch; one more watches, but takes nothing. The program prints the medians of the ratios to the
part of the same round in which nobody watches, with the quartiles.

"Answers per processor second, all" counts the time of all threads of the program, those of the
server included. It says what the watchers cost if no processor is free, whatever else the machine
does. The sending over 127.0.0.1 is part of it.
)";

constexpr auto footer = R"(
Examples:
  watchers                                 10,000 senders, 8 watchers
  watchers --senders 100000 --watchers 31

Exit codes:
  0    done
  1    a measurement failed
  2    bad input; nothing was run
)";

caf::behavior echo(caf::event_based_actor*) {
  return {[](std::uint64_t number) { return number; }};
}

/// Keeps some messages open, gives each to the next of its senders, and counts the answers.
class Client : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, std::vector<caf::actor> senders,
         std::atomic<std::uint64_t>& answers)
    : caf::event_based_actor(config), senders_(std::move(senders)), answers_(answers) {}

  caf::behavior make_behavior() override {
    for (int i = 0; i != window; ++i)
      send_next();
    return {[this](std::uint64_t) {
      answers_.fetch_add(1, std::memory_order_relaxed);
      send_next();
    }};
  }

private:
  static constexpr int window = 64;

  void send_next() {
    send(senders_[next_ % senders_.size()], next_);
    ++next_;
  }

  std::vector<caf::actor> senders_;
  std::atomic<std::uint64_t>& answers_;
  std::uint64_t next_ = 0;
};

struct Question {
  std::uint64_t senders = 10'000;
  std::uint64_t watchers = 8;
  std::uint64_t threads = 1;
  std::uint64_t rounds = 31;
  std::uint64_t span = 1000; // milliseconds
};

/// One part of a round.
struct Part {
  double answers = 0;            ///< a second
  double answers_by_senders = 0; ///< for each second of a processor of all threads but the server's
  double answers_by_all = 0;     ///< for each second of a processor of all threads
  double server = 0;             ///< share of a processor
  double frames = 0;             ///< a second, of the watcher who saw the fewest
  double bytes = 0;              ///< a second, of all watchers
  double longest_pause = 0;      ///< seconds between two frames
};

class Measurement {
public:
  Measurement(const Question& question, Audience& audience, std::uint16_t port,
              std::set<std::string> server, const std::atomic<std::uint64_t>& answers)
    : question_(question), audience_(audience), port_(port), server_(std::move(server)),
      answers_(answers) {}

  Part part(std::uint64_t reading, std::uint64_t stopped) {
    if (reading + stopped != 0)
      audience_.come(port_, static_cast<std::uint32_t>(reading),
                     static_cast<std::uint32_t>(stopped));
    const auto answers_before = answers_.load();
    const auto all_before = time_of_all();
    const auto server_before = time_of(server_);
    const auto begin = Clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds{question_.span});
    const auto seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const auto of_server = time_of(server_) - server_before;
    const auto of_all = time_of_all() - all_before;
    const auto answers = static_cast<double>(answers_.load() - answers_before);
    Part result{.answers = answers / seconds,
                .answers_by_senders = answers / (of_all - of_server),
                .answers_by_all = answers / of_all,
                .server = of_server / seconds};
    if (reading + stopped != 0) {
      const auto seen = audience_.leave();
      result.frames = static_cast<double>(seen.fewest_frames) / seconds;
      result.bytes = static_cast<double>(seen.bytes) / seconds;
      result.longest_pause = seen.longest_pause;
    }
    return result;
  }

private:
  const Question& question_;
  Audience& audience_;
  const std::uint16_t port_;
  const std::set<std::string> server_;
  const std::atomic<std::uint64_t>& answers_;
};

/// What a round has come to.
struct Round {
  Part alone, watched, with_stopped;
};

std::vector<Round> measure(const Question& question, Audience& audience) {
  caf::actor_system_config config;
  backoff_actor::init(config);
#ifdef CAF_VERSION_MAJOR // 1.x
  config.set("caf.scheduler.max-threads", static_cast<std::int64_t>(question.threads));
#else
  config.set("scheduler.max-threads", static_cast<std::int64_t>(question.threads));
#endif
  caf::actor_system system{config};
  const backoff_actor::Observatory observatory;
  backoff_actor::SenderOptions options;
  options.name = "echo";
  options.observed_by = observatory;
  const backoff_actor::SenderBlueprint blueprint{backoff_actor::child_of(echo), options};
  std::vector<caf::actor> all;
  for (std::uint64_t i = 0; i < question.senders; ++i)
    all.push_back(blueprint.spawn(system));
  const auto before = threads_now();
  const backoff_actor::WebServer server{observatory, {.port = 0}};
  const auto after = threads_now();
  std::set<std::string> of_server;
  std::ranges::set_difference(after, before, std::inserter(of_server, of_server.end()));
  std::atomic<std::uint64_t> answers{0};
  const auto client = system.spawn<Client>(std::move(all), answers);
  Measurement measurement{question, audience, server.port(), of_server, answers};
  measurement.part(question.watchers, 1); // to warm up
  std::vector<Round> result;
  for (std::uint64_t i = 0; i != question.rounds; ++i) {
    Round round;
    std::vector<std::pair<Part*, std::uint64_t>> parts{
      {&round.alone, 0}, {&round.watched, 0}, {&round.with_stopped, 1}};
    if (i % 2 == 1)
      std::ranges::reverse(parts);
    for (const auto& [part, stopped] : parts)
      *part = measurement.part(part == &round.alone ? 0 : question.watchers, stopped);
    result.push_back(round);
  }
  caf::anon_send_exit(client, caf::exit_reason::user_shutdown);
  return result;
}

using Value = double Part::*;

std::vector<double> values(const std::vector<Round>& rounds, Part Round::*part, Value value) {
  std::vector<double> result;
  for (const auto& round : rounds)
    result.push_back(round.*part.*value);
  return result;
}

// The median, and the quartiles.
std::string ratios(const std::vector<Round>& rounds, Part Round::*part, Value value) {
  std::vector<double> all;
  for (const auto& round : rounds)
    all.push_back(round.*part.*value / round.alone.*value);
  std::ranges::sort(all);
  const auto at = [&](std::size_t quarter) {
    return benchmarks::with_decimals(all[(all.size() - 1) * quarter / 4], 3);
  };
  return benchmarks::with_decimals(benchmarks::median(all), 3) + " (" + at(1) + " .. " + at(3)
         + ")";
}

void print(const Question& question, const std::vector<Round>& rounds) {
  const auto watched = std::to_string(question.watchers) + " watch";
  benchmarks::Table table{{"", "nobody watches", watched, watched + ", one stopped"}};
  const auto row = [&](const std::string& title, Value value, double factor, int decimals) {
    std::vector<std::string> cells{title};
    for (const auto part : {&Round::alone, &Round::watched, &Round::with_stopped})
      cells.push_back(benchmarks::with_decimals(
        benchmarks::median(values(rounds, part, value)) * factor, decimals));
    table.add(std::move(cells));
  };
  const auto ratio_row = [&](const std::string& title, Value value) {
    table.add({title, "1", ratios(rounds, &Round::watched, value),
               ratios(rounds, &Round::with_stopped, value)});
  };
  row("million answers per processor second, all", &Part::answers_by_all, 1e-6, 3);
  ratio_row("  ratio", &Part::answers_by_all);
  row("million answers per processor second, senders", &Part::answers_by_senders, 1e-6, 3);
  ratio_row("  ratio", &Part::answers_by_senders);
  row("million answers per second", &Part::answers, 1e-6, 3);
  ratio_row("  ratio", &Part::answers);
  row("time of the server, % of a processor", &Part::server, 100, 2);
  row("frames per second, fewest of any", &Part::frames, 1, 2);
  row("MB per second, all watchers", &Part::bytes, 1e-6, 2);
  std::vector<std::string> longest{"longest pause between two frames, s", ""};
  for (const auto part : {&Round::watched, &Round::with_stopped})
    longest.push_back(
      benchmarks::with_decimals(std::ranges::max(values(rounds, part, &Part::longest_pause)), 2));
  table.add(std::move(longest));
  std::cout << table.text();
}

} // namespace

} // namespace watchers

int main(int argc, char** argv) {
  watchers::Question question;
  benchmarks::CommandLine line{"watchers", watchers::description, watchers::footer};
  line.number("--senders", question.senders, 1, 1'000'000, "number of senders");
  line.number("--watchers", question.watchers, 1, 31, "number of watchers that read");
  line.number("--threads", question.threads, 1, 64, "number of threads for the senders");
  line.number("--rounds", question.rounds, 1, 1000, "number of rounds");
  line.number("--span", question.span, 100, 20'000, "length of each part of a round, in ms");
  if (const auto code = line.parse(argc, argv))
    return *code;
  try {
    watchers::Audience audience;
    const auto rounds = watchers::measure(question, audience);
    if (rounds.front().alone.answers == 0) {
      std::cerr << "watchers: the senders do not work\n";
      return benchmarks::exit_failed;
    }
    watchers::print(question, rounds);
    return benchmarks::exit_done;
  } catch (const std::exception& exception) {
    std::cerr << "watchers: " << exception.what() << '\n';
    return benchmarks::exit_failed;
  }
}
