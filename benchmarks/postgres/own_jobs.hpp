#pragma once

#include <cstdint>
#include <string>

namespace postgres_benchmarks {

struct JobLoad {
  std::uint64_t window; ///< submissions not yet accepted, and jobs in work
  std::uint64_t jobs;   ///< all that is measured, without those before it
};

/// Returns how many jobs a sender with its outbox in PostgreSQL executes in a second. Its client
/// submits jobs of 256 bytes by `Submit`, and hears when each is on the server. The time ends when
/// the acknowledgements of all are there, too.
///
/// @param connection of a database with the schema, and without the outbox `jobs`
double own_jobs_per_second(const std::string& connection, const JobLoad& load);

} // namespace postgres_benchmarks
