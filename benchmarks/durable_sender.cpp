// durable_sender: what a whole sender does with a durable outbox, beside one without.

#include "common/actors.hpp"
#include "common/program.hpp"
#include "common/temporary_folder.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/store/sqlite_store.hpp>
#include <backoff_actor/testing/stores/store_in_front.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace durable_sender {

namespace {

using namespace backoff_actor;

const benchmarks::Words words{
  "durable_sender",
  R"(Measures the throughput of a sender with a durable outbox in an SQLite file.

A client sends messages of 256 bytes and waits for their answers; the window is the number of
messages in flight. The child answers at once. A message therefore waits for one commit, and is
acknowledged with the next. The larger the window, the more messages share a commit, without any
setting. For comparison, the program measures the same with the outbox in memory.

By default the outbox writes in a thread of its own. With --scheduler-thread it writes in those of
the actor system. With --without-idle-sleeps, CAF's idle threads wait for work without sleeps
(work-stealing.moderate-poll-attempts=0).

The file is in a new folder in TMPDIR, or in /tmp. The result depends on whether that disk really
syncs. Each commit is one sync (durable_store counts them).
)",
  "  durable_sender\n  durable_sender --messages 20000 --rounds 11\n"
  "  TMPDIR=/dev/shm durable_sender --scheduler-thread   # what is left without a disk\n",
  "failed, for example because the disk is full"};

/// Counts what another store commits.
class CountingStore final : public testing::StoreInFront {
public:
  using StoreInFront::StoreInFront;

  std::uint64_t commits() const { return commits_; }

  void commit(std::span<const StoreChange> changes) override {
    StoreInFront::commit(changes);
    ++commits_;
  }

private:
  std::atomic<std::uint64_t> commits_ = 0;
};

struct Options {
  std::uint64_t messages = 20'000;
  std::uint64_t rounds = 5;
  bool writes_in_scheduler = false;
  bool is_without_idle_sleeps = false;
};

double deliveries_per_second(const Options& options, const benchmarks::Load& load,
                             DurableOutbox outbox) {
  caf::actor_system_config config;
  init(config);
  if (options.is_without_idle_sleeps)
    for (const auto* const group : {"", "caf."}) // in CAF 0.17, in CAF 1.x
      config.set(group + std::string{"work-stealing.moderate-poll-attempts"}, std::size_t{0});
  caf::actor_system system{config};
  SenderOptions of_sender;
  of_sender.outbox = std::move(outbox);
  return benchmarks::answers_per_second(
    system, spawn_back_off_sender(system, child_of(benchmarks::echo), std::move(of_sender)), load);
}

benchmarks::Figures figures_of(const Options& options, const benchmarks::Load& load) {
  const example::TemporaryFolder folder{"durable_sender"};
  const auto store = std::make_shared<CountingStore>(open_sqlite_store(folder / "outbox"));
  DurableOptions of_outbox;
  if (options.writes_in_scheduler)
    of_outbox.thread = WriterThread::scheduler;
  const auto durable_speed =
    deliveries_per_second(options, load, DurableOutbox{store, durable<std::string>(), of_outbox});
  const auto memory_speed = deliveries_per_second(options, load, {});
  return {durable_speed, memory_speed, durable_speed / memory_speed,
          static_cast<double>(store->commits()) / static_cast<double>(load.messages)};
}

benchmarks::Report measure(const Options& options) {
  std::vector<benchmarks::Subject> subjects;
  for (const std::uint64_t window : {1U, 10U, 100U, 1000U}) {
    // A narrow window is slow: no more messages than take about as long.
    const auto messages = std::min(options.messages, std::max<std::uint64_t>(window * 200, 200));
    subjects.push_back({std::to_string(window), [=] {
                          return figures_of(options, {messages, window, 256});
                        }});
  }
  return benchmarks::Grid{{"window", "durable, deliveries/s", "in memory, deliveries/s",
                           "durable / in memory", "commits/delivery"},
                          options.rounds,
                          subjects}
    .report();
}

} // namespace

} // namespace durable_sender

int main(int argc, char** argv) {
  durable_sender::Options options;
  benchmarks::Program program{durable_sender::words};
  program.number("--messages", options.messages, 1, 10'000'000, "the most messages in a round");
  program.number("--rounds", options.rounds, 1, 1001, "number of rounds");
  program.flag("--scheduler-thread", options.writes_in_scheduler,
               "write in a thread of the actor system");
  program.flag("--without-idle-sleeps", options.is_without_idle_sleeps,
               "wake idle threads at once");
  return program.run(argc, argv, [&] { return durable_sender::measure(options); });
}
