#include "common/machine.hpp"
#include "common/processes.hpp"
#include "common/temporary_folder.hpp"
#include "postgres/measures.hpp"
#include "postgres/server.hpp"

#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <future>
#include <optional>
#include <stdexcept>

namespace postgres_benchmarks {

namespace {

using namespace backoff_actor;

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
  explicit StoreCommits(const Server& server) : server_(server.process()) {
    make_database(server, database);
    store_ = new_outbox({server.connection(database), "commits"});
  }

  CommitRun run(std::uint64_t batch, std::chrono::seconds length) {
    changes_ = insertions(next_, batch);
    store_->commit(changes_);
    next_ += batch;
    changes_.resize(2 * batch, change::Acknowledge{});
    commit(batch);
    const auto time_before = session_time(server_, database);
    const auto first = next_;
    const auto seconds = benchmarks::seconds_of([&] {
      const auto end = std::chrono::steady_clock::now() + length;
      do
        commit(batch);
      while (std::chrono::steady_clock::now() < end);
    });
    const auto deliveries = static_cast<double>(next_ - first);
    const auto time = session_time(server_, database) - time_before;
    for (std::uint64_t i = 0; i < batch; ++i)
      changes_[i] = change::Acknowledge{next_ - batch + i, {1}};
    changes_.resize(batch);
    store_->commit(changes_); // nothing is owed to the next run
    return {deliveries / seconds, time / deliveries};
  }

private:
  static constexpr auto database = "bench_store";

  // Inserts a batch, and acknowledges the one before.
  void commit(std::uint64_t batch) {
    for (std::uint64_t i = 0; i < batch; ++i) {
      std::get<change::Insert>(changes_[i]).delivery.id = next_ + i;
      changes_[batch + i] = change::Acknowledge{next_ - batch + i, {1}};
    }
    store_->commit(changes_);
    next_ += batch;
  }

  pid_t server_;
  std::shared_ptr<DeliveryStore> store_;
  std::vector<StoreChange> changes_;
  std::uint64_t next_ = 1;
};

class PlainCommits {
public:
  explicit PlainCommits(const Server& server) : server_(server) {
    server.query(std::string{"CREATE DATABASE "} + database);
    server.query(plain_table, database);
    std::ofstream{folder_ / "script"} << script;
  }

  CommitRun run(std::uint64_t batch, std::chrono::seconds length) {
    const std::vector<std::string> command{Server::programs() / "pgbench",
                                           "--no-vacuum",
                                           "--client=1",
                                           "--protocol=prepared",
                                           "--time=" + std::to_string(length.count()),
                                           "--define=n=" + std::to_string(batch),
                                           "--define=next=" + std::to_string(next_),
                                           "--file=" + (folder_ / "script").string(),
                                           server_.connection(database)};
    auto output = std::async(std::launch::async, &benchmarks::output_of, command);
    double time = 0;
    while (output.wait_for(std::chrono::milliseconds{5}) != std::future_status::ready)
      time = std::max(time, session_time(server_.process(), database));
    const auto text = output.get();
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

  const Server& server_;
  example::TemporaryFolder folder_{"postgres_store"};
  std::uint64_t next_ = 1;
};

} // namespace

void measure_commits(Rows& rows, const Server& server, const Extent& extent) {
  StoreCommits store{server};
  PlainCommits plain{server};
  constexpr std::uint64_t batches[] = {1, 10, 100, 1000};
  const auto first = static_cast<std::ptrdiff_t>(rows.size());
  for (const auto batch : batches) {
    const auto name = "commits of " + benchmarks::grouped(batch);
    const auto has_goal = batch == goal_batch;
    rows.push_back({name + ": store / pgbench", "deliveries/s",
                    has_goal ? std::optional{speed_goal} : std::nullopt});
    rows.push_back({name + ": the server's processor, store / pgbench", "us",
                    has_goal ? std::optional{time_goal} : std::nullopt});
  }
  const std::chrono::seconds length{extent.seconds};
  for (std::uint64_t round = 0; round < extent.rounds; ++round) {
    auto row = rows.begin() + first;
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
}

} // namespace postgres_benchmarks
