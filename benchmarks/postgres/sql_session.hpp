#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <vector>

namespace postgres_benchmarks {

/// A session that runs one prepared statement again and again, each time in a transaction of its
/// own.
///
/// @errors every member throws `std::runtime_error` if the server refuses.
/// @thread one at a time
class SqlSession {
public:
  /// Connects, and prepares the statement.
  SqlSession(const std::string& connection, const std::string& statement);

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
