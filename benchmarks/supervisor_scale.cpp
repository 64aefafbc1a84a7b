// supervisor_scale: what a supervisor costs that has many children, and all of them crash at once.

#include "common/command_line.hpp"
#include "common/memory.hpp"
#include "common/own_process.hpp"
#include "common/table.hpp"
#include "supervisor_scale_children.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/compat/compat_scheduler.hpp>

#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace supervisor_scale {

namespace {

using namespace std::chrono_literals;
using benchmarks::Memory;
using Clock = std::chrono::steady_clock;

constexpr auto description =
  R"(Measures the cost of supervision with 1,000 and with 100,000 children.

A supervisor starts its children, all children crash at once, all restart, and the supervisor stops.
The program measures this for a supervisor with a fixed list of children, and for a dynamic
supervisor that starts each child on request. For comparison, it measures the same by hand: a plain
CAF actor spawns actors, monitors them, and spawns each again when it ends. Restarts have no delay
and no limit. Times are per child. A supervisor ends its children one after the other, in reverse
order; a dynamic supervisor and the plain actor end them all together.

Then all children crash once more. Meanwhile the program asks the supervisor again and again for the
number of its children; the longest answer is the longest time until it replied.

Memory is what malloc has given out per child when all are up, and again after all have crashed.
Nobody watches the `actors alone`; the difference to them is the memory of watching. Each row is its
own process. The program prints the medians of the rounds.

The threads share one queue of work. With CAF's default, they steal work from each other; when so
many actors end at once, CAF 0.17.6 then spends most of its time on stealing.
)";

constexpr auto footer = R"(
Examples:
  supervisor_scale                     1,000 and 100,000 children
  supervisor_scale --children 1000000  1,000 and a million
  supervisor_scale --stealing --children 10000

Exit codes:
  0    done
  1    a child was lost, or a measurement failed
  2    bad input; nothing was run
)";

/// The number of children that the larger one is compared with.
constexpr std::uint64_t few = 1000;

// -- supervisors -----------------------------------------------------------------------

backoff_actor::ChildOptions without_delay() {
  backoff_actor::ChildOptions options;
  options.backoff = backoff_actor::Fixed{.delay = 0ns};
  return options;
}

caf::actor spawn_static(caf::actor_system& system, Nursery& nursery) {
  std::vector<backoff_actor::ChildSpec> specs(nursery.count());
  for (std::uint64_t i = 0; i < specs.size(); ++i) {
    specs[i].id = std::to_string(i);
    specs[i].make = [&nursery, i](caf::event_based_actor* supervisor) {
      return nursery.spawn(supervisor, i);
    };
    specs[i].options = without_delay();
  }
  return backoff_actor::spawn_supervisor(system, std::move(specs));
}

caf::actor spawn_dynamic(caf::actor_system& system, Nursery& nursery) {
  backoff_actor::DynamicSupervisorOptions options;
  options.make = [&nursery](caf::event_based_actor* supervisor, const caf::message& index) {
    return nursery.spawn(supervisor, index.get_as<std::uint64_t>(0));
  };
  options.child = without_delay();
  auto supervisor = backoff_actor::spawn_supervisor(system, std::move(options));
  for (std::uint64_t i = 0; i < nursery.count(); ++i)
    caf::anon_send(supervisor, backoff_actor::AddChild{caf::make_message(i)});
  return supervisor;
}

// -- measuring ------------------------------------------------------------------------

enum class Who : std::uint8_t { nobody, by_hand, supervisor, dynamic_supervisor };

constexpr const char* name_of(Who who) {
  switch (who) {
  case Who::nobody:
    return "actors alone";
  case Who::by_hand:
    return "by hand";
  case Who::supervisor:
    return "supervisor";
  case Who::dynamic_supervisor:
    break;
  }
  return "dynamic supervisor";
}

constexpr bool is_supervisor(Who who) {
  return who == Who::supervisor || who == Who::dynamic_supervisor;
}

/// Of one row. Times in nanoseconds per child but for `longest_answer`, memory in bytes per child.
struct Measured {
  double started = 0;
  double back = 0;
  double stopped = 0;
  double longest_answer = 0; ///< in milliseconds
  double bytes_up = 0;
  double bytes_after_crash = 0;
};

double ns_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

void expect(const char* what, std::uint64_t is, std::uint64_t should_be) {
  if (is != should_be)
    throw std::runtime_error(std::string{what} + ": " + std::to_string(is) + " instead of "
                             + std::to_string(should_be));
}

