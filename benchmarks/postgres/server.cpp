#include "postgres/server.hpp"

#include "common/machine.hpp"
#include "common/processes.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

namespace postgres_benchmarks {

namespace {

std::string content(const std::string& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

constexpr std::size_t payload_size = 256;

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

void check(PGconn* session, PGresult* result) {
  if (const auto status = PQresultStatus(result);
      status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error(PQerrorMessage(session));
}

} // namespace

void need_postgres() {
  if (!example::PrivatePostgres::is_installed())
    throw std::runtime_error("PostgreSQL is not installed: apt-get install postgresql");
}

example::PrivatePostgresOptions server_options() {
  return {.settings = {{"shared_buffers", "256MB"},
                       {"max_wal_size", "2GB"},
                       {"synchronous_commit", "on"},
                       {"fsync", "on"},
                       {"max_connections", "200"}}};
}

void make_database(const example::PrivatePostgres& server, const std::string& database) {
  server.query("CREATE DATABASE " + database);
  backoff_actor::migrate_postgres(server.connection(database));
}

void in_new_database(const example::PrivatePostgres& server,
                     const std::function<void(const std::string& connection)>& work) {
  const std::string database = "bench_new";
  make_database(server, database);
  work(server.connection(database));
  server.query("DROP DATABASE " + database + " WITH (FORCE)");
}

std::shared_ptr<backoff_actor::OwnedStore>
new_outbox(const backoff_actor::PostgresAddress& address) {
  auto result = open_postgres_store(address, {.lease = std::chrono::minutes{5}});
  result->set_message_format("benchmark");
  result->for_each_owed([](const auto&) {}); // as every owner does first
  return result;
}

std::vector<backoff_actor::StoreChange> insertions(std::uint64_t first, std::uint64_t count) {
  backoff_actor::change::Insert insert{};
  insert.delivery.message = {"std::string", std::vector<std::byte>(payload_size)};
  std::vector<backoff_actor::StoreChange> result(count, insert);
  for (auto& change : result)
    std::get<backoff_actor::change::Insert>(change).delivery.id = first++;
  return result;
}

void turn_checksums_on(example::PrivatePostgres& server) {
  server.stop();
  benchmarks::output_of({example::PrivatePostgres::programs() / "pg_checksums", "--enable",
                         "--no-sync", "--pgdata=" + server.data().string()});
  server.start();
}

double session_time(pid_t server, const std::string& database) {
  const auto id = std::to_string(server);
  const auto title = "postgres: postgres " + database + ' ';
  std::ifstream children{"/proc/" + id + "/task/" + id + "/children"};
  std::set<std::string> sessions;
  for (std::string child; children >> child;)
    if (content("/proc/" + child + "/cmdline").starts_with(title))
      sessions.insert("/proc/" + child);
  return benchmarks::cpu_of(sessions) * 1e6;
}

SqlSession::SqlSession(const std::string& connection, const std::string& statement)
  : session_(PQconnectdb(connection.c_str()), &PQfinish) {
  if (PQstatus(session_.get()) != CONNECTION_OK)
    throw std::runtime_error(PQerrorMessage(session_.get()));
  const Result result{PQprepare(session_.get(), "it", statement.c_str(), 0, nullptr), &PQclear};
  check(session_.get(), result.get());
}

void SqlSession::run(const std::vector<std::string>& values) {
  std::vector<const char*> pointers;
  for (const auto& value : values)
    pointers.push_back(value.c_str());
  const Result result{PQexecPrepared(session_.get(), "it", static_cast<int>(values.size()),
                                     pointers.data(), nullptr, nullptr, 0),
                      &PQclear};
  check(session_.get(), result.get());
}

std::string SqlSession::query(const std::string& statements) {
  const Result result{PQexec(session_.get(), statements.c_str()), &PQclear};
  check(session_.get(), result.get());
  return PQntuples(result.get()) > 0 && PQnfields(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0)
                                                                    : std::string{};
}

std::string payload_of_a_job() {
  const std::string begin = R"({"text": ")";
  const std::string end = "\"}";
  return begin + std::string(payload_size - begin.size() - end.size(), 'x') + end;
}

} // namespace postgres_benchmarks
