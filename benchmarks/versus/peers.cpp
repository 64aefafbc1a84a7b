#include "versus/peers.hpp"

#include "common/processes.hpp"

#include <sstream>
#include <stdexcept>
#include <utility>

namespace versus {

namespace {

// What a peer prints: rates per second, of processor time and on the wall.
Figures rates(const std::vector<std::string>& command, double unit) {
  std::istringstream in{benchmarks::output_of(command)};
  Figures result(2);
  if (!(in >> result[0] >> result[1]))
    throw std::runtime_error(command.front() + " printed no rates");
  return {result[0] / unit, result[1] / unit};
}

} // namespace

void add_peers(std::vector<Subject>& subjects, const Scale& scale, const std::string& programs) {
  const auto erlang = [&](std::string name, std::vector<std::string> what, double unit) {
    // One scheduler, which does not spin while it has nothing to do, and no report of each crash.
    std::vector<std::string> command{"erl",     "-noshell",     "+S",   "1:1",      "+sbwt",
                                     "none",    "+sbwtdcpu",    "none", "+sbwtdio", "none",
                                     "-kernel", "logger_level", "none", "-pa",      programs,
                                     "-run",    "peers"};
    command.insert(command.end(), what.begin(), what.end());
    subjects.push_back({std::move(name), [=] { return rates(command, unit); }});
  };
  erlang("erlang 1024", {"requests", "1024", std::to_string(scale.operations)}, 1e6);
  for (const auto* ending : {"quits", "throws"}) {
    const auto after = std::string{" "} + ending;
    erlang("erlang" + after, {"restarts", ending, std::to_string(scale.delayed_restarts)}, 1e3);
    subjects.push_back(
      {"suture" + after, [=, count = std::to_string(scale.restarts)] {
         return rates({"env", "GOMAXPROCS=1", programs + "/suture_restarts", ending, count}, 1e3);
       }});
  }
}

void add_peer_rows(std::vector<Row>& rows) {
  rows.push_back({"request and reply, window 1024: ours / Erlang's gen_server", "M/s",
                  figure_of("ours 1024"), figure_of("erlang 1024"), benchmarks::at_least(1.5)});
  rows.push_back({"request and reply, window 1024: ours, by Sent / Erlang's gen_server", "M/s",
                  figure_of("ours by_sent 1024"), figure_of("erlang 1024")});
  for (const auto* ending : {"quits", "throws"})
    for (const auto& [name, who] :
         {std::pair{"erlang", "OTP's supervisor"}, std::pair{"suture", "Go's suture"}})
      rows.push_back({std::string{"restarts, child "} + ending + ": ours / " + who, "k/s",
                      figure_of(std::string{"ours "} + ending, 1),
                      figure_of(std::string{name} + ' ' + ending)});
}

} // namespace versus
