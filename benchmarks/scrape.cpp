// scrape: what it takes to read the metrics of many senders while they work.

#include "common/command_line.hpp"
#include "common/table.hpp"

#include <backoff_actor/backoff_actor.hpp>

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace scrape {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto description =
  R"(Measures how long it takes to read the metrics of many senders, and what that costs them.

All senders have one name, and an echo as their child. A client keeps one message in each of them.
The program counts answers for a while in which nobody reads the metrics, and then for a while in
which a thread reads them once in 100 ms, as text. It does so in turn, and prints the medians. A
scrape is timed on the wall.
)";

constexpr auto footer = R"(
Examples:
  scrape                      10,000 senders
  scrape --senders 100000

Exit codes:
  0    done
  1    a measurement failed
  2    bad input; nothing was run
)";

constexpr auto between_scrapes = 100ms;

caf::behavior echo(caf::event_based_actor*) {
  return {[](std::uint64_t number) { return number; }};
}

/// Keeps one message in each of its senders, and counts the answers.
class Client : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, std::vector<caf::actor> senders,
         std::atomic<std::uint64_t>& answers)
    : caf::event_based_actor(config), senders_(std::move(senders)), answers_(answers) {}

  caf::behavior make_behavior() override {
    for (std::uint64_t i = 0; i < senders_.size(); ++i)
      send(senders_[i], i);
    return {[this](std::uint64_t number) {
      answers_.fetch_add(1, std::memory_order_relaxed);
      send(senders_[number], number);
    }};
  }

private:
  std::vector<caf::actor> senders_;
  std::atomic<std::uint64_t>& answers_;
};

struct Scrapes {
  std::vector<double> milliseconds;
  std::size_t bytes = 0; // of the last page
};

// Reads the metrics again and again until told to stop.
void read(const backoff_actor::Observatory& observatory, const std::atomic<bool>& is_over,
          Scrapes& scrapes) {
  while (!is_over) {
    const auto begin = Clock::now();
    scrapes.bytes = to_exposition(observatory.metrics()).size();
    scrapes.milliseconds.push_back(
      std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    std::this_thread::sleep_for(between_scrapes);
  }
}

// Answers per second.
double rate(const std::atomic<std::uint64_t>& answers, std::chrono::milliseconds span) {
  const auto before = answers.load();
  const auto begin = Clock::now();
  std::this_thread::sleep_for(span);
  const auto seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return static_cast<double>(answers.load() - before) / seconds;
}

int measure(std::uint64_t senders, std::uint64_t rounds, std::uint64_t milliseconds) {
  const std::chrono::milliseconds span{milliseconds};
  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};
  const backoff_actor::Observatory observatory;
  backoff_actor::SenderOptions options;
  options.name = "echo";
  options.observed_by = observatory;
  const backoff_actor::SenderBlueprint blueprint{backoff_actor::child_of(echo), options};
  std::vector<caf::actor> all;
  for (std::uint64_t i = 0; i < senders; ++i)
    all.push_back(blueprint.spawn(system));
  std::atomic<std::uint64_t> answers{0};
  const auto client = system.spawn<Client>(all, answers);
  rate(answers, span); // to warm up

  Scrapes scrapes;
  std::vector<double> alone;
  std::vector<double> read_too;
  std::vector<double> ratios;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    alone.push_back(rate(answers, span));
    std::atomic<bool> is_over{false};
    std::thread reader{[&] { read(observatory, is_over, scrapes); }};
    read_too.push_back(rate(answers, span));
    is_over = true;
    reader.join();
    ratios.push_back(read_too.back() / alone.back());
  }
  caf::anon_send_exit(client, caf::exit_reason::user_shutdown);
  all.clear();
  if (scrapes.milliseconds.empty() || benchmarks::median(alone) == 0) {
    std::cerr << "scrape: the senders do not work\n";
    return benchmarks::exit_failed;
  }
  benchmarks::Table table{{"", "median", "longest"}};
  table.add({"a scrape, ms", benchmarks::with_decimals(benchmarks::median(scrapes.milliseconds), 2),
             benchmarks::with_decimals(
               *std::max_element(scrapes.milliseconds.begin(), scrapes.milliseconds.end()), 2)});
  table.add({"a page, bytes", benchmarks::grouped(static_cast<std::int64_t>(scrapes.bytes)), ""});
  table.add({"answers per second, nobody reads",
             benchmarks::grouped(static_cast<std::int64_t>(benchmarks::median(alone))), ""});
  table.add({"answers per second, read / not",
             benchmarks::with_decimals(benchmarks::median(ratios), 3), ""});
  std::cout << table.text();
  return benchmarks::exit_done;
}

} // namespace

} // namespace scrape

int main(int argc, char** argv) {
  std::uint64_t senders = 10'000;
  std::uint64_t rounds = 7;
  std::uint64_t span = 1000;
  benchmarks::CommandLine line{"scrape", scrape::description, scrape::footer};
  line.number("--senders", senders, 1, 1'000'000, "number of senders");
  line.number("--rounds", rounds, 1, 1000, "number of rounds");
  line.number("--span", span, 10, 60'000, "length of each half of a round, in ms");
  if (const auto code = line.parse(argc, argv))
    return *code;
  try {
    return scrape::measure(senders, rounds, span);
  } catch (const std::exception& exception) {
    std::cerr << "scrape: " << exception.what() << '\n';
    return benchmarks::exit_failed;
  }
}
