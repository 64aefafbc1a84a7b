#include "common/time.hpp"
#include "postgres/incoming_owner.hpp"
#include "postgres/measures.hpp"
#include "postgres/server.hpp"

#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>

namespace postgres_benchmarks {

namespace {

constexpr std::uint64_t inserting_sessions = 16;
constexpr std::uint64_t looks = 50;
constexpr std::uint64_t looks_before = 5; // the floor comes up

// The first owner makes the outbox.
void make_outbox(const std::string& connection) {
  backoff_actor::open_postgres_store({connection, "jobs"});
}

// Transactions of all sessions together, each with one row.
double insertions_per_second(const std::string& connection, std::uint64_t seconds) {
  std::atomic<bool> is_over = false;
  std::atomic<std::uint64_t> committed = 0;
  std::vector<std::unique_ptr<SqlSession>> sessions;
  while (sessions.size() < inserting_sessions)
    sessions.push_back(std::make_unique<SqlSession>(connection, hand_one_over));
  const auto took = benchmarks::seconds_of([&] {
    std::vector<std::jthread> threads;
    for (const auto& session : sessions)
      threads.emplace_back([&] {
        const auto payload = payload_of_a_job();
        while (!is_over.load()) {
          session->run({payload});
          ++committed;
        }
      });
    std::this_thread::sleep_for(std::chrono::seconds{seconds});
    is_over.store(true);
  });
  return static_cast<double>(committed.load()) / took;
}

// Whether the table's trigger is there, and who takes the rows.
enum class Table { without_trigger, as_it_is, with_an_owner };

double insertions_per_second(const Server& server, Table table, std::uint64_t seconds) {
  double result = 0;
  in_new_database(server, [&](const std::string& connection) {
    if (table == Table::with_an_owner) {
      const IncomingOwner owner{connection};
      result = insertions_per_second(connection, seconds);
      return;
    }
    make_outbox(connection);
    if (table == Table::without_trigger)
      SqlSession{connection}.query("ALTER TABLE backoff.incoming DISABLE TRIGGER USER; "
                                   "ALTER TABLE backoff.incoming "
                                   "ALTER id SET DEFAULT nextval('backoff.incoming_id_seq')");
    result = insertions_per_second(connection, seconds);
  });
  return result;
}

// The median of looks that find nothing.
double milliseconds_of_a_look(const std::string& connection, std::uint64_t dead_rows) {
  const auto store =
    backoff_actor::open_postgres_store({connection, "jobs"}, {.lease = std::chrono::minutes{5}});
  const auto intake = store->open_intake();
  SqlSession session{connection};
  session.query(
    "ALTER TABLE backoff.incoming DISABLE TRIGGER USER; "
    "INSERT INTO backoff.incoming(id, outbox, outbox_id, type, payload) SELECT i, 'jobs', o.id, "
    "'job.v1', 'x' FROM backoff.outbox o, generate_series(1, "
    + std::to_string(dead_rows) + ") AS i");
  SqlSession old_snapshot{connection};
  old_snapshot.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM backoff.outbox");
  std::unordered_set<std::uint64_t> held;
  for (auto taken = intake->take(dead_rows, held); !taken.empty();
       taken = intake->take(dead_rows, held))
    for (const auto& one : taken)
      held.insert(one.row);
  session.query("DELETE FROM backoff.incoming");
  held.clear();
  std::vector<double> times;
  for (std::uint64_t look = 0; look < looks_before + looks; ++look) {
    const auto seconds = benchmarks::seconds_of([&] {
      if (!intake->take(100, held).empty())
        throw std::runtime_error("a look found rows that are gone");
    });
    if (look >= looks_before)
      times.push_back(seconds * 1e3);
  }
  old_snapshot.query("COMMIT");
  return benchmarks::median(times);
}

} // namespace

Rows measure_incoming(const Server& server, const Extent& extent) {
  Row trigger{"sixteen producers: incoming / without the trigger", "rows/s",
              benchmarks::at_least(0.8)};
  Row owner{"sixteen producers: incoming with an owner / without the trigger", "rows/s"};
  Row look{"a look behind " + benchmarks::grouped(static_cast<std::int64_t>(extent.dead_rows))
             + " dead rows",
           "ms", benchmarks::ours_at_most(5)};
  for (std::uint64_t round = 0; round < extent.rounds; ++round) {
    const auto without = insertions_per_second(server, Table::without_trigger, extent.seconds);
    trigger.ours.push_back(insertions_per_second(server, Table::as_it_is, extent.seconds));
    trigger.beside.push_back(without);
    owner.ours.push_back(insertions_per_second(server, Table::with_an_owner, extent.seconds));
    owner.beside.push_back(without);
    in_new_database(server, [&](const std::string& connection) {
      look.ours.push_back(milliseconds_of_a_look(connection, extent.dead_rows));
    });
  }
  return {trigger, owner, look};
}

} // namespace postgres_benchmarks
