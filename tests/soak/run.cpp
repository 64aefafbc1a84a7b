#include "run.hpp"

#include "durable_part.hpp"
#include "part.hpp"
#include "proxy_part.hpp"
#include "sender_kind.hpp"
#include "sender_part.hpp"
#include "supervisor_part.hpp"
#include "watchers.hpp"

#include "common/machine.hpp"

#include <backoff_actor/caf/init.hpp>
#include <backoff_actor/core/unit_random.hpp>

#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace backoff_actor::soak {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto between_disturbances = 5ms;
constexpr auto between_samples = 250ms;
constexpr auto between_progress = 1s;

// How long what is owed, and actors, are waited for at the end.
constexpr auto patience = 2min;

template <class Condition>
bool becomes_true(Condition condition) {
  const auto deadline = Clock::now() + patience;
  while (!condition()) {
    if (Clock::now() > deadline)
      return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

// The number of entries of a folder of /proc.
std::uint64_t entries(const char* folder) {
  const std::filesystem::directory_iterator all{folder};
  return static_cast<std::uint64_t>(std::distance(begin(all), end(all)));
}

std::uint64_t descriptors() { return entries("/proc/self/fd"); }
std::uint64_t threads() { return entries("/proc/self/task"); }

std::uint64_t beyond(std::uint64_t count, std::uint64_t before) {
  return count - std::min(count, before);
}

using Parts = std::vector<std::unique_ptr<Part>>;

Parts all_parts(Shared& shared) {
  Parts result;
  result.push_back(std::make_unique<SenderPart>(shared, faulty_senders(shared.seed)));
  result.push_back(std::make_unique<ProxyPart>(shared));
  result.push_back(std::make_unique<SupervisorPart>(shared));
  result.push_back(std::make_unique<DurablePart>(shared));
  return result;
}

class Watch {
public:
  Watch(const Shared& shared, const std::function<void(const Sample&)>& tell)
    : shared_(shared), tell_(tell) {}

  // Notes how things stand, if it is time to.
  void look() {
    const auto now = Clock::now();
    if (now < next_sample_)
      return;
    next_sample_ += between_samples;
    const auto resident = benchmarks::resident_now();
    samples_.push_back({.seconds = seconds(now),
                        .memory_mb = resident / 1e6,
                        .ended = shared_.account.totals().ended(),
                        .crashes = shared_.happenings.crashes});
    if (now < next_progress_)
      return;
    next_progress_ += between_progress;
    tell_(samples_.back());
  }

  double seconds(Clock::time_point now) const {
    return std::chrono::duration<double>(now - begin_).count();
  }

  std::vector<Sample> samples() const { return samples_; }

private:
  const Shared& shared_;
  const std::function<void(const Sample&)>& tell_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point next_sample_ = begin_ + between_samples;
  Clock::time_point next_progress_ = begin_ + between_progress;
  std::vector<Sample> samples_;
};

// Ends things until the time is over.
void disturb(const Options& options, const std::atomic<bool>& is_interrupted, const Parts& parts,
             Watch& watch) {
  const Draws draws{options.seed, 1};
  std::uint64_t n = 0;
  const auto end = Clock::now() + options.length;
  auto next = Clock::now();
  while (next < end && !is_interrupted) {
    const auto part = static_cast<std::size_t>(draws(n) * static_cast<double>(parts.size()));
    parts[part]->disturb(draws(n + 1), draws(n + 2));
    n += 3;
    watch.look();
    next = std::max(next + between_disturbances, Clock::now());
    std::this_thread::sleep_until(next);
  }
}

Outcome outcome_of(const Options& options, const Shared& shared, const Watch& watch) {
  const auto& happenings = shared.happenings;
  Outcome result;
  result.seed = options.seed;
  result.totals = shared.account.totals();
  const auto of_senders = happenings.acknowledged + happenings.dead_lettered;
  const auto unknown = happenings.accepted > of_senders ? happenings.accepted - of_senders : 0;
  result.lost = std::max<std::uint64_t>(result.totals.open(), unknown);
  result.crashes = happenings.crashes;
  result.failed_starts = happenings.failed_starts;
  result.hangs = happenings.hangs;
  result.senders_ended = happenings.senders_ended;
  result.restarts = happenings.restarts;
  result.samples = watch.samples();
  std::vector<double> memory;
  for (const auto& sample : result.samples)
    memory.push_back(sample.memory_mb);
  result.growth = judge_growth(memory);
  return result;
}

} // namespace

Outcome run(const Options& options, const std::atomic<bool>& is_interrupted,
            const std::function<void(const Sample&)>& tell) {
  const auto descriptors_before = descriptors();
  const auto threads_before = threads();
  auto config = std::make_unique<caf::actor_system_config>();
  init(*config);
  auto system = std::make_unique<caf::actor_system>(*config);
  const auto running = [&] { return system->registry().running(); };
  const auto before = running();
  auto shared = std::unique_ptr<Shared>{new Shared{*system, options.seed}};
  Watch watch{*shared, tell};
  auto parts = all_parts(*shared);
  auto watchers = std::make_unique<Watchers>(shared->observatory, options.seed);
  disturb(options, is_interrupted, parts, watch);
  const auto seconds = watch.seconds(Clock::now());
  shared->is_over = true;
  for (const auto& part : parts)
    part->calm_down();
  becomes_true([&] { return shared->account.totals().open() == 0; });
  for (const auto& part : parts)
    part->end();
  becomes_true([&] { return running() <= before; });
  const auto watched = watchers->end();
  watchers.reset();
  auto result = outcome_of(options, *shared, watch);
  result.watchers = watched.came;
  result.watchers_failed = watched.failed;
  result.seconds = seconds;
  result.actors_left = beyond(running(), before);
  for (const auto& part : parts)
    result.lost += part->left();
  if (result.lost != 0 || result.actors_left != 0) {
    for (auto& part : parts)
      part.release();
    shared.release();
    system.release();
    config.release();
    return result;
  }
  parts.clear();
  shared.reset();
  system.reset();
  becomes_true([&] { return descriptors() <= descriptors_before && threads() <= threads_before; });
  result.descriptors_left = beyond(descriptors(), descriptors_before);
  result.threads_left = beyond(threads(), threads_before);
  return result;
}

} // namespace backoff_actor::soak
