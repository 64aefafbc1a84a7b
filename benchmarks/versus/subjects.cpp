#include "common/own_process.hpp"
#include "versus/idle_pairs.hpp"
#include "versus/instructions.hpp"
#include "versus/lateness.hpp"
#include "versus/other_programs.hpp"
#include "versus/request_reply.hpp"
#include "versus/restarts.hpp"
#include "versus/rows.hpp"

#include <algorithm>
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
    for (const auto& [who, between] :
         {std::pair{"ours", Between::ours}, std::pair{"observed", Between::ours_observed}})
      subjects.push_back(of_load(
        who + at,
        {.between = between, .window = 64, .operations = each, .groups = 8, .threads = threads}));
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

// Returns the row of a program's JSON in which all these fields have these values.
const nlohmann::json& row_with(const nlohmann::json& output, const nlohmann::json& fields) {
  for (const auto& row : output.at("rows"))
    if (std::all_of(fields.items().begin(), fields.items().end(),
                    [&](const auto& field) { return row.at(field.key()) == field.value(); }))
      return row;
  throw std::runtime_error("a benchmark printed no row with " + fields.dump());
}

void add_programs(Subjects& subjects, const Scale& scale, const std::string& folder) {
  const auto text = [](std::uint64_t number) { return std::to_string(number); };
  subjects.push_back(
    {"bytes waiting",
     [=]() -> Figures {
       const auto output =
         json_of({folder + "/bytes_per_delivery", "--json", "--count", text(scale.many)});
       const auto bytes = [&](const char* name) {
         return row_with(output, {{"name", name}}).at("waiting").at("heap").get<double>()
                / static_cast<double>(scale.many);
       };
       return {bytes("sender, refuse, plain sends"), bytes("CAF's mailbox, plain sends"),
               bytes("sender, refuse, requests"), bytes("CAF's mailbox, requests")};
     },
     1});
  subjects.push_back(
    {"children down",
     [=]() -> Figures {
       const auto output = json_of({folder + "/supervisor_scale", "--json", "--rounds", "1",
                                    "--children", text(scale.children)});
       const auto ns = [&](const char* who, std::uint64_t children) {
         return row_with(output, {{"name", who}, {"children", children}})
           .at("back_ns")
           .get<double>();
       };
       return {ns("supervisor", scale.children), ns("supervisor", 1000),
               ns("by hand", scale.children), ns("dynamic supervisor", scale.children)};
     },
     3});
  subjects.push_back({"durable",
                      [=]() -> Figures {
                        const auto output =
                          json_of({folder + "/durable_sender", "--json", "--rounds", "1",
                                   "--messages", text(scale.messages)});
                        const auto at = [&](std::uint64_t window, const char* field) {
                          return row_with(output, {{"window", window}}).at(field).get<double>();
                        };
                        return {at(1, "commits_per_delivery"), at(100, "commits_per_delivery"),
                                at(100, "durable_per_s"), at(100, "in_memory_per_s")};
                      },
                      3});
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
