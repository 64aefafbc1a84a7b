#include "postgres/server.hpp"

#include "common/process.hpp"

#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace postgres_benchmarks {

namespace {

std::string content(const std::string& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

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
  double nanoseconds = 0;
  for (std::string child; children >> child;) {
    if (!content("/proc/" + child + "/cmdline").starts_with(title))
      continue;
    double running = 0; // the first number
    std::ifstream{"/proc/" + child + "/schedstat"} >> running;
    nanoseconds += running;
  }
  return nanoseconds / 1000;
}

} // namespace postgres_benchmarks
