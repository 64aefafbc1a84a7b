#include "common/process.hpp"
#include "common/temporary_folder.hpp"
#include "postgres/measures.hpp"
#include "postgres/server.hpp"

#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace postgres_benchmarks {

namespace {

using namespace backoff_actor;

constexpr std::size_t payload_size = 256;
constexpr std::uint64_t goal_batch = 100;
constexpr auto speed_goal = benchmarks::at_least(0.5);
constexpr auto time_goal = benchmarks::ours_at_most(15);

// Both have the same settings, see the schema of the store.
constexpr auto plain_table = R"(CREATE TABLE job(id bigint PRIMARY KEY, payload bytea NOT NULL)
  WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);
ALTER TABLE job ALTER payload SET STORAGE EXTERNAL)";

// A transaction inserts :n rows, and deletes those of the one before. All is one round trip.
constexpr auto script = R"(\set first :next
\set next :next + :n
\startpipeline
BEGIN;
INSERT INTO job SELECT i, repeat('x', 256)::bytea
  FROM generate_series(:first::bigint, :next::bigint - 1) AS i;
DELETE FROM job WHERE id BETWEEN :first::bigint - :n::bigint AND :first::bigint - 1;
COMMIT;
\endpipeline
)";

struct CommitRun {
  double deliveries_per_second;
  double server_time; // us for each delivery
};

class StoreCommits {
public:
  explicit StoreCommits(const example::PrivatePostgres& server) : server_(server.process()) {
    make_database(server, database);
    store_ = open_postgres_store({server.connection(database), "commits"},
                                 {.lease = std::chrono::minutes{5}});
    store_->set_message_format("benchmark");
    store_->for_each_owed([](const StoredDelivery&) {}); // as every owner does first
  }

  CommitRun run(std::uint64_t batch, std::chrono::seconds length) {
    prepare(batch);
    commit(); // leaves a batch of this size
    commit();
    const auto time_before = session_time(server_, database);
    const auto first = next_;
    const auto begin = std::chrono::steady_clock::now();
    std::chrono::duration<double> took{};
    do {
      commit();
      took = std::chrono::steady_clock::now() - begin;
    } while (took < length);
    const auto deliveries = static_cast<double>(next_ - first);
    return {deliveries / took.count(),
            (session_time(server_, database) - time_before) / deliveries};
  }

private:
  static constexpr auto database = "bench_store";

  // The changes of one commit, without their numbers. What is owed from before goes with the next.
  void prepare(std::uint64_t batch) {
    const auto now = wall_time();
    changes_.clear();
    for (std::uint64_t i = 0; i < batch; ++i) {
      change::Insert insert{};
      insert.delivery.submitted_at = now;
      insert.delivery.message = {"std::string", std::vector<std::byte>(payload_size)};
      changes_.emplace_back(std::move(insert));
    }
    for (auto id = next_ - owed_; id < next_; ++id)
      changes_.emplace_back(change::Acknowledge{id, now});
    batch_ = batch;
  }

  void commit() {
    auto change = changes_.begin();
    for (std::uint64_t i = 0; i < batch_; ++i, ++change)
      std::get<change::Insert>(*change).delivery.id = next_ + i;
    store_->commit(changes_);
    next_ += batch_;
    owed_ = batch_;
    changes_.resize(2 * batch_, change::Acknowledge{});
    const auto now = wall_time();
    for (auto id = next_ - owed_; id < next_; ++id)
      changes_[id - next_ + 2 * batch_] = change::Acknowledge{id, now};
  }

  static WallTime wall_time() {
    return {std::chrono::duration_cast<std::chrono::nanoseconds>(
              std::chrono::system_clock::now().time_since_epoch())
              .count()};
  }

  pid_t server_;
  std::shared_ptr<DeliveryStore> store_;
  std::vector<StoreChange> changes_;
  std::uint64_t batch_ = 0;
  std::uint64_t owed_ = 0; // of the commit before
  std::uint64_t next_ = 1;
};

class PlainCommits {
public:
  explicit PlainCommits(const example::PrivatePostgres& server) : server_(server) {
    server.query(std::string{"CREATE DATABASE "} + database);
    server.query(plain_table, database);
    std::ofstream{folder_ / "script"} << script;
  }

  CommitRun run(std::uint64_t batch, std::chrono::seconds length) {
    const auto output = folder_ / "output";
    const auto program = example::PrivatePostgres::programs() / "pgbench";
    double time = 0;
    {
      const example::FileDescriptor file{
        open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
      example::Process process{
        {program, "--no-vacuum", "--client=1", "--protocol=prepared",
         "--time=" + std::to_string(length.count()), "--define=n=" + std::to_string(batch),
         "--define=next=" + std::to_string(next_), "--file=" + (folder_ / "script").string(),
         server_.connection(database)},
        {.out = file.get()}};
      while (!process.ending()) {
        time = std::max(time, session_time(server_.process(), database));
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
      }
      if (!process.wait().is_success())
        throw std::runtime_error("pgbench: " + example::to_string(process.wait()));
    }
    std::ifstream in{output};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    const auto transactions = number_after(text, "actually processed: ");
    next_ += static_cast<std::uint64_t>(transactions) * batch;
    const auto size = static_cast<double>(batch);
    return {number_after(text, "tps = ") * size, time / (transactions * size)};
  }

private:
  static constexpr auto database = "bench_plain";

  static double number_after(const std::string& text, const std::string& words) {
    const auto found = text.find(words);
    if (found == std::string::npos)
      throw std::runtime_error("pgbench printed no '" + words + "': " + text);
    return std::stod(text.substr(found + words.size()));
  }

  const example::PrivatePostgres& server_;
  example::TemporaryFolder folder_{"postgres_store"};
  std::uint64_t next_ = 1;
};

} // namespace

Rows measure_commits(const Server& server, const Extent& extent) {
  StoreCommits store{server};
  PlainCommits plain{server};
  constexpr std::uint64_t batches[] = {1, 10, 100, 1000};
  Rows rows;
  for (const auto batch : batches) {
    const auto name = "commits of " + benchmarks::grouped(static_cast<std::int64_t>(batch));
    rows.push_back({name + ": store / pgbench", "deliveries/s"});
    rows.push_back({name + ": the server's processor, store / pgbench", "us"});
    if (batch == goal_batch) {
      rows[rows.size() - 2].goal = speed_goal;
      rows.back().goal = time_goal;
    }
  }
  const std::chrono::seconds length{extent.seconds};
  for (std::uint64_t round = 0; round < extent.rounds; ++round) {
    auto row = rows.begin();
    for (const auto batch : batches) {
      for (const auto is_ours : {round % 2 == 0, round % 2 != 0}) {
        server.query("CHECKPOINT");
        const auto run = is_ours ? store.run(batch, length) : plain.run(batch, length);
        const auto part = is_ours ? &Row::ours : &Row::beside;
        (row[0].*part).push_back(run.deliveries_per_second);
        (row[1].*part).push_back(run.server_time);
      }
      row += 2;
    }
  }
  return rows;
}

} // namespace postgres_benchmarks
