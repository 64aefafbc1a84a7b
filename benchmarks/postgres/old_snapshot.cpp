#include "common/machine.hpp"
#include "postgres/measures.hpp"
#include "postgres/server.hpp"

#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <tuple>

namespace postgres_benchmarks {

namespace {

using namespace backoff_actor;
using benchmarks::Figures;

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
