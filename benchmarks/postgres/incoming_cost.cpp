#include "postgres/incoming_cost.hpp"

#include "common/table.hpp"
#include "postgres/own_incoming.hpp"
#include "postgres/server.hpp"
#include "postgres/sql_session.hpp"

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

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t inserting_sessions = 16;
constexpr std::uint64_t looks = 50;
constexpr std::uint64_t looks_before = 5; // the floor comes up
constexpr auto table_database = "bench_table";

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
  const auto begin = Clock::now();
  std::vector<std::thread> threads;
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
  for (auto& thread : threads)
    thread.join();
  const std::chrono::duration<double> took = Clock::now() - begin;
  return static_cast<double>(committed.load()) / took.count();
}

// Whether the table's trigger is there, and who takes the rows.
enum class Table { without_trigger, as_it_is, with_an_owner };

double insertions_per_second(const example::PrivatePostgres& server, Table table,
                             std::uint64_t seconds) {
  make_database(server, table_database);
  const auto connection = server.connection(table_database);
  double result = 0;
  if (table == Table::with_an_owner) {
    const IncomingOwner owner{connection};
    result = insertions_per_second(connection, seconds);
  } else {
    make_outbox(connection);
    if (table == Table::without_trigger)
      server.query("ALTER TABLE backoff.incoming DISABLE TRIGGER USER; "
                   "ALTER TABLE backoff.incoming "
                   "ALTER id SET DEFAULT nextval('backoff.incoming_id_seq')",
                   table_database);
    result = insertions_per_second(connection, seconds);
  }
  server.query(std::string{"DROP DATABASE "} + table_database + " WITH (FORCE)");
  return result;
}

// The median of looks that find nothing.
double milliseconds_of_a_look(const example::PrivatePostgres& server, std::uint64_t dead_rows) {
  make_database(server, table_database);
  const auto connection = server.connection(table_database);
  const auto store =
    backoff_actor::open_postgres_store({connection, "jobs"}, {.lease = std::chrono::minutes{5}});
  const auto intake = store->open_intake();
  server.query(
    "ALTER TABLE backoff.incoming DISABLE TRIGGER USER; "
    "INSERT INTO backoff.incoming(id, outbox, outbox_id, type, payload) SELECT i, 'jobs', o.id, "
    "'job.v1', 'x' FROM backoff.outbox o, generate_series(1, "
      + std::to_string(dead_rows) + ") AS i",
    table_database);
  SqlSession old_snapshot{connection, "SELECT"};
  old_snapshot.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM backoff.outbox");
  std::unordered_set<std::uint64_t> held;
  for (auto taken = intake->take(dead_rows, held); !taken.empty();
       taken = intake->take(dead_rows, held))
    for (const auto& one : taken)
      held.insert(one.row);
  server.query("DELETE FROM backoff.incoming", table_database);
  held.clear();
  std::vector<double> times;
  for (std::uint64_t look = 0; look < looks_before + looks; ++look) {
    const auto begin = Clock::now();
    if (!intake->take(100, held).empty())
      throw std::runtime_error("a look found rows that are gone");
    if (look >= looks_before)
      times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  old_snapshot.query("COMMIT");
  return benchmarks::median(times);
}

} // namespace

std::vector<Row> measure_incoming(const example::PrivatePostgres& server,
                                  const IncomingPlan& plan) {
  Row trigger{
    "sixteen producers: incoming / without the trigger", "rows/s", {}, {}, Goal{true, 0.8}};
  Row owner{"sixteen producers: incoming with an owner / without the trigger", "rows/s", {}};
  Row look{"a look behind " + benchmarks::grouped(static_cast<std::int64_t>(plan.dead_rows))
             + " dead rows",
           "ms",
           {},
           {},
           Goal{false, 5, Goal::Of::ours}};
  for (std::uint64_t round = 0; round < plan.rounds; ++round) {
    const auto without = insertions_per_second(server, Table::without_trigger, plan.seconds);
    trigger.ours.push_back(insertions_per_second(server, Table::as_it_is, plan.seconds));
    trigger.beside.push_back(without);
    owner.ours.push_back(insertions_per_second(server, Table::with_an_owner, plan.seconds));
    owner.beside.push_back(without);
    look.ours.push_back(milliseconds_of_a_look(server, plan.dead_rows));
    server.query(std::string{"DROP DATABASE "} + table_database + " WITH (FORCE)");
  }
  return {std::move(trigger), std::move(owner), std::move(look)};
}

} // namespace postgres_benchmarks
