#include "common/machine.hpp"
#include "common/processes.hpp"
#include "common/temporary_folder.hpp"
#include "postgres/bench.hpp"

#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <future>
#include <optional>
#include <stdexcept>
#include <thread>
#include <tuple>

namespace postgres_benchmarks {

namespace {

// -- commits ------------------------------------------------------------------------------

using namespace backoff_actor;
using benchmarks::Figures;

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

// -- time to own --------------------------------------------------------------------------

constexpr auto linear_goal = benchmarks::at_most(1.5);

PostgresAddress outbox_of(const std::string& connection, std::uint64_t backlog) {
  return {connection, "owed-" + std::to_string(backlog)};
}

void fill(const PostgresAddress& address, std::uint64_t backlog) {
  const auto store = new_outbox(address);
  constexpr std::uint64_t batch = 1000;
  for (std::uint64_t id = 1; id <= backlog; id += batch)
    store->commit(insertions(id, std::min(batch, backlog + 1 - id)));
}

// Milliseconds until all is read. The caller's process owned nothing before.
double time_to_own(const PostgresAddress& address, std::uint64_t backlog) {
  const auto shared = postgres_store(address);
  std::uint64_t read = 0;
  const auto seconds = benchmarks::seconds_of([&] {
    const auto store = shared->own(std::chrono::seconds{10});
    if (store == nullptr)
      throw std::runtime_error("nobody owns the outbox, and yet this process cannot");
    store->for_each_owed([&read](const StoredDelivery&) { ++read; });
  });
  if (read != backlog)
    throw std::runtime_error("read " + std::to_string(read) + " deliveries of "
                             + std::to_string(backlog));
  return seconds * 1e3;
}

// -- an old snapshot ----------------------------------------------------------------------

constexpr auto blocks_goal = benchmarks::at_most(1.5);
constexpr auto rows_goal = benchmarks::at_least(0.8);
constexpr std::uint64_t part_of_a_series = 10; // the first and the last tenth are compared
constexpr std::uint64_t sessions = 20;

// Holds back what the server may remove, in every way: it has a snapshot and a number.
constexpr auto old_snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id()";

// How many blocks the server has read of the tables of this database. A session tells what it has
// done when a second is over, after what it does next.
double blocks_read(SqlSession& session, const std::function<void()>& one_more) {
  std::this_thread::sleep_for(std::chrono::milliseconds{1100});
  one_more();
  std::this_thread::sleep_for(std::chrono::milliseconds{100});
  return std::stod(
    session.query("SELECT sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read, 0) + "
                  "coalesce(idx_blks_hit, 0)) FROM pg_statio_user_tables"));
}

// Does something again and again. Returns how many a second it is in the last part, and the blocks
// that the server reads for one then.
Figures run_series(const std::string& connection, std::uint64_t count,
                   const std::function<void()>& one_more) {
  SqlSession session{connection};
  const auto part = std::max<std::uint64_t>(count / part_of_a_series, 1);
  for (std::uint64_t i = part; i < count; ++i)
    one_more();
  const auto before = blocks_read(session, one_more);
  const auto seconds = benchmarks::seconds_of([&] {
    for (std::uint64_t i = 0; i < part; ++i)
      one_more();
  });
  const auto after = blocks_read(session, one_more);
  return {static_cast<double>(part) / seconds, (after - before) / static_cast<double>(part + 1)};
}

// Each commit inserts a delivery and acknowledges the one before.
Figures store_series(const std::string& connection, std::uint64_t count) {
  const auto store = new_outbox({connection, "commits"});
  std::uint64_t id = 0;
  return run_series(connection, count, [&] {
    auto changes = insertions(++id, 1);
    if (id > 1)
      changes.emplace_back(change::Acknowledge{id - 1, {1}});
    store->commit(changes);
  });
}

// A counter, as many queues keep one: each transaction updates the same row.
Figures counter_series(const std::string& connection, std::uint64_t count) {
  SqlSession{connection}.query("CREATE TABLE counter(id int PRIMARY KEY, n bigint); "
                               "INSERT INTO counter VALUES(1, 0)");
  SqlSession session{connection, "UPDATE counter SET n = n + 1 WHERE id = 1"};
  return run_series(connection, count, [&] { session.run({}); });
}

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

void measure_time_to_own(Rows& rows, const Server& server, const Extent& extent) {
  const auto most = extent.backlog;
  const std::vector<std::uint64_t> backlogs{0, most / 10, most * 3 / 10, most};
  Rows owned;
  Row linear{"time to own, each of " + benchmarks::grouped(most) + " / each of "
               + benchmarks::grouped(backlogs[1]),
             "us", linear_goal};
  in_new_database(server, [&](const std::string& connection) {
    for (const auto backlog : backlogs) {
      fill(outbox_of(connection, backlog), backlog);
      owned.push_back({"time to own, " + benchmarks::grouped(backlog) + " owed", "ms"});
    }
    server.query("CHECKPOINT");
    for (std::uint64_t round = 0; round < extent.rounds; ++round) {
      for (std::size_t i = 0; i < backlogs.size(); ++i)
        owned[i].ours.push_back(time_to_own(outbox_of(connection, backlogs[i]), backlogs[i]));
      const auto each = [&](std::size_t i) {
        return (owned[i].ours.back() - owned.front().ours.back()) * 1000
               / static_cast<double>(backlogs[i]);
      };
      linear.ours.push_back(each(3));
      linear.beside.push_back(each(1));
    }
  });
  owned.push_back(std::move(linear));
  rows.insert(rows.end(), owned.begin(), owned.end());
}

void measure_old_snapshot(Rows& rows, const Server& server, const Extent& extent) {
  // Measures figures without the snapshot, and behind it; a row has each of them.
  const auto add = [&](Rows more, const std::function<Figures(bool is_behind)>& measure) {
    for (std::uint64_t round = 0; round < extent.rounds; ++round)
      for (const auto part : {&Row::beside, &Row::ours}) {
        const auto figures = measure(part == &Row::ours);
        for (std::size_t i = 0; i < more.size(); ++i)
          (more[i].*part).push_back(figures.at(i));
      }
    rows.insert(rows.end(), more.begin(), more.end());
  };
  // In a new database, in which nothing else happens.
  const auto alone = [&](const std::function<Figures(const std::string&)>& measure) {
    return [&server, measure](bool is_behind) {
      Figures result;
      in_new_database(server, [&](const std::string& connection) {
        std::optional<SqlSession> snapshot;
        if (is_behind)
          snapshot.emplace(connection).query(old_snapshot);
        result = measure(connection);
      });
      return result;
    };
  };
  for (const auto& [what, series, goal] :
       {std::tuple{"a commit of a store", &store_series, std::optional{blocks_goal}},
        std::tuple{"an update of one row", &counter_series, std::optional<Goal>{}}}) {
    const auto name = std::string{what} + " after " + std::to_string(extent.commits);
    add({{name + ", behind / without", "commits/s"},
         {name + ": blocks that the server reads, behind / without", "", goal}},
        alone([&extent, series = series](const std::string& connection) {
          return series(connection, extent.commits);
        }));
  }
  const auto jobs = 5 * extent.jobs;
  const auto name = std::to_string(jobs) + " jobs, one a transaction: ";
  add({{name + "a sender, behind / without", "jobs/s", rows_goal}},
      alone([&](const std::string& connection) {
        return Figures{handed_over_per_second(connection, {sessions, 1, jobs})};
      }));
  for (const auto* const queue : peer_queues)
    if (!extent.peers.empty())
      add({{name + queue + ", behind / without", "jobs/s"}}, [&](bool is_behind) {
        return Figures{run_peer_queue(server, extent.peers, queue,
                                      {std::to_string(sessions), std::to_string(jobs)},
                                      "jobs_per_second", is_behind ? old_snapshot : "")};
      });
}

} // namespace postgres_benchmarks
