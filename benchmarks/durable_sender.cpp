// durable_sender: what a whole sender does with a durable outbox, beside one without.

#include "common/command_line.hpp"
#include "common/table.hpp"
#include "common/temporary_folder.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/store/sqlite_store.hpp>
#include <backoff_actor/testing/stores/store_in_front.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <iostream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace durable_sender {

namespace {

using namespace backoff_actor;

constexpr auto description =
  R"(Measures the throughput of a sender with a durable outbox in an SQLite file.

A client sends messages and waits for their answers; the window is the number of messages in
flight. The child answers at once. A message therefore waits for one commit, and is acknowledged
with the next. The larger the window, the more messages share a commit, without any setting. For
comparison, the program measures the same with the outbox in memory. It interleaves the rounds and
prints medians.

By default the outbox writes in a thread of its own. With --scheduler-thread it writes in those of
the actor system. With --without-idle-sleeps, CAF's idle threads wait for work without sleeps
(work-stealing.moderate-poll-attempts=0).

The file is in a new folder in TMPDIR, or in /tmp. The result depends on whether that disk really
syncs. Each commit is one sync (durable_store counts them).
)";

constexpr auto footer = R"(
Examples:
  durable_sender
  durable_sender --json
  durable_sender --messages 20000 --rounds 11
  TMPDIR=/dev/shm durable_sender --scheduler-thread   # what is left without a disk

Exit codes:
  0    done
  1    failed, for example because the disk is full
  2    bad input; nothing was run
)";

constexpr std::array<std::uint64_t, 4> windows{1, 10, 100, 1000};

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

class Worker : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const std::string& text) { return static_cast<std::uint64_t>(text.size()); }};
  }
};

class Client : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, caf::actor receiver, std::uint64_t messages,
         std::uint64_t window, std::uint64_t bytes, std::shared_ptr<std::promise<void>> when_done)
    : caf::event_based_actor(config), receiver_(std::move(receiver)), to_send_(messages),
      to_come_(messages), window_(std::min(window, messages)), text_(bytes, 'x'),
      done_(std::move(when_done)) {}

  caf::behavior make_behavior() override {
    for (std::uint64_t i = 0; i < window_; ++i)
      send_one();
    return {[this](std::uint64_t) {
      if (--to_come_ == 0) {
        done_->set_value();
        quit();
      } else if (to_send_ > 0) {
        send_one();
      }
    }};
  }

  void on_exit() override { receiver_ = nullptr; }

private:
  void send_one() {
    --to_send_;
    send(receiver_, text_);
  }

  caf::actor receiver_;
  std::uint64_t to_send_;
  std::uint64_t to_come_;
  std::uint64_t window_;
  std::string text_;
  std::shared_ptr<std::promise<void>> done_;
};

struct Threads {
  bool writes_in_scheduler = false;
  bool has_idle_sleeps = true;
};

struct Load {
  std::uint64_t messages;
  std::uint64_t window;
  std::uint64_t bytes;
  Threads threads;
};

double deliveries_per_second(const Load& load, DurableOutbox outbox) {
  caf::actor_system_config config;
  init(config);
  if (!load.threads.has_idle_sleeps)
    for (const auto* const group : {"", "caf."}) // in CAF 0.17, in CAF 1.x
      config.set(group + std::string{"work-stealing.moderate-poll-attempts"}, std::size_t{0});
  caf::actor_system system{config};
  SenderOptions options;
  options.outbox = std::move(outbox);
  const auto sender = spawn_back_off_sender(system, child_of<Worker>(), std::move(options));
  const auto done = std::make_shared<std::promise<void>>();
  const auto begin = std::chrono::steady_clock::now();
  system.spawn<Client>(sender, load.messages, load.window, load.bytes, done);
  done->get_future().wait();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(load.messages) / took.count();
}

/// Medians of one window.
struct Row {
  std::uint64_t window;
  double durable; // deliveries per second
  double in_memory;
  double ratio;
  double commits; // per delivery
};

