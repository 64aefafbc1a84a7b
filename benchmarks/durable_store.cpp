// durable_store: what it costs to keep deliveries in a file of SQLite.

#include "common/command_line.hpp"
#include "common/table.hpp"
#include "common/temporary_folder.hpp"
#include "faulty_vfs.hpp"

#include <backoff_actor/store/sqlite_store.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace durable_store {

namespace {

using namespace backoff_actor;

constexpr auto description =
  R"(Measures what it costs to keep deliveries in an SQLite file.

The program inserts a batch of deliveries and commits, then acknowledges the batch and commits.
Each commit survives a power loss: it waits until the disk has the data. For comparison, plain
SQLite does the same work in one table of numbers and payloads, with the same settings (write-ahead
log, synchronous = FULL, a checkpoint every 4000 pages). The program interleaves the rounds and
prints medians, and the median of the ratios. It counts the syncs in a separate run, where they
reach the disk.

The files are in a new folder in TMPDIR, or in /tmp. The result depends on whether that disk really
syncs.
)";

constexpr auto footer = R"(
Examples:
  durable_store
  durable_store --commits 500 --rounds 21
  TMPDIR=/mnt/disk durable_store

Exit codes:
  0    done
  1    failed, for example because the disk is full
  2    bad input; nothing was run
)";

constexpr std::array<std::uint64_t, 4> batches{1, 10, 100, 1000};

/// Takes deliveries and gives them back, a batch at a time.
class Queue {
public:
  Queue() = default;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  virtual ~Queue() = default;
  virtual void insert(std::uint64_t first, std::uint64_t count) = 0;
  virtual void acknowledge(std::uint64_t first, std::uint64_t count) = 0;
};

class StoreQueue final : public Queue {
public:
  StoreQueue(const std::filesystem::path& file, const std::string& vfs, std::uint64_t bytes)
    : store_(open_sqlite_store(file, {.vfs = vfs})), payload_(bytes, std::byte{7}) {}

  void insert(std::uint64_t first, std::uint64_t count) override {
    changes_.clear();
    for (auto id = first; id < first + count; ++id)
      changes_.emplace_back(change::Insert{{.id = id, .message = {"std::string", payload_}}});
    store_->commit(changes_);
  }

  void acknowledge(std::uint64_t first, std::uint64_t count) override {
    changes_.clear();
    for (auto id = first; id < first + count; ++id)
      changes_.emplace_back(change::Acknowledge{id, {}});
    store_->commit(changes_);
  }

private:
  std::shared_ptr<DeliveryStore> store_;
  std::vector<std::byte> payload_;
  std::vector<StoreChange> changes_;
};

/// What a program would write that knows SQLite well and needs no more than a queue.
class PlainQueue final : public Queue {
public:
  PlainQueue(const std::filesystem::path& file, const std::string& vfs, std::uint64_t bytes)
    : payload_(bytes, std::byte{7}) {
    check(sqlite3_open_v2(file.c_str(), &database_,
                          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                          vfs.empty() ? nullptr : vfs.c_str()));
    check(sqlite3_exec(database_,
                       "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                       "PRAGMA wal_autocheckpoint = 4000;"
                       "CREATE TABLE queue(id INTEGER PRIMARY KEY, payload BLOB NOT NULL)",
                       nullptr, nullptr, nullptr));
    prepare("BEGIN IMMEDIATE", begin_);
    prepare("COMMIT", commit_);
    prepare("INSERT INTO queue VALUES(?1, ?2)", insert_);
    prepare("DELETE FROM queue WHERE id = ?1", delete_);
  }

  ~PlainQueue() override {
    for (auto* statement : {begin_, commit_, insert_, delete_})
      sqlite3_finalize(statement);
    sqlite3_close(database_);
  }

  void insert(std::uint64_t first, std::uint64_t count) override {
    run(begin_);
    for (auto id = first; id < first + count; ++id) {
      check(sqlite3_bind_int64(insert_, 1, static_cast<std::int64_t>(id)));
      check(sqlite3_bind_blob(insert_, 2, payload_.data(), static_cast<int>(payload_.size()),
                              SQLITE_STATIC));
      run(insert_);
    }
    run(commit_);
  }

  void acknowledge(std::uint64_t first, std::uint64_t count) override {
    run(begin_);
    for (auto id = first; id < first + count; ++id) {
      check(sqlite3_bind_int64(delete_, 1, static_cast<std::int64_t>(id)));
      run(delete_);
    }
    run(commit_);
  }

private:
  void check(int code) const {
    if (code != SQLITE_OK)
      throw std::runtime_error(sqlite3_errmsg(database_));
  }

