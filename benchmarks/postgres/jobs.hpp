#pragma once

#include "common/private_postgres.hpp"
#include "postgres/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace postgres_benchmarks {

/// How the execution of jobs is measured.
struct JobPlan {
  std::uint64_t rounds;
  std::vector<std::uint64_t> windows; ///< how many jobs are outstanding
  std::uint64_t jobs;                 ///< of one measurement of a peer; ours does more
  std::string peers;                  ///< the folder of the peers' packages
};

/// Measures how many jobs a second are stored, executed, and acknowledged durably: by a sender with
/// its outbox in PostgreSQL, by graphile-worker, and by pg-boss, in turn, on the same server.
///
/// @returns for each window three rows: one beside the better of the two in each round, which has
///          the goal, and one beside each of them.
/// @errors throws `std::runtime_error` if the peers are not there, or one of them fails.
std::vector<Row> measure_jobs(const example::PrivatePostgres& server, const JobPlan& plan);

} // namespace postgres_benchmarks