Row measure(const Load& load, std::uint64_t rounds, const example::TemporaryFolder& folder) {
  std::vector<double> durable_speeds;
  std::vector<double> memory_speeds;
  std::vector<double> ratios;
  std::vector<double> commits;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto file = folder / (std::to_string(load.window) + "-" + std::to_string(round));
    const auto store = std::make_shared<CountingStore>(open_sqlite_store(file));
    DurableOptions options;
    if (load.threads.writes_in_scheduler)
      options.thread = WriterThread::scheduler;
    durable_speeds.push_back(
      deliveries_per_second(load, DurableOutbox{store, durable<std::string>(), options}));
    memory_speeds.push_back(deliveries_per_second(load, {}));
    ratios.push_back(durable_speeds.back() / memory_speeds.back());
    commits.push_back(static_cast<double>(store->commits()) / static_cast<double>(load.messages));
  }
  return {load.window, benchmarks::median(durable_speeds), benchmarks::median(memory_speeds),
          benchmarks::median(ratios), benchmarks::median(commits)};
}

std::vector<Row> measure_all(std::uint64_t messages, std::uint64_t rounds, std::uint64_t bytes,
                             Threads threads) {
  const example::TemporaryFolder folder{"durable_sender"};
  std::vector<Row> rows;
  for (const auto window : windows) {
    // A narrow window is slow: no more messages than take about as long.
    const auto affordable = std::min(messages, std::max<std::uint64_t>(window * 200, 200));
    rows.push_back(measure({affordable, window, bytes, threads}, rounds, folder));
  }
  return rows;
}

std::string table(const std::vector<Row>& rows) {
  benchmarks::Table result{{"window", "durable, deliveries/s", "in memory, deliveries/s",
                            "durable / in memory", "commits/delivery"}};
  for (const auto& row : rows)
    result.add({std::to_string(row.window), benchmarks::grouped(std::llround(row.durable)),
                benchmarks::grouped(std::llround(row.in_memory)),
                benchmarks::with_decimals(row.ratio, 4),
                benchmarks::with_decimals(row.commits, 4)});
  return result.text();
}

std::string json(const std::vector<Row>& rows) {
  std::ostringstream out;
  out << R"({"benchmark": "durable_sender", "rows": [)";
  for (std::size_t i = 0; i < rows.size(); ++i)
    out << (i == 0 ? "\n" : ",\n") << R"(  {"window": )" << rows[i].window
        << R"(, "durable_per_s": )" << rows[i].durable << R"(, "in_memory_per_s": )"
        << rows[i].in_memory << R"(, "ratio": )" << rows[i].ratio << R"(, "commits_per_delivery": )"
        << rows[i].commits << '}';
  out << "\n]}\n";
  return out.str();
}

} // namespace

} // namespace durable_sender

int main(int argc, char** argv) {
  std::uint64_t messages = 20'000;
  std::uint64_t rounds = 5;
  std::uint64_t bytes = 256;
  bool in_scheduler = false;
  bool without_sleeps = false;
  bool as_json = false;
  benchmarks::CommandLine command_line{"durable_sender", durable_sender::description,
                                       durable_sender::footer};
  command_line.number("--messages", messages, 1, 10'000'000, "the most messages in a round");
  command_line.number("--rounds", rounds, 1, 1001, "number of rounds; the medians are printed");
  command_line.number("--bytes", bytes, 1, 10'000'000, "bytes in a message");
  command_line.flag("--scheduler-thread", in_scheduler, "write in a thread of the actor system");
  command_line.flag("--without-idle-sleeps", without_sleeps, "wake idle threads at once");
  command_line.flag("--json", as_json, "print JSON");
  if (const auto code = command_line.parse(argc, argv))
    return *code;
  try {
    const auto rows =
      durable_sender::measure_all(messages, rounds, bytes, {in_scheduler, !without_sleeps});
    std::cout << (as_json ? durable_sender::json(rows) : durable_sender::table(rows));
  } catch (const std::exception& error) {
    std::cerr << "durable_sender: " << error.what() << '\n';
    return benchmarks::exit_failed;
  }
  return benchmarks::exit_done;
}
