#pragma once

#include "common/private_postgres.hpp"
#include "postgres/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace postgres_benchmarks {

/// How the execution of jobs is measured that are handed over by SQL.
struct HandedOverPlan {
  std::uint64_t rounds;
  std::uint64_t jobs;  ///< of one measurement of a peer; ours does more
  std::string peers{}; ///< the folder of the peers' packages; empty: without them
};

/// Measures how many jobs a second are handed over, executed, and acknowledged durably, with one
/// row a transaction and with 1,000 rows a statement; and the time from the INSERT to the start of
/// a job, one at a time. Each beside graphile-worker and pg-boss, in turn, on the same server.
///
/// @errors throws `std::runtime_error` if a peer fails.
std::vector<Row> measure_handed_over(const example::PrivatePostgres& server,
                                     const HandedOverPlan& plan);

} // namespace postgres_benchmarks
