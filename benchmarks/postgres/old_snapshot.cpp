#include "common/time.hpp"
#include "postgres/incoming_owner.hpp"
#include "postgres/peers.hpp"
#include "postgres/server.hpp"

#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

namespace postgres_benchmarks {

namespace {

using namespace backoff_actor;

constexpr auto blocks_goal = benchmarks::at_most(1.5);
constexpr auto rows_goal = benchmarks::at_least(0.8);
constexpr std::uint64_t part_of_a_series = 10; // the first and the last tenth are compared
constexpr std::uint64_t sessions = 20;

// One that holds back what the server may remove, in every way: it has a snapshot and a number.
class OldSnapshot {
public:
  explicit OldSnapshot(const std::string& connection) : session_(connection) {
    session_.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id()");
  }

private:
  SqlSession session_;
};

// -- commits -------------------------------------------------------------------------------------

// How many blocks the server has read of the tables of this database, as soon as it tells.
class Blocks {
public:
  explicit Blocks(const std::string& connection) : session_(connection) {}

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

// Does something again and again. Returns how many a second it is in the last part, and the blocks
// that the server reads for one then.
benchmarks::Figures run_series(const std::string& connection, std::uint64_t count,
                               const std::function<void()>& one_more) {
  Blocks blocks{connection};
  const auto part = std::max<std::uint64_t>(count / part_of_a_series, 1);
  for (std::uint64_t i = part; i < count; ++i)
    one_more();
  const auto before = blocks.read(one_more);
  const auto seconds = benchmarks::seconds_of([&] {
    for (std::uint64_t i = 0; i < part; ++i)
      one_more();
  });
  const auto after = blocks.read(one_more);
  return {static_cast<double>(part) / seconds, (after - before) / static_cast<double>(part + 1)};
}

// Each commit inserts a delivery and acknowledges the one before.
benchmarks::Figures store_series(const std::string& connection, std::uint64_t count) {
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
benchmarks::Figures counter_series(const std::string& connection, std::uint64_t count) {
  SqlSession{connection}.query("CREATE TABLE counter(id int PRIMARY KEY, n bigint); "
                               "INSERT INTO counter VALUES(1, 0)");
  SqlSession session{connection, "UPDATE counter SET n = n + 1 WHERE id = 1"};
  return run_series(connection, count, [&] { session.run({}); });
}

// -- both ------------------------------------------------------------------------------------

// Measures figures without the snapshot, and behind it; a row has each of them.
void add(Rows& rows, std::uint64_t rounds, Rows more,
         const std::function<benchmarks::Figures(bool is_behind)>& measure) {
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (const auto part : {&Row::beside, &Row::ours}) {
      const auto figures = measure(part == &Row::ours);
      for (std::size_t i = 0; i < more.size(); ++i)
        (more[i].*part).push_back(figures.at(i));
    }
  rows.insert(rows.end(), more.begin(), more.end());
}

} // namespace

Rows measure_old_snapshot(const Server& server, const Extent& extent) {
  // In a new database, in which nothing else happens.
  const auto alone = [&](const std::function<benchmarks::Figures(const std::string&)>& measure) {
    return [&server, measure](bool is_behind) {
      benchmarks::Figures result;
      in_new_database(server, [&](const std::string& connection) {
        std::optional<OldSnapshot> snapshot;
        if (is_behind)
          snapshot.emplace(connection);
        result = measure(connection);
      });
      return result;
    };
  };
  Rows rows;
  for (const auto& [what, series, goal] :
       {std::tuple{"a commit of a store", &store_series, std::optional{blocks_goal}},
        std::tuple{"an update of one row", &counter_series, std::optional<Goal>{}}}) {
    const auto name = std::string{what} + " after " + std::to_string(extent.commits);
    add(rows, extent.rounds,
        {{name + ", behind / without", "commits/s"},
         {name + ": blocks that the server reads, behind / without", "", goal}},
        alone([&extent, series = series](const std::string& connection) {
          return series(connection, extent.commits);
        }));
  }
  const auto jobs = 5 * extent.jobs;
  const auto name = std::to_string(jobs) + " jobs, one a transaction: ";
  add(rows, extent.rounds, {{name + "a sender, behind / without", "jobs/s", rows_goal}},
      alone([&](const std::string& connection) {
        return benchmarks::Figures{handed_over_per_second(connection, {sessions, 1, jobs})};
      }));
  for (const auto* const queue : peer_queues)
    if (!extent.peers.empty())
      add(rows, extent.rounds, {{name + queue + ", behind / without", "jobs/s"}},
          [&](bool is_behind) {
            std::optional<OldSnapshot> snapshot;
            return benchmarks::Figures{
              run_peer_queue(server, extent.peers, queue,
                             {std::to_string(sessions), std::to_string(jobs)},
                             [&](const std::string& connection) {
                               if (is_behind)
                                 snapshot.emplace(connection);
                             })
                .at("jobs_per_second")
                .get<double>()};
          });
  return rows;
}

} // namespace postgres_benchmarks
