// worker_pool: how long messages wait for a pool's workers, and what its engine takes.

#include "common/command_line.hpp"
#include "common/table.hpp"
#include "worker_pool/costs.hpp"
#include "worker_pool/queue.hpp"
#include "worker_pool/real_time.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace worker_pool {

namespace {

constexpr auto description =
  R"(Measures a sender with a pool of workers.

1. How long messages are in the system if they come at random times to eight workers: with the
   engine of a pool, in virtual time, and with a random router, which gives each message at once to
   any worker. All times are in means of the service. The limits are the times that a simulation of
   the plan took with the same messages (mean and 99th percentile, 5 %).
2. The same in real time with actors, whose service takes 4 ms on average. The limit is 20 %.
3. What the engine takes in instructions with 8, 64 and 1000 workers. The limit is 1.2 times the
   fewest.
)";

constexpr auto footer = R"(
Examples:
  worker_pool
  worker_pool --messages 30000 --real-messages 0    in virtual time only, and less exact
  worker_pool --messages 1000 --real-messages 0 --counted 3    the least work

Exit codes:
  0    all figures are within their limits
  1    one is not, or this system lets no process trace another
  2    bad input; nothing was run
)";

constexpr double times_limit = 0.05;
constexpr double real_limit = 0.2;
constexpr double cost_limit = 1.2;
constexpr std::chrono::microseconds service{4000};

struct Row {
  Service service;
  double share;
  double mean; // as planned
  double p99;
};

constexpr std::uint64_t planned_messages = 300'000;

// A simulation of its own, without the engine, gave these with the same arrivals, service times and
// seed, and with `planned_messages`.
constexpr Row planned[] = {
  {Service::exponential, 0.7, 1.11, 4.80},
  {Service::exponential, 0.9, 1.78, 6.57},
  {Service::one_in_a_hundred_takes_long, 0.7, 1.87, 43.05},
  {Service::one_in_a_hundred_takes_long, 0.9, 10.59, 65.94},
  {Service::log_normal, 0.7, 1.25, 10.89},
  {Service::log_normal, 0.9, 3.82, 24.71},
};

bool is_near(double value, double wanted, double limit) {
  return std::abs(value / wanted - 1) <= limit;
}

struct Report {
  benchmarks::Table times{{"", "load", "mean", "planned", "p99", "planned", "idle, %"}};
  benchmarks::Table costs{{"workers", "one free", "backlog", "a crash"}};
  nlohmann::json json;
  bool is_good = true;
};

void report_times(const std::string& what, double share, const Times& times, double mean,
                  double p99, double limit, Report& report) {
  const auto good =
    limit == 0 || (is_near(times.mean, mean, limit) && is_near(times.p99, p99, limit));
  report.is_good = report.is_good && good;
  const auto shown = [&](double value) {
    return limit == 0 ? std::string{} : benchmarks::with_decimals(value, 2);
  };
  report.times.add({what + (good ? "" : " (beyond its limit)"), benchmarks::with_decimals(share, 1),
                    benchmarks::with_decimals(times.mean, 2), shown(mean),
                    benchmarks::with_decimals(times.p99, 2), shown(p99),
                    benchmarks::with_decimals(100 * times.idle_share, 1)});
  report.json["times"].push_back({{"what", what},
                                  {"load", share},
                                  {"mean", times.mean},
                                  {"p50", times.p50},
                                  {"p99", times.p99},
                                  {"idle_share", times.idle_share}});
}

void measure_times(std::uint64_t messages, Report& report) {
  for (const auto& row : planned) {
    const auto name = std::string{to_string(row.service)};
    Load load{row.service, Router::queue, row.share, messages, 7};
    auto [mean, p99] = std::pair{row.mean, row.p99};
    if (messages != planned_messages) {
      const auto plan = run_in_virtual_time(load);
      std::tie(mean, p99) = std::pair{plan.mean, plan.p99};
    }
    load.router = Router::pool;
    report_times(name, row.share, run_in_virtual_time(load), mean, p99, times_limit, report);
    load.router = Router::random;
    report_times(name + ", random router", row.share, run_in_virtual_time(load), 0, 0, 0, report);
  }
}

void measure_real_time(std::uint64_t messages, Report& report) {
  if (messages == 0)
    return;
  const auto& row = planned[0];
  const Load load{row.service, Router::pool, row.share, messages, 7};
  report_times("exponential, real time", row.share, run_in_real_time(load, service), row.mean,
               row.p99, real_limit, report);
}

void measure_costs(std::uint64_t counted, Report& report) {
  std::vector<Costs> all;
  for (const auto workers : {8U, 64U, 1000U}) {
    const auto costs = all.emplace_back(costs_of(workers, counted));
    report.costs.add({std::to_string(workers), benchmarks::with_decimals(costs.free, 0),
                      benchmarks::with_decimals(costs.backlog, 0),
                      benchmarks::with_decimals(costs.crash, 0)});
    report.json["instructions"].push_back({{"workers", workers},
                                           {"one_free", costs.free},
                                           {"backlog", costs.backlog},
                                           {"crash", costs.crash}});
  }
  for (const auto part : {&Costs::free, &Costs::backlog, &Costs::crash}) {
    const auto [least, most] = std::minmax_element(
      all.begin(), all.end(), [=](const Costs& a, const Costs& b) { return a.*part < b.*part; });
    report.is_good = report.is_good && (*most).*part <= cost_limit * (*least).*part;
  }
}

int run(std::uint64_t messages, std::uint64_t real_messages, std::uint64_t counted, bool as_json) {
  Report report;
  measure_times(messages, report);
  measure_real_time(real_messages, report);
  measure_costs(counted, report);
  if (as_json)
    std::cout << report.json.dump(2) << '\n';
  else
    std::cout << report.times.text() << "\ninstructions\n" << report.costs.text();
  return report.is_good ? benchmarks::exit_done : benchmarks::exit_failed;
}

} // namespace

} // namespace worker_pool

int main(int argc, char** argv) {
  using namespace worker_pool;
  std::uint64_t messages = planned_messages;
  std::uint64_t real_messages = 10'000;
  std::uint64_t counted = 200;
  bool as_json = false;
  benchmarks::CommandLine command_line{"worker_pool", description, footer};
  command_line.number("--messages", messages, 1000, 10'000'000,
                      "messages of each row in virtual time");
  command_line.number("--real-messages", real_messages, 0, 1'000'000,
                      "messages in real time; 0 leaves it out");
  command_line.number("--counted", counted, 1, 10'000,
                      "submissions whose instructions are counted");
  command_line.flag("--json", as_json, "print JSON");
  if (const auto code = command_line.parse(argc, argv))
    return *code;
  try {
    return run(messages, real_messages, counted, as_json);
  } catch (const std::exception& exception) {
    std::cerr << "worker_pool: " << exception.what() << '\n';
    return benchmarks::exit_failed;
  }
}
