// durable_store: what it costs to keep deliveries in a file of SQLite.

#include "common/machine.hpp"
#include "common/program.hpp"
#include "common/temporary_folder.hpp"
#include "faulty_vfs.hpp"

#include <backoff_actor/store/sqlite_store.hpp>

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace durable_store {

namespace {

using namespace backoff_actor;

const benchmarks::Words words{
  "durable_store",
  R"(Measures what it costs to keep deliveries in an SQLite file.

The program inserts a batch of deliveries of 256 bytes and commits, then acknowledges the batch and
commits. Each commit survives a power loss: it waits until the disk has the data. For comparison,
plain SQLite does the same work in one table of numbers and payloads, with the same settings
(write-ahead log, synchronous = FULL, a checkpoint every 4000 pages). It counts the syncs in a
separate run, where they reach the disk.

The files are in a new folder in TMPDIR, or in /tmp. The result depends on whether that disk really
syncs.
)",
  "  durable_store\n  durable_store --commits 500 --rounds 21\n  TMPDIR=/mnt/disk durable_store\n",
  "failed, for example because the disk is full"};

/// Takes a batch of deliveries, and gives it back; the numbers go up.
class StoreQueue {
public:
  StoreQueue(const std::filesystem::path& file, const std::string& vfs)
    : store_(open_sqlite_store(file, {.vfs = vfs})) {}

  void insert_and_acknowledge(std::uint64_t count) {
    changes_.clear();
    for (auto id = next_; id < next_ + count; ++id)
      changes_.emplace_back(change::Insert{{.id = id, .message = {"std::string", payload_}}});
    store_->commit(changes_);
    changes_.clear();
    for (const auto end = next_ + count; next_ < end; ++next_)
      changes_.emplace_back(change::Acknowledge{next_, {}});
    store_->commit(changes_);
  }

private:
  std::shared_ptr<DeliveryStore> store_;
  std::vector<std::byte> payload_ = std::vector<std::byte>(256, std::byte{7});
  std::vector<StoreChange> changes_;
  std::uint64_t next_ = 1;
};

/// What a program would write that knows SQLite well and needs no more than a queue.
class PlainQueue {
public:
  PlainQueue(const std::filesystem::path& file, const std::string& vfs)
    : database_(opened(file, vfs)) {}

  void insert_and_acknowledge(std::uint64_t count) {
    run(begin_);
    for (auto id = next_; id < next_ + count; ++id) {
      insert_.bind(1, static_cast<std::int64_t>(id));
      insert_.bindNoCopy(2, payload_.data(), static_cast<int>(payload_.size()));
      run(insert_);
    }
    run(commit_);
    run(begin_);
    for (const auto end = next_ + count; next_ < end; ++next_) {
      delete_.bind(1, static_cast<std::int64_t>(next_));
      run(delete_);
    }
    run(commit_);
  }

private:
  static SQLite::Database opened(const std::filesystem::path& file, const std::string& vfs) {
    SQLite::Database result{
      file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLite::OPEN_NOMUTEX, 0, vfs};
    result.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                "PRAGMA wal_autocheckpoint = 4000;"
                "CREATE TABLE queue(id INTEGER PRIMARY KEY, payload BLOB NOT NULL)");
    return result;
  }

  static void run(SQLite::Statement& statement) {
    statement.exec();
    statement.reset();
  }

  SQLite::Database database_;
  SQLite::Statement begin_{database_, "BEGIN IMMEDIATE"};
  SQLite::Statement commit_{database_, "COMMIT"};
  SQLite::Statement insert_{database_, "INSERT INTO queue VALUES(?1, ?2)"};
  SQLite::Statement delete_{database_, "DELETE FROM queue WHERE id = ?1"};
  std::vector<std::byte> payload_ = std::vector<std::byte>(256, std::byte{7});
  std::uint64_t next_ = 1;
};

struct Load {
  std::uint64_t batch;
  std::uint64_t commits; // half of them of inserts

  double deliveries() const { return static_cast<double>(commits / 2 * batch); }

  template <class Queue>
  void drive(Queue& queue) const {
    for (std::uint64_t i = 0; i < commits / 2; ++i)
      queue.insert_and_acknowledge(batch);
  }
};

// Of so many commits of a batch, in a queue that is new.
template <class Queue>
double syncs_per_delivery(const std::filesystem::path& file, const Load& load) {
  test::FaultyVfs vfs; // which fails nowhere, and counts
  Queue queue{file, test::FaultyVfs::name};
  const auto before = vfs.calls().syncs;
  load.drive(queue);
  return static_cast<double>(vfs.calls().syncs - before) / load.deliveries();
}

benchmarks::Subject subject(const example::TemporaryFolder& folder, const Load& load) {
  const auto name = std::to_string(load.batch);
  const Load counted{load.batch, std::max<std::uint64_t>(load.commits, 200)};
  const auto store_syncs = syncs_per_delivery<StoreQueue>(folder / ("s" + name), counted);
  const auto plain_syncs = syncs_per_delivery<PlainQueue>(folder / ("p" + name), counted);
  const auto store = std::make_shared<StoreQueue>(folder / ("store" + name), "");
  const auto plain = std::make_shared<PlainQueue>(folder / ("plain" + name), "");
  store->insert_and_acknowledge(load.batch);
  plain->insert_and_acknowledge(load.batch);
  return {name, [=]() -> benchmarks::Figures {
            const auto ours =
              load.deliveries() / benchmarks::seconds_of([&] { load.drive(*store); });
            const auto beside =
              load.deliveries() / benchmarks::seconds_of([&] { load.drive(*plain); });
            return {ours, beside, ours / beside, store_syncs, plain_syncs};
          }};
}

benchmarks::Report measure(std::uint64_t commits, std::uint64_t rounds) {
  const example::TemporaryFolder folder{"durable_store"};
  std::vector<benchmarks::Subject> subjects;
  for (const std::uint64_t batch : {1U, 10U, 100U, 1000U})
    subjects.push_back(subject(folder, {batch, commits}));
  return benchmarks::Grid{{"batch", "store, deliveries/s", "plain SQLite, deliveries/s",
                           "store / plain", "store, syncs/delivery", "plain, syncs/delivery"},
                          rounds,
                          subjects}
    .report();
}

} // namespace

} // namespace durable_store

int main(int argc, char** argv) {
  std::uint64_t commits = 100;
  std::uint64_t rounds = 11;
  benchmarks::Program program{durable_store::words};
  program.number("--commits", commits, 2, 1'000'000,
                 "commits in a round; half of them are inserts");
  program.number("--rounds", rounds, 1, 1001, "number of rounds");
  return program.run(argc, argv, [&] { return durable_store::measure(commits, rounds); });
}