  void prepare(const char* text, sqlite3_stmt*& statement) {
    check(sqlite3_prepare_v2(database_, text, -1, &statement, nullptr));
  }

  void run(sqlite3_stmt* statement) const {
    if (sqlite3_step(statement) != SQLITE_DONE)
      throw std::runtime_error(sqlite3_errmsg(database_));
    check(sqlite3_reset(statement));
  }

  sqlite3* database_ = nullptr;
  sqlite3_stmt* begin_ = nullptr;
  sqlite3_stmt* commit_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* delete_ = nullptr;
  std::vector<std::byte> payload_;
};

struct Load {
  std::uint64_t batch;
  std::uint64_t commits; // half of them of inserts
};

/// Numbers go up from one load to the next, as a store's do.
class Driver {
public:
  explicit Driver(Queue& queue) : queue_(queue) {}

  void drive(const Load& load) {
    for (std::uint64_t i = 0; i < load.commits / 2; ++i) {
      queue_.insert(next_, load.batch);
      queue_.acknowledge(next_, load.batch);
      next_ += load.batch;
    }
  }

  double deliveries_per_second(const Load& load) {
    const auto begin = std::chrono::steady_clock::now();
    drive(load);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return static_cast<double>(load.commits / 2 * load.batch) / took.count();
  }

private:
  Queue& queue_;
  std::uint64_t next_ = 1;
};

struct Speeds {
  std::vector<double> store{}; // deliveries per second, by rounds
  std::vector<double> plain{};
  std::vector<double> ratios{};
};

// Of so many commits of a batch, in a queue that is new.
template <class Q>
double syncs_per_delivery(const std::filesystem::path& file, const Load& load,
                          std::uint64_t bytes) {
  test::FaultyVfs vfs; // which fails nowhere, and counts
  Q queue{file, test::FaultyVfs::name, bytes};
  const auto before = vfs.calls().syncs;
  Driver{queue}.drive(load);
  return static_cast<double>(vfs.calls().syncs - before)
         / static_cast<double>(load.commits / 2 * load.batch);
}

void measure(std::uint64_t commits, std::uint64_t rounds, std::uint64_t bytes) {
  const example::TemporaryFolder folder{"durable_store"};
  benchmarks::Table table{{"batch", "store, deliveries/s", "plain SQLite, deliveries/s",
                           "store / plain", "store, syncs/delivery", "plain, syncs/delivery"}};
  for (const auto batch : batches) {
    const Load load{batch, commits};
    const auto name = std::to_string(batch);
    Speeds speeds;
    {
      StoreQueue store{folder / ("store" + name), "", bytes};
      PlainQueue plain{folder / ("plain" + name), "", bytes};
      Driver of_store{store};
      Driver of_plain{plain};
      of_store.drive({batch, 2});
      of_plain.drive({batch, 2});
      for (std::uint64_t round = 0; round < rounds; ++round) {
        speeds.store.push_back(of_store.deliveries_per_second(load));
        speeds.plain.push_back(of_plain.deliveries_per_second(load));
        speeds.ratios.push_back(speeds.store.back() / speeds.plain.back());
      }
    }
    const Load counted{batch, std::max<std::uint64_t>(commits, 200)};
    table.add({name, benchmarks::grouped(std::llround(benchmarks::median(speeds.store))),
               benchmarks::grouped(std::llround(benchmarks::median(speeds.plain))),
               benchmarks::with_decimals(benchmarks::median(speeds.ratios), 2),
               benchmarks::with_decimals(
                 syncs_per_delivery<StoreQueue>(folder / ("s" + name), counted, bytes), 4),
               benchmarks::with_decimals(
                 syncs_per_delivery<PlainQueue>(folder / ("p" + name), counted, bytes), 4)});
  }
  std::cout << table.text();
}

} // namespace

} // namespace durable_store

int main(int argc, char** argv) {
  std::uint64_t commits = 100;
  std::uint64_t rounds = 11;
  std::uint64_t bytes = 256;
  benchmarks::CommandLine command_line{"durable_store", durable_store::description,
                                       durable_store::footer};
  command_line.number("--commits", commits, 2, 1'000'000,
                      "commits in a round; half of them are inserts");
  command_line.number("--rounds", rounds, 1, 1001, "number of rounds; the medians are printed");
  command_line.number("--bytes", bytes, 1, 10'000'000, "bytes in a payload");
  if (const auto code = command_line.parse(argc, argv))
    return *code;
  try {
    durable_store::measure(commits, rounds, bytes);
  } catch (const std::exception& error) {
    std::cerr << "durable_store: " << error.what() << '\n';
    return benchmarks::exit_failed;
  }
  return benchmarks::exit_done;
}