backoff_actor::ChildCounts count_children(caf::scoped_actor& self, const caf::actor& supervisor) {
  backoff_actor::ChildCounts result;
  backoff_actor::compat::request(*self, supervisor, backoff_actor::CountChildren{})
    .receive([&](const backoff_actor::ChildCounts& counts) { result = counts; },
             [](const caf::error&) { throw std::runtime_error("the supervisor is gone"); });
  return result;
}

// Asks until all children have been restarted so many times, and returns the longest time until an
// answer, in nanoseconds.
double longest_answer(caf::scoped_actor& self, const caf::actor& supervisor,
                      std::uint64_t restarts) {
  double longest = 0;
  for (;;) {
    const auto begin = Clock::now();
    const auto counts = count_children(self, supervisor);
    longest = std::max(longest, ns_since(begin));
    if (counts.restarts >= restarts)
      return longest;
  }
}

caf::actor spawn_watcher(caf::actor_system& system, Who who, Nursery& nursery) {
  if (who == Who::supervisor)
    return spawn_static(system, nursery);
  if (who == Who::dynamic_supervisor)
    return spawn_dynamic(system, nursery);
  auto result = system.spawn<ByHand>(&nursery, who == Who::by_hand);
  caf::anon_send(result, std::uint64_t{begin});
  return result;
}

void tell(caf::scoped_actor& self, const caf::actor& watcher, Word word) {
  backoff_actor::compat::request(*self, watcher, std::uint64_t{word})
    .receive([](std::uint64_t) {},
             [](const caf::error&) { throw std::runtime_error("the plain actor is gone"); });
}

void stop(caf::scoped_actor& self, const caf::actor& watcher, Who who) {
  if (is_supervisor(who))
    backoff_actor::compat::request(*self, watcher, backoff_actor::Stop{})
      .receive([](const backoff_actor::ChildCounts&) {},
               [](const caf::error&) { throw std::runtime_error("the supervisor did not stop"); });
  else
    tell(self, watcher, end);
}

Measured measure(Who who, std::uint64_t count, bool steals) {
  caf::actor_system_config config;
  backoff_actor::init(config);
  if (!steals)
    backoff_actor::compat::share_work(config);
  caf::actor_system system{config};
  std::optional<caf::scoped_actor> asker{system};
  auto& self = *asker;
  Nursery nursery{count};
  const auto each = static_cast<double>(count);
  const auto before = benchmarks::memory_now();
  const auto bytes = [&] {
    return static_cast<double>((benchmarks::memory_now() - before).heap) / each;
  };
  // All children are up; now the watcher has also done what belongs to it.
  const auto settle = [&](const caf::actor& watcher) {
    if (is_supervisor(who))
      expect("children that are up", count_children(self, watcher).running, count);
    else
      tell(self, watcher, look);
  };
  Measured result;

  auto since = Clock::now();
  auto watcher = spawn_watcher(system, who, nursery);
  nursery.await(1);
  result.started = ns_since(since) / each;
  settle(watcher);
  result.bytes_up = bytes();

  if (who != Who::nobody) {
    since = Clock::now();
    nursery.crash_all();
    nursery.await(2);
    result.back = ns_since(since) / each;
    settle(watcher);
    result.bytes_after_crash = bytes();
  }
  if (is_supervisor(who)) {
    nursery.crash_all();
    result.longest_answer = longest_answer(self, watcher, 2 * count) / 1e6;
    nursery.await(3);
    settle(watcher);
  }

  since = Clock::now();
  stop(self, watcher, who);
  watcher = nullptr;
  asker.reset();
  system.await_all_actors_done();
  result.stopped = ns_since(since) / each;
  nursery.forget();
  return result;
}

// -- telling --------------------------------------------------------------------------

struct Row {
  Who who;
  std::uint64_t children;
  Measured measured;
};

constexpr double Measured::*const parts[] = {&Measured::started,  &Measured::back,
                                             &Measured::stopped,  &Measured::longest_answer,
                                             &Measured::bytes_up, &Measured::bytes_after_crash};

Measured median(std::vector<Measured> rounds) {
  Measured result;
  for (const auto part : parts) {
    const auto middle = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
    std::nth_element(rounds.begin(), middle, rounds.end(),
                     [&](const Measured& a, const Measured& b) { return a.*part < b.*part; });
    result.*part = *middle.*part;
  }
  return result;
}

std::string rounded(double number, int decimals = 0) {
  if (decimals == 0)
    return benchmarks::grouped(static_cast<std::int64_t>(number + 0.5));
  std::ostringstream out;
  out << std::fixed << std::setprecision(decimals) << number;
  return out.str();
}

