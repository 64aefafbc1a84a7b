#include "versus/measures.hpp"

#include "common/memory.hpp"
#include "versus/echo.hpp"
#include "versus/system.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <functional>
#include <future>
#include <utility>
#include <vector>

namespace versus {

namespace {

class Front : public caf::event_based_actor {
public:
  Front(caf::actor_config& config, caf::actor worker)
    : caf::event_based_actor(config), worker_(std::move(worker)) {}

  caf::behavior make_behavior() override {
    return {[this](const Msg& msg) { return delegate(worker_, msg); }};
  }

private:
  caf::actor worker_;
};

/// Makes all actors answer once, a few at a time, so that no heap of messages is left behind.
class Asker : public caf::event_based_actor {
public:
  Asker(caf::actor_config& config, const std::vector<caf::actor>& whom,
        std::promise<void>& when_done)
    : caf::event_based_actor(config), whom_(whom), done_(when_done) {}

  caf::behavior make_behavior() override {
    for (std::size_t i = 0; i < std::min<std::size_t>(whom_.size(), 64); ++i)
      ask();
    return {[this](const Msg&) {
      if (++answers_ == whom_.size())
        done_.set_value();
      else if (next_ < whom_.size())
        ask();
    }};
  }

private:
  void ask() {
    send(whom_[next_], Msg{next_, "twelve bytes"});
    ++next_;
  }

  const std::vector<caf::actor>& whom_;
  std::promise<void>& done_;
  std::size_t next_ = 0;
  std::size_t answers_ = 0;
};

// Returns what makes one more.
std::function<caf::actor()> maker_of(caf::actor_system& system, Pair pair) {
  using namespace backoff_actor;
  SenderOptions options;
  if (pair == Pair::observed || pair == Pair::observed_unused)
    options.observed_by = Observatory{};
  const auto from = [&](const SenderBlueprint& blueprint) {
    return [&system, blueprint] { return blueprint.spawn(system); };
  };
  switch (pair) {
  case Pair::plain:
    return [&system] { return caf::actor{system.spawn<Front>(system.spawn<Echo>())}; };
  case Pair::ours:
    return from(SenderBlueprint{child_of<Echo>()});
  case Pair::ours_each:
    return [&system] { return spawn_back_off_sender(system, child_of<Echo>()); };
  case Pair::observed:
    return from(SenderBlueprint{child_of<Echo>(), options});
  case Pair::unused:
  case Pair::observed_unused:
    break;
  }
  options.rare.child_start = FirstStart::on_first_use;
  return from(SenderBlueprint{child_of<Echo>(), options});
}

} // namespace

Figures idle_pairs(Pair pair, std::uint64_t count) {
  auto& system = system_with(1);
  auto& actors = *new std::vector<caf::actor>(count); // resident now
  auto& done = *new std::promise<void>;
  const auto make = maker_of(system, pair);
  const auto before = benchmarks::memory_now();
  const auto begin = cpu_now();
  std::generate(actors.begin(), actors.end(), make);
  const auto spawned = cpu_now();
  if (pair != Pair::unused && pair != Pair::observed_unused) {
    kept(system.spawn<Asker>(actors, done));
    done.get_future().wait();
  }
  benchmarks::trim_memory();
  const auto memory = benchmarks::memory_now() - before;
  const auto each = static_cast<double>(count);
  return {static_cast<double>(memory.resident) / each, (spawned - begin) * 1e6 / each};
}

} // namespace versus
