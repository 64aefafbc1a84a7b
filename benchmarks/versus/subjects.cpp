#include "common/processes.hpp"
#include "versus/measures.hpp"
#include "versus/request_reply.hpp"
#include "versus/rows.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace versus {

namespace {

using namespace std::chrono_literals;
using Subjects = std::vector<Subject>;

template <class F>
Subject alone(std::string name, F measure, std::size_t most_rounds = 1000) {
  return {std::move(name), [=] { return benchmarks::in_own_process(measure); }, most_rounds};
}

Subject of_load(std::string name, const Load& load, std::size_t most_rounds = 1000) {
  return alone(
    std::move(name), [=] { return throughput(load); }, most_rounds);
}

void add_requests(Subjects& subjects, const Scale& scale) {
  const auto add = [&](std::string name, Load load) {
    load.operations = scale.operations;
    subjects.push_back(of_load(std::move(name), load));
  };
  for (const auto window : {std::uint64_t{64}, std::uint64_t{1024}}) {
    const auto at = std::string{" "}.append(std::to_string(window));
    add("plain" + at, {.between = Between::nobody, .window = window});
    add("ours" + at, {.between = Between::ours, .window = window});
    add("observed" + at, {.between = Between::ours_observed, .window = window});
    add("relay" + at, {.between = Between::relay, .window = window});
    add("plain requests" + at, {.between = Between::nobody, .window = window, .by_request = true});
    add("ours requests" + at, {.between = Between::ours, .window = window, .by_request = true});
  }
  add("ours by_sent 1024", {.between = Between::ours_by_sent, .window = 1024});
  add("address 1024", {.between = Between::address, .window = 1024});
  add("article 1024", {.between = Between::article, .window = 1024});
  constexpr std::uint64_t flood = 100'000;
  add("plain 100000", {.between = Between::nobody, .window = flood});
  add("ours 100000", {.between = Between::ours, .window = flood});
  subjects.push_back(of_load("article 100000",
                             {.between = Between::article,
                              .window = flood,
                              .operations = scale.operations,
                              .patience = scale.patience},
                             2));
  for (const auto threads : {1, 2}) {
    const auto at = std::string{" eight, "}.append(std::to_string(threads));
    const auto each = scale.operations / 4;
    subjects.push_back(
      of_load("plain" + at, {.window = 64, .operations = each, .groups = 8, .threads = threads}));
    subjects.push_back(of_load("ours" + at, {.between = Between::ours,
                                             .window = 64,
                                             .operations = each,
                                             .groups = 8,
                                             .threads = threads}));
  }
}

void add_latencies(Subjects& subjects, const Scale& scale) {
  for (const auto& [name, between] :
       {std::pair{"plain", Between::nobody}, std::pair{"relay", Between::relay},
        std::pair{"ours", Between::ours}})
    subjects.push_back(alone(std::string{name} + " latency",
                             [=, between = between] { return latency(between, scale.latencies); }));
}

void add_restarts(Subjects& subjects, const Scale& scale) {
  for (const auto& [how, ending] :
       {std::pair{"quits", Ending::quits}, std::pair{"throws", Ending::throws}})
    for (const auto& [who, restarter] :
         {std::pair{"ours", Restarter::ours}, std::pair{"article", Restarter::article},
          std::pair{"by hand", Restarter::by_hand}}) {
      const auto count = restarter == Restarter::article ? scale.delayed_restarts : scale.restarts;
      subjects.push_back(
        alone(std::string{who} + " " + how, [=, restarter = restarter, ending = ending] {
          return restarts(restarter, ending, count);
        }));
    }
}

void add_recoveries(Subjects& subjects, const Scale& scale) {
  subjects.push_back(
    alone("ours recovers 10000", [] { return recovery(Restarter::ours, 10'000); }));
  subjects.push_back(
    alone("ours recovers many", [=] { return recovery(Restarter::ours, scale.many); }));
  subjects.push_back(alone(
    "article recovers 10000", [] { return recovery(Restarter::article, 10'000); }, 2));
}

void add_lateness(Subjects& subjects, const Scale& scale) {
  const auto add = [&](std::string name, Sleeper sleeper, std::chrono::milliseconds delay,
                       std::uint64_t count, bool shares) {
    subjects.push_back(alone(
      std::move(name), [=] { return lateness(sleeper, delay, count, shares); }, 3));
  };
  for (const auto& [name, sleeper] :
       {std::pair{"caf", Sleeper::caf}, std::pair{"ours", Sleeper::ours}}) {
    add(std::string{name} + " late 5", sleeper, 5ms, scale.resends, false);
    add(std::string{name} + " late 100", sleeper, 100ms, scale.resends / 5, false);
    add(std::string{name} + " late 100, sharing", sleeper, 100ms, scale.resends / 5, true);
  }
}

void add_memory(Subjects& subjects, const Scale& scale) {
  for (const auto& [name, pair] :
       {std::pair{"plain pairs", Pair::plain}, std::pair{"ours pairs", Pair::ours},
        std::pair{"ours pairs, each", Pair::ours_each}, std::pair{"ours unused", Pair::unused},
        std::pair{"observed pairs", Pair::observed},
        std::pair{"observed unused", Pair::observed_unused}})
    subjects.push_back(alone(
      name, [=, pair = pair] { return idle_pairs(pair, scale.pairs); }, 3));
  // An outbox of 1000 does not grow beyond 1024.
  for (const auto& [name, counted] :
       {std::pair{"few", CountedSender{.outbox = 1000}},
        std::pair{"million", CountedSender{.outbox = 1'000'000}},
        std::pair{"window 64", CountedSender{.outbox = 64, .window = 64}},
        std::pair{"window 64, observed",
                  CountedSender{.outbox = 64, .window = 64, .is_observed = true}}})
    subjects.push_back({std::string{"instructions, "} + name,
                        [counted = counted] { return sender_instructions(counted); }, 1});
}

// Another benchmark, which prints JSON: the medians of these figures, each with its row and column.
Subject of_program(std::string name, const std::vector<std::string>& command,
                   const std::vector<std::pair<std::string, std::string>>& wanted) {
  const auto measure = [=] {
    const auto output = nlohmann::json::parse(benchmarks::output_of(command));
    Figures result;
    for (const auto& [row, column] : wanted)
      for (const auto& line : output.at("rows"))
        if (line.at("what") == row)
          result.push_back(line.at(column).at("median").get<double>());
    if (result.size() != wanted.size())
      throw std::runtime_error(command.front() + " lacks a row");
    return result;
  };
  return {std::move(name), measure, 3};
}

void add_programs(Subjects& subjects, const Scale& scale, const std::string& folder) {
  const auto children = benchmarks::grouped(static_cast<std::int64_t>(scale.children));
  subjects.push_back(
    of_program("bytes waiting",
               {folder + "/bytes_per_delivery", "--json", "--count", std::to_string(scale.many)},
               {{"sender, plain sends", "malloc"},
                {"CAF's mailbox, plain sends", "malloc"},
                {"sender, requests", "malloc"},
                {"CAF's mailbox, requests", "malloc"}}));
  subjects.back().most_rounds = 1;
  const auto back = "crashed and back, ns";
  subjects.push_back(of_program("children down",
                                {folder + "/supervisor_scale", "--json", "--rounds", "1",
                                 "--children", std::to_string(scale.children)},
                                {{"supervisor, " + children, back},
                                 {"supervisor, 1,000", back},
                                 {"by hand, " + children, back},
                                 {"dynamic supervisor, " + children, back}}));
  subjects.push_back(of_program("durable",
                                {folder + "/durable_sender", "--json", "--rounds", "1",
                                 "--messages", std::to_string(scale.messages)},
                                {{"1", "commits/delivery"},
                                 {"100", "commits/delivery"},
                                 {"100", "durable, deliveries/s"},
                                 {"100", "in memory, deliveries/s"}}));
}

} // namespace

std::vector<Subject> all_subjects(const Scale& scale, const std::string& programs) {
  Subjects result;
  add_requests(result, scale);
  add_latencies(result, scale);
  add_restarts(result, scale);
  add_recoveries(result, scale);
  add_lateness(result, scale);
  add_memory(result, scale);
  add_programs(result, scale, programs);
  return result;
}

} // namespace versus
