#include "postgres/server.hpp"

#include "common/process.hpp"
#include "common/time.hpp"

#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <fcntl.h>
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

constexpr std::size_t size_of_a_payload = 256;

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

void turn_checksums_on(example::PrivatePostgres& server) {
  server.stop();
  const auto program = example::PrivatePostgres::programs() / "pg_checksums";
  const auto log = (server.folder() / "pg_checksums").string();
  const example::FileDescriptor output{
    open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
  const auto how =
    example::Process{{program, "--enable", "--no-sync", "--pgdata=" + server.data().string()},
                     {.out = output.get(), .err = output.get()}}
      .wait();
  if (!how.is_success())
    throw std::runtime_error("pg_checksums: " + example::to_string(how));
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
  return begin + std::string(size_of_a_payload - begin.size() - end.size(), 'x') + end;
}

} // namespace postgres_benchmarks
