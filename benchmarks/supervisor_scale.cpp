// supervisor_scale: what a supervisor costs that has many children, and all of them crash at once.

#include "common/memory.hpp"
#include "common/processes.hpp"
#include "common/program.hpp"
#include "common/time.hpp"
#include "supervisor_scale_children.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/compat/compat_scheduler.hpp>

#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace supervisor_scale {

namespace {

using namespace std::chrono_literals;
using benchmarks::Figures;
using benchmarks::wall_now;

const benchmarks::Words words{
  "supervisor_scale",
  R"(Measures the cost of supervision with 1,000 and with 100,000 children.

A supervisor starts its children, all children crash at once, all restart, and the supervisor stops.
The program measures this for a supervisor with a fixed list of children, and for a dynamic
supervisor that starts each child on request. For comparison, it measures the same by hand: a plain
CAF actor spawns actors, monitors them, and spawns each again when it ends. Restarts have no delay
and no limit. Times are per child. A supervisor ends its children one after the other, in reverse
order; a dynamic supervisor and the plain actor end them all together.

Then all children crash once more. Meanwhile the program asks the supervisor again and again for the
number of its children; the longest answer is the longest time until it replied.

Memory is what malloc has given out per child when all are up. Nobody watches the `actors alone`;
the difference to them is the memory of watching. Each row is its own process.

The threads share one queue of work. With CAF's default, they steal work from each other; when so
many actors end at once, CAF 0.17.6 then spends most of its time on stealing.
)",
  "  supervisor_scale                     1,000 and 100,000 children\n"
  "  supervisor_scale --children 1000000  1,000 and a million\n"
  "  supervisor_scale --stealing --children 10000\n",
  "a child was lost, or a measurement failed"};

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

double ns_since(double begin) { return 1e9 * (wall_now() - begin); }

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
    const auto begin = wall_now();
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

// Nanoseconds per child but for the longest answer, which is in milliseconds; bytes per child.
Figures measure(Who who, std::uint64_t count, bool steals) {
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
  // All children are up; now the watcher has also done what belongs to it.
  const auto settle = [&](const caf::actor& watcher) {
    if (is_supervisor(who))
      expect("children that are up", count_children(self, watcher).running, count);
    else
      tell(self, watcher, look);
  };
  auto since = wall_now();
  auto watcher = spawn_watcher(system, who, nursery);
  nursery.await(1);
  const auto started = ns_since(since) / each;
  settle(watcher);
  const auto bytes = static_cast<double>((benchmarks::memory_now() - before).heap) / each;
  auto back = benchmarks::not_measured;
  auto answer = benchmarks::not_measured;
  if (who != Who::nobody) {
    since = wall_now();
    nursery.crash_all();
    nursery.await(2);
    back = ns_since(since) / each;
    settle(watcher);
  }
  if (is_supervisor(who)) {
    nursery.crash_all();
    answer = longest_answer(self, watcher, 2 * count) / 1e6;
    nursery.await(3);
    settle(watcher);
  }
  since = wall_now();
  stop(self, watcher, who);
  watcher = nullptr;
  asker.reset();
  system.await_all_actors_done();
  const auto stopped = ns_since(since) / each;
  nursery.forget();
  return {started, back, stopped, answer, bytes};
}

std::string row_of(Who who, std::uint64_t children) {
  return std::string{name_of(who)} + ", "
         + benchmarks::grouped(static_cast<std::int64_t>(children));
}

benchmarks::Report measure(std::uint64_t many, std::uint64_t rounds, bool steals) {
  std::vector<benchmarks::Subject> subjects;
  for (const auto who : {Who::nobody, Who::by_hand, Who::supervisor, Who::dynamic_supervisor})
    for (const auto children : {few, many})
      subjects.push_back({row_of(who, children), [=] {
                            return benchmarks::in_own_process(
                              [=] { return measure(who, children, steals); });
                          }});
  const benchmarks::Grid grid{
    {"", "started, ns", "crashed and back, ns", "stopped, ns", "longest answer, ms", "bytes"},
    rounds,
    subjects};
  std::vector<benchmarks::Row> growth;
  for (const auto who : {Who::by_hand, Who::supervisor, Who::dynamic_supervisor})
    for (const auto* what : {"started, ns", "crashed and back, ns", "stopped, ns"})
      growth.push_back({row_of(who, many) + " / 1,000: " + what,
                        "",
                        {},
                        grid.of(row_of(who, many), what),
                        grid.of(row_of(who, few), what)});
  return both(grid.report(), compared(growth));
}

} // namespace

} // namespace supervisor_scale

int main(int argc, char** argv) {
  using namespace supervisor_scale;
  std::uint64_t many = 100'000;
  std::uint64_t rounds = 3;
  bool steals = false;
  benchmarks::Program program{words};
  program.number("--children", many, few, 10'000'000, "number of children, in addition to 1,000");
  program.number("--rounds", rounds, 1, 1001, "number of rounds");
  program.flag("--stealing", steals, "use CAF's default scheduler instead of one shared queue");
  return program.run(argc, argv, [&] { return measure(many, rounds, steals); });
}
