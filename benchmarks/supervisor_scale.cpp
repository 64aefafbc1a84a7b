// supervisor_scale: what a supervisor costs that has many children, and all of them crash at once.

#include "common/machine.hpp"
#include "common/processes.hpp"
#include "common/program.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/compat/compat_scheduler.hpp>

#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <atomic>
#include <optional>
#include <unordered_map>
#include <utility>

namespace supervisor_scale {

namespace {

using namespace backoff_actor;
using namespace benchmarks;

const Words words{"supervisor_scale",
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

// -- children -----------------------------------------------------------------------------

// All children that are there. `spawn` is called in the thread of who watches them, `is_up` in any;
// the others in the main thread, while nobody spawns.
class Nursery {
public:
  explicit Nursery(std::uint64_t count) : children_(count) {}

  std::uint64_t count() const { return children_.size(); }

  caf::actor spawn(caf::event_based_actor* parent, std::uint64_t index);

  // Is told by each child.
  void is_up() {
    if (++up_ % children_.size() == 0)
      up_.notify_all();
  }

  // Waits until each child has been up so many times.
  void await(std::uint64_t times) const {
    const auto wanted = times * children_.size();
    for (auto up = up_.load(); up < wanted; up = up_.load())
      up_.wait(up);
  }

  void crash_all() const {
    for (const auto& child : children_)
      caf::anon_send(child, std::uint64_t{0});
  }

  void end_all() const {
    for (const auto& child : children_)
      caf::anon_send_exit(child, caf::exit_reason::user_shutdown);
  }

  void forget() { children_.clear(); }

private:
  std::vector<caf::actor> children_;
  std::atomic<std::uint64_t> up_{0};
};

// Ends with an error when it is told anything.
class Child : public caf::event_based_actor {
public:
  Child(caf::actor_config& config, Nursery* nursery)
    : caf::event_based_actor(config), nursery_(nursery) {}

  caf::behavior make_behavior() override {
    nursery_->is_up();
    return {[this](std::uint64_t) { quit(caf::sec::runtime_error); }};
  }

private:
  Nursery* nursery_;
};

caf::actor Nursery::spawn(caf::event_based_actor* parent, std::uint64_t index) {
  return children_[index] = parent->spawn<Child>(this);
}

// -- who watches them ---------------------------------------------------------------------

// What a plain CAF actor is told; it answers the word when it has done it or, of `end`, begun it.
enum Word : std::uint64_t { look, end };

// Spawns children, and, if it watches them, each again that ends.
class ByHand : public caf::event_based_actor {
public:
  ByHand(caf::actor_config& config, Nursery* nursery, bool watches)
    : caf::event_based_actor(config), nursery_(nursery), watches_(watches) {
    set_down_handler([this](caf::down_msg& down) {
      const auto found = index_of_.find(down.source);
      const auto index = found->second;
      index_of_.erase(found);
      if (!is_ending_)
        spawn_child(index);
      else if (index_of_.empty())
        quit();
    });
  }

  caf::behavior make_behavior() override {
    for (std::uint64_t i = 0; i < nursery_->count(); ++i)
      spawn_child(i);
    return {[this](std::uint64_t word) {
      if (word == end) {
        is_ending_ = true;
        nursery_->end_all();
        if (!watches_)
          quit();
      }
      return word;
    }};
  }

private:
  void spawn_child(std::uint64_t index) {
    const auto child = nursery_->spawn(this, index);
    if (!watches_)
      return;
    monitor(child);
    index_of_.emplace(child.address(), index);
  }

  Nursery* nursery_;
  std::unordered_map<caf::actor_addr, std::uint64_t> index_of_;
  bool watches_;
  bool is_ending_ = false;
};

ChildOptions without_delay() {
  ChildOptions options;
  options.backoff = Fixed{.delay = Duration{}};
  return options;
}

caf::actor spawn_static(caf::actor_system& system, Nursery& nursery) {
  std::vector<ChildSpec> specs(nursery.count());
  for (std::uint64_t i = 0; i < specs.size(); ++i) {
    specs[i].id = std::to_string(i);
    specs[i].make = [&nursery, i](caf::event_based_actor* supervisor) {
      return nursery.spawn(supervisor, i);
    };
    specs[i].options = without_delay();
  }
  return spawn_supervisor(system, std::move(specs));
}

caf::actor spawn_dynamic(caf::actor_system& system, Nursery& nursery) {
  DynamicSupervisorOptions options;
  options.make = [&nursery](caf::event_based_actor* supervisor, const caf::message& index) {
    return nursery.spawn(supervisor, index.get_as<std::uint64_t>(0));
  };
  options.child = without_delay();
  auto supervisor = spawn_supervisor(system, std::move(options));
  for (std::uint64_t i = 0; i < nursery.count(); ++i)
    caf::anon_send(supervisor, AddChild{caf::make_message(i)});
  return supervisor;
}

// -- measuring ----------------------------------------------------------------------------

enum class Who : std::uint8_t { nobody, by_hand, supervisor, dynamic_supervisor };
constexpr const char* names[] = {"actors alone", "by hand", "supervisor", "dynamic supervisor"};

caf::actor spawn_watcher(caf::actor_system& system, Who who, Nursery& nursery) {
  if (who == Who::supervisor)
    return spawn_static(system, nursery);
  if (who == Who::dynamic_supervisor)
    return spawn_dynamic(system, nursery);
  return system.spawn<ByHand>(&nursery, who == Who::by_hand);
}

// Asks the one who watches, and waits for the answer.
template <class Answer, class Question>
Answer ask(caf::scoped_actor& self, const caf::actor& watcher, Question question) {
  Answer result{};
  compat::request(*self, watcher, question)
    .receive([&](const Answer& answer) { result = answer; },
             [](const caf::error&) { throw std::runtime_error("the one who watches is gone"); });
  return result;
}

double ns_since(double begin) { return 1e9 * (wall_now() - begin); }

// Asks until all children have been restarted so many times, and returns the longest time until an
// answer, in nanoseconds.
double longest_answer(caf::scoped_actor& self, const caf::actor& supervisor,
                      std::uint64_t restarts) {
  double longest = 0;
  for (std::uint64_t seen = 0; seen < restarts;) {
    const auto since = wall_now();
    seen = ask<ChildCounts>(self, supervisor, CountChildren{}).restarts;
    longest = std::max(longest, ns_since(since));
  }
  return longest;
}

// Nanoseconds per child but for the longest answer, which is in milliseconds; bytes per child.
Figures measure(Who who, std::uint64_t count, bool steals) {
  const auto is_supervisor = who == Who::supervisor || who == Who::dynamic_supervisor;
  caf::actor_system_config config;
  init(config);
  if (!steals)
    compat::share_work(config);
  caf::actor_system system{config};
  std::optional<caf::scoped_actor> asker{system};
  auto& self = *asker;
  Nursery nursery{count};
  const auto each = static_cast<double>(count);
  const auto before = heap_now();
  // All children are up; now the watcher has also done what belongs to it.
  const auto settle = [&](const caf::actor& watcher) {
    if (!is_supervisor)
      ask<std::uint64_t>(self, watcher, std::uint64_t{look});
    else if (ask<ChildCounts>(self, watcher, CountChildren{}).running != count)
      throw std::runtime_error("a child is not up");
  };
  auto since = wall_now();
  auto watcher = spawn_watcher(system, who, nursery);
  nursery.await(1);
  const auto started = ns_since(since) / each;
  settle(watcher);
  const auto bytes = (heap_now() - before) / each;
  auto back = not_measured;
  auto answer = not_measured;
  if (who != Who::nobody) {
    since = wall_now();
    nursery.crash_all();
    nursery.await(2);
    back = ns_since(since) / each;
    settle(watcher);
  }
  if (is_supervisor) {
    nursery.crash_all();
    answer = longest_answer(self, watcher, 2 * count) / 1e6;
    nursery.await(3);
    settle(watcher);
  }
  since = wall_now();
  if (is_supervisor)
    ask<ChildCounts>(self, watcher, Stop{});
  else
    ask<std::uint64_t>(self, watcher, std::uint64_t{end});
  watcher = nullptr;
  asker.reset();
  system.await_all_actors_done();
  const auto stopped = ns_since(since) / each;
  nursery.forget();
  return {started, back, stopped, answer, bytes};
}

std::string row_of(Who who, std::uint64_t children) {
  return std::string{names[static_cast<std::size_t>(who)]} + ", " + grouped(children);
}

Report measure(std::uint64_t many, std::uint64_t rounds, bool steals) {
  std::vector<Subject> subjects;
  for (const auto who : {Who::nobody, Who::by_hand, Who::supervisor, Who::dynamic_supervisor})
    for (const auto children : {few, many})
      subjects.push_back({row_of(who, children), [=] {
                            return in_own_process([=] { return measure(who, children, steals); });
                          }});
  const Grid grid{
    {"", "started, ns", "crashed and back, ns", "stopped, ns", "longest answer, ms", "bytes"},
    rounds,
    subjects};
  std::vector<Row> growth;
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
