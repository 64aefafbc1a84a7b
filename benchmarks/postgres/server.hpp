#pragma once

#include "common/private_postgres.hpp"

#include <backoff_actor/delivery/delivery_store.hpp>
#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <cstdint>
#include <libpq-fe.h>

#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace postgres_benchmarks {

/// What an exit code of 1 means.
inline constexpr auto failures = "failed, for example because PostgreSQL is not installed";

/// @errors throws `std::runtime_error` if PostgreSQL is not installed.
void need_postgres();

/// Returns the options of the server that all is measured with: every commit is on the disk when it
/// is answered, 256 MB of shared buffers, 2 GB of log between checkpoints.
example::PrivatePostgresOptions server_options();

/// Makes a database, and an outbox's schema in it.
void make_database(const example::PrivatePostgres& server, const std::string& database);

/// Does something in a new database with the schema, which is gone then.
void in_new_database(const example::PrivatePostgres& server,
                     const std::function<void(const std::string& connection)>& work);

/// Makes an outbox and owns it, with messages that no sender can read.
std::shared_ptr<backoff_actor::OwnedStore>
new_outbox(const backoff_actor::PostgresAddress& address);

/// Returns insertions of deliveries with payloads of 256 bytes, whose numbers begin with this.
std::vector<backoff_actor::StoreChange> insertions(std::uint64_t first, std::uint64_t count);

/// Turns data checksums on, which is done while the server is down.
void turn_checksums_on(example::PrivatePostgres& server);

/// Returns the processor time that the sessions of a database have taken so far. Only sessions that
/// are open count.
///
/// @param server the process that waits for connections
/// @units microseconds
double session_time(pid_t server, const std::string& database);

/// A session that runs one prepared statement again and again, each time in a transaction of its
/// own, and others.
///
/// @errors every member throws `std::runtime_error` if the server refuses.
/// @thread one at a time
class SqlSession {
public:
  /// Connects, and prepares the statement.
  explicit SqlSession(const std::string& connection, const std::string& statement = "SELECT");

  /// Runs the statement. Returns when it is committed.
  void run(const std::vector<std::string>& values);

  /// Runs other statements, and returns the first value of the last; empty: there is none.
  std::string query(const std::string& statements);

private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> session_;
};

/// Inserts rows with a payload of 256 bytes, JSON, into `incoming`, for the outbox `jobs`. $1: a
/// JSON array with the payloads.
inline constexpr auto hand_over =
  "INSERT INTO backoff.incoming(outbox, type, payload) SELECT 'jobs', 'job.v1', "
  "convert_to(x::text, 'UTF8') FROM json_array_elements($1::json) AS x";

/// The same for one row. $1: its payload.
inline constexpr auto hand_one_over =
  "INSERT INTO backoff.incoming(outbox, type, payload) VALUES('jobs', 'job.v1', "
  "convert_to($1, 'UTF8'))";

/// A payload of 256 bytes, JSON.
std::string payload_of_a_job();

} // namespace postgres_benchmarks
