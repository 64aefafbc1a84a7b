#pragma once

#include "common/private_postgres.hpp"

#include <string>
#include <sys/types.h>

namespace postgres_benchmarks {

/// Returns the options of the server that all is measured with: data checksums, every commit is on
/// the disk when it is answered, 256 MB of shared buffers, 2 GB of log between checkpoints.
example::PrivatePostgresOptions server_options();

/// Makes a database, and an outbox's schema in it.
void make_database(const example::PrivatePostgres& server, const std::string& database);

/// Turns data checksums on, which is done while the server is down.
void turn_checksums_on(example::PrivatePostgres& server);

/// Returns the processor time that the sessions of a database have taken so far. Only sessions that
/// are open count.
///
/// @param server the process that waits for connections
/// @units microseconds
double session_time(pid_t server, const std::string& database);

} // namespace postgres_benchmarks
