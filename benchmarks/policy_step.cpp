// policy_step: what one step of each policy costs.

#include "common/allocations.hpp"
#include "common/command_line.hpp"
#include "common/table.hpp"

#include <backoff_actor/backoff/parse_policy.hpp>
#include <backoff_actor/core/unit_random.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace policy_step {

namespace {

using backoff_actor::Draws;
using backoff_actor::Policy;
using backoff_actor::Progress;

constexpr auto description =
  R"(Measures the cost of one step of each policy.

A step takes the progress of a series and a random number, and returns a delay and the next
progress. The program measures one series, in which each step waits for the previous step, and a
thousand series, stepped in turn. The cost includes the draw of the random number; the first row
shows the draw alone. The last row is the article's formula as it is usually written: std::mt19937,
uniform_int_distribution and std::pow. The program interleaves the rounds and prints the medians.
)";

constexpr auto footer = R"(
Examples:
  policy_step
  policy_step --steps 10000000 --rounds 21

Exit codes:
  0    done
  1    a step allocated memory
  2    bad input; nothing was run
)";

constexpr std::uint64_t series_count = 1000;

/// What is measured; `run` makes so many steps and returns a sum that depends on all of them.
struct Case {
  std::string name;
  std::uint64_t bytes; // of progress
  std::int64_t (*one_series)(const Case&, std::uint64_t steps);
  std::int64_t (*many_series)(const Case&, std::uint64_t steps);
  Policy policy{};
  std::vector<double> one_ns{};
  std::vector<double> many_ns{};
  std::uint64_t allocated = 0;
};

std::int64_t draw(const Case&, std::uint64_t steps) {
  const Draws draws{7, 3};
  double sum = 0;
  for (std::uint64_t i = 0; i < steps; ++i)
    sum += draws(i);
  return static_cast<std::int64_t>(sum);
}

std::int64_t step_one(const Case& measured, std::uint64_t steps) {
  const Draws draws{7, 3};
  auto progress = measured.policy.start();
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const auto step = measured.policy.next(progress, draws(progress.draws));
    progress = step.progress;
    sum += static_cast<std::uint64_t>(step.delay.count());
  }
  return static_cast<std::int64_t>(sum);
}

std::int64_t step_many(const Case& measured, std::uint64_t steps) {
  static std::vector<Progress> series(series_count);
  const Draws draws{7, 3};
  std::fill(series.begin(), series.end(), measured.policy.start());
  for (std::uint64_t i = 0; i < series_count; ++i)
    series[i].draws = static_cast<std::uint32_t>(i * 7919);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < steps / series_count; ++i)
    for (auto& progress : series) {
      const auto step = measured.policy.next(progress, draws(progress.draws));
      progress = step.progress;
      sum += static_cast<std::uint64_t>(step.delay.count());
    }
  return static_cast<std::int64_t>(sum);
}

std::int64_t step_usual(const Case&, std::uint64_t steps) {
  std::mt19937 generator{7};
  auto slot = 1;
  std::int64_t sum = 0;
  for (std::uint64_t i = 0; i < steps; ++i) {
    std::uniform_int_distribution<int> exponent{0, slot};
    sum += 10'000'000 * static_cast<std::int64_t>(std::pow(2.0, exponent(generator)) - 1);
    slot = slot >= 10 ? 1 : slot + 1;
  }
  return sum;
}

std::vector<Case> cases() {
  std::vector<Case> result{{"the draw alone", 0, draw, draw}};
  for (const auto* text :
       {"fixed(100ms)", "linear(1s, +1s, cap 10s)", "exponential(100ms, x2, cap 30s)",
        "exponential(100ms, x2, cap 30s) | full_jitter",
        "exponential(100ms, x2, cap 30s) | equal_jitter",
        "exponential(100ms, x2, cap 30s) | proportional_jitter(20%)",
        "exponential(100ms, x2, cap 30s) | additive_jitter(1s)",
        "exponential(100ms, x2, cap 30s) | gaussian_jitter(10%)",
        "decorrelated(100ms, x3, cap 20s)", "random_slots(10ms, ceiling 10)",
        "random_slots(10ms, ceiling 10, stay)", "ethernet(51.2us, ceiling 10)",
        "memorystore(max 64s)", "seed002(100ms, x2, cap 15min, jitter 10%)"})
    result.push_back(
      {text, sizeof(Progress), step_one, step_many, backoff_actor::parse_policy(text)});
  result.push_back(
    {"mt19937, uniform_int, pow", sizeof(std::mt19937) + sizeof(int), step_usual, step_usual});
  return result;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// What the sums go to, so that no compiler leaves the steps out.
volatile std::int64_t sink = 0;

double ns_per_step(Case& measured, std::int64_t (*run)(const Case&, std::uint64_t),
                   std::uint64_t steps) {
  const auto before = benchmarks::allocations();
  const auto begin = std::chrono::steady_clock::now();
  sink = run(measured, steps);
  const std::chrono::duration<double, std::nano> span = std::chrono::steady_clock::now() - begin;
  measured.allocated += benchmarks::allocations() - before;
  return span.count() / static_cast<double>(steps);
}

std::string with_decimals(double number) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << number;
  return out.str();
}

void print_table(const std::vector<Case>& all) {
  benchmarks::Table table{{"", "one series, ns", "many series, ns", "progress, B", "allocations"}};
  for (const auto& x : all)
    table.add({x.name, with_decimals(median(x.one_ns)), with_decimals(median(x.many_ns)),
               benchmarks::grouped(static_cast<std::int64_t>(x.bytes)),
               benchmarks::grouped(static_cast<std::int64_t>(x.allocated))});
  std::cout << table.text();
}

void print_json(const std::vector<Case>& all) {
  std::cout << R"({"benchmark": "policy_step", "rows": [)";
  for (std::size_t i = 0; i < all.size(); ++i)
    std::cout << (i == 0 ? "\n" : ",\n") << R"(  {"name": ")" << all[i].name
              << R"(", "one_series_ns": )" << median(all[i].one_ns) << R"(, "many_series_ns": )"
              << median(all[i].many_ns) << R"(, "progress_bytes": )" << all[i].bytes
              << R"(, "allocations": )" << all[i].allocated << '}';
  std::cout << "\n]}\n";
}

} // namespace

} // namespace policy_step

int main(int argc, char** argv) {
  using namespace policy_step;
  std::uint64_t steps = 2'000'000;
  std::uint64_t rounds = 11;
  bool as_json = false;
  benchmarks::CommandLine command_line{"policy_step", description, footer};
  command_line.number("--steps", steps, series_count, 1'000'000'000, "steps in a round");
  command_line.number("--rounds", rounds, 1, 1001, "number of rounds; the medians are printed");
  command_line.flag("--json", as_json, "print JSON");
  if (const auto code = command_line.parse(argc, argv))
    return *code;
  auto all = cases();
  sink = step_many(all[1], series_count); // allocates its series
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (auto& x : all) {
      x.one_ns.push_back(ns_per_step(x, x.one_series, steps));
      x.many_ns.push_back(ns_per_step(x, x.many_series, steps));
    }
  as_json ? print_json(all) : print_table(all);
  return std::all_of(all.begin(), all.end(), [](const Case& x) { return x.allocated == 0; })
           ? benchmarks::exit_done
           : benchmarks::exit_failed;
}
