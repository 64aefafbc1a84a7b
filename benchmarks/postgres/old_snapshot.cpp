#include "postgres/old_snapshot.hpp"

#include "postgres/own_incoming.hpp"
#include "postgres/peer_queues.hpp"
#include "postgres/server.hpp"
#include "postgres/sql_session.hpp"

#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

namespace postgres_benchmarks {

namespace {

using namespace backoff_actor;
using Clock = std::chrono::steady_clock;

constexpr Goal blocks_goal{false, 1.5};
constexpr Goal rows_goal{true, 0.8};
constexpr std::uint64_t part_of_a_series = 10; // the first and the last tenth are compared
constexpr auto database = "bench_snapshot";

// One that holds back what the server may remove, in every way: it has a snapshot and a number.
class OldSnapshot {
public:
  explicit OldSnapshot(const std::string& connection) : session_(connection, "SELECT") {
    session_.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id()");
  }

private:
  SqlSession session_;
};

// What is measured in a new database without the snapshot, and in another one with it.
template <class Figure>
struct Pair {
  Figure without;
  Figure behind;
};

template <class Figure>
Pair<Figure> pair(const example::PrivatePostgres& server,
                  const std::function<Figure(const std::string& connection)>& measure) {
  const auto once = [&](bool is_behind) {
    make_database(server, database);
    const auto connection = server.connection(database);
    std::optional<OldSnapshot> snapshot;
    if (is_behind)
      snapshot.emplace(connection);
    const auto result = measure(connection);
    snapshot.reset();
    server.query(std::string{"DROP DATABASE "} + database + " WITH (FORCE)");
    return result;
  };
  const auto without = once(false);
  return {without, once(true)};
}

// -- commits -------------------------------------------------------------------------------------

// What is done again and again, and how it went at the end of a series.
struct Series {
  double per_second; // of its last part
  double blocks;     // which the server read for one, at the last
};

// How many blocks the server has read of the tables of this database, as soon as it tells.
class Blocks {
public:
  explicit Blocks(const std::string& connection) : session_(connection, "SELECT") {}

  // @param one_more makes the session that is counted tell what it has done, after a second
  double read(const std::function<void()>& one_more) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1100});
    one_more();
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    return std::stod(
      session_.query("SELECT sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read, 0) + "
                     "coalesce(idx_blks_hit, 0)) FROM pg_statio_user_tables"));
  }

private:
  SqlSession session_;
};

Series run_series(const std::string& connection, std::uint64_t count,
                  const std::function<void()>& one_more) {
  Blocks blocks{connection};
  const auto part = std::max<std::uint64_t>(count / part_of_a_series, 1);
  for (std::uint64_t i = part; i < count; ++i)
    one_more();
  const auto before = blocks.read(one_more);
  const auto begin = Clock::now();
  for (std::uint64_t i = 0; i < part; ++i)
    one_more();
  const std::chrono::duration<double> took = Clock::now() - begin;
  const auto after = blocks.read(one_more);
  return {static_cast<double>(part) / took.count(),
          (after - before) / static_cast<double>(part + 1)};
}

// Each commit inserts a delivery and acknowledges the one before.
Series store_series(const std::string& connection, std::uint64_t count) {
  const auto store =
    open_postgres_store({connection, "commits"}, {.lease = std::chrono::minutes{5}});
  store->set_message_format("benchmark");
  store->for_each_owed([](const StoredDelivery&) {}); // as every owner does first
  std::uint64_t id = 0;
  return run_series(connection, count, [&] {
    change::Insert insert{};
    insert.delivery.id = ++id;
    insert.delivery.message = {"std::string", std::vector<std::byte>(256)};
    std::vector<StoreChange> changes{std::move(insert)};
    if (id > 1)
      changes.emplace_back(change::Acknowledge{id - 1, {1}});
    store->commit(changes);
  });
}

// A counter, as many queues keep one: each transaction updates the same row.
Series counter_series(const std::string& connection, std::uint64_t count) {
  SqlSession{connection, "SELECT"}.query("CREATE TABLE counter(id int PRIMARY KEY, n bigint); "
                                         "INSERT INTO counter VALUES(1, 0)");
  SqlSession session{connection, "UPDATE counter SET n = n + 1 WHERE id = 1"};
  return run_series(connection, count, [&] { session.run({}); });
}

void add_series(std::vector<Row>& rows, const example::PrivatePostgres& server,
                std::uint64_t rounds, const std::string& what,
                const std::function<Series(const std::string& connection)>& measure,
                std::optional<Goal> goal) {
  Row speed{what + ", behind / without", "commits/s", {}};
  Row blocks{what + ": blocks that the server reads, behind / without", "", {}, {}, goal};
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto series = pair(server, measure);
    speed.beside.push_back(series.without.per_second);
    speed.ours.push_back(series.behind.per_second);
    blocks.beside.push_back(series.without.blocks);
    blocks.ours.push_back(series.behind.blocks);
  }
  rows.push_back(std::move(speed));
  rows.push_back(std::move(blocks));
}

} // namespace

std::vector<Row> measure_old_snapshot(const example::PrivatePostgres& server,
                                      const OldSnapshotPlan& plan) {
  std::vector<Row> rows;
  const auto after = " after " + std::to_string(plan.commits);
  add_series(
    rows, server, plan.rounds, "a commit of a store" + after,
    [&](const std::string& connection) { return store_series(connection, plan.commits); },
    blocks_goal);
  add_series(
    rows, server, plan.rounds, "an update of one row" + after,
    [&](const std::string& connection) { return counter_series(connection, plan.commits); }, {});

  constexpr std::uint64_t sessions = 20;
  const auto jobs = std::to_string(plan.jobs) + " jobs, one a transaction: ";
  Row incoming{jobs + "a sender, behind / without", "jobs/s", {}, {}, rows_goal};
  std::vector<Row> peers;
  for (const auto* const queue : peer_queues)
    if (!plan.peers.empty())
      peers.push_back({jobs + queue + ", behind / without", "jobs/s", {}});
  for (std::uint64_t round = 0; round < plan.rounds; ++round) {
    const auto ours = pair<double>(server, [&](const std::string& connection) {
      return handed_over_per_second(connection, {sessions, 1, plan.jobs});
    });
    incoming.ours.push_back(ours.behind);
    incoming.beside.push_back(ours.without);
    for (std::size_t i = 0; i < peers.size(); ++i) {
      const auto run = [&](bool is_behind) {
        std::optional<OldSnapshot> snapshot;
        return run_peer_queue(server, plan.peers, peer_queues[i],
                              {std::to_string(sessions), std::to_string(plan.jobs)},
                              [&](const std::string& connection) {
                                if (is_behind)
                                  snapshot.emplace(connection);
                              })
          .at("jobs_per_second")
          .get<double>();
      };
      peers[i].beside.push_back(run(false));
      peers[i].ours.push_back(run(true));
    }
  }
  rows.push_back(std::move(incoming));
  for (auto& row : peers)
    rows.push_back(std::move(row));
  return rows;
}

} // namespace postgres_benchmarks
