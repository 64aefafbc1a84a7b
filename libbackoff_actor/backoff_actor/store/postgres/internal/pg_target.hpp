#pragma once

#include "backoff_actor/store/postgres/postgres_store.hpp"

#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::detail {

// One of the servers to try. What is empty is libpq's default.
struct PgHost {
  std::string host{};
  std::string address{};
  std::string port{};
};

// Where to connect to. libpq cannot go on to its next host after a time limit of ours, so the hosts
// are tried one by one.
struct PgTarget {
  std::string server{};   // for people: postgres://host:port/database, without user and password
  std::string name{};     // the same with #outbox
  std::string password{}; // to be kept out of texts
  std::vector<PgHost> hosts{};
  std::vector<std::pair<std::string, std::string>> settings{}; // the rest of libpq's options
};

// Reads a connection string.
//
// @errors throws `InvalidArgument`, without the string.
PgTarget pg_target(const PostgresAddress& address);
PgTarget pg_target(const std::string& connection);

// Adds a problem if a connection string cannot be read.
void check_pg_connection(const std::string& connection, Problems& problems);

} // namespace backoff_actor::detail