const Measured& find(const std::vector<Row>& rows, Who who, std::uint64_t children) {
  return std::find_if(rows.begin(), rows.end(),
                      [&](const Row& row) { return row.who == who && row.children == children; })
    ->measured;
}

std::string table(const std::vector<Row>& rows, std::uint64_t many) {
  const auto or_none = [](double number, int decimals = 0) {
    return number == 0 ? std::string{"-"} : rounded(number, decimals);
  };
  benchmarks::Table costs{{"", "children", "started, ns", "crashed and back, ns", "stopped, ns",
                           "longest answer, ms", "bytes", "after the crash"}};
  for (const auto& [who, children, x] : rows)
    costs.add({name_of(who), benchmarks::grouped(static_cast<std::int64_t>(children)),
               rounded(x.started), or_none(x.back), rounded(x.stopped),
               or_none(x.longest_answer, 2), rounded(x.bytes_up), or_none(x.bytes_after_crash)});
  auto result = costs.text();

  benchmarks::Table ratios{
    {"ratio", "started", "crashed and back", "stopped", "bytes beyond an actor"}};
  const auto ratio = [](double a, double b) {
    return b == 0 ? std::string{"-"} : rounded(a / b, 2);
  };
  const auto text_of_many = benchmarks::grouped(static_cast<std::int64_t>(many));
  const auto alone = find(rows, Who::nobody, many).bytes_up;
  for (const auto who : {Who::by_hand, Who::supervisor, Who::dynamic_supervisor}) {
    const auto& x = find(rows, who, many);
    const auto& y = find(rows, who, few);
    ratios.add({std::string{name_of(who)} + ", " + text_of_many + " to 1,000",
                ratio(x.started, y.started), ratio(x.back, y.back), ratio(x.stopped, y.stopped),
                "-"});
  }
  for (const auto who : {Who::by_hand, Who::supervisor, Who::dynamic_supervisor}) {
    const auto& x = find(rows, who, many);
    const auto& y = find(rows, Who::by_hand, many);
    ratios.add({std::string{name_of(who)} + " to by hand, " + text_of_many,
                ratio(x.started, y.started), ratio(x.back, y.back), ratio(x.stopped, y.stopped),
                rounded(x.bytes_up - alone)});
  }
  return result + '\n' + ratios.text();
}

std::string json(const std::vector<Row>& rows) {
  std::ostringstream out;
  out << R"({"benchmark": "supervisor_scale", "rows": [)";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [who, children, x] = rows[i];
    out << (i == 0 ? "\n" : ",\n") << R"(  {"name": ")" << name_of(who) << R"(", "children": )"
        << children << R"(, "started_ns": )" << x.started << R"(, "back_ns": )" << x.back
        << R"(, "stopped_ns": )" << x.stopped << R"(, "longest_answer_ms": )" << x.longest_answer
        << R"(, "bytes": )" << x.bytes_up << R"(, "bytes_after_crash": )" << x.bytes_after_crash
        << '}';
  }
  out << "\n]}\n";
  return out.str();
}

} // namespace

} // namespace supervisor_scale

int main(int argc, char** argv) {
  using namespace supervisor_scale;
  std::uint64_t many = 100'000;
  std::uint64_t rounds = 3;
  bool steals = false;
  bool as_json = false;
  benchmarks::CommandLine command_line{"supervisor_scale", description, footer};
  command_line.number("--children", many, few, 10'000'000,
                      "number of children, in addition to 1,000");
  command_line.number("--rounds", rounds, 1, 1001, "number of rounds; the medians are printed");
  command_line.flag("--stealing", steals,
                    "use CAF's default scheduler instead of one shared queue");
  command_line.flag("--json", as_json, "print JSON; 0 means not measured");
  if (const auto code = command_line.parse(argc, argv))
    return *code;
  try {
    std::vector<Row> rows;
    for (const auto who : {Who::nobody, Who::by_hand, Who::supervisor, Who::dynamic_supervisor})
      for (const auto children : {few, many}) {
        std::vector<Measured> measured;
        for (std::uint64_t round = 0; round < rounds; ++round)
          measured.push_back(
            benchmarks::in_own_process([&] { return measure(who, children, steals); }));
        rows.push_back({who, children, median(std::move(measured))});
      }
    std::cout << (as_json ? json(rows) : table(rows, many));
    return benchmarks::exit_done;
  } catch (const std::exception& exception) {
    std::cerr << "supervisor_scale: " << exception.what() << '\n';
    return benchmarks::exit_failed;
  }
}
