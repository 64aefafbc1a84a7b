#pragma once

#include "common/private_postgres.hpp"
#include "postgres/report.hpp"

#include <cstdint>
#include <vector>

namespace postgres_benchmarks {

/// How the commits are measured.
struct CommitPlan {
  std::uint64_t rounds;
  std::uint64_t seconds;              ///< of each measurement
  std::vector<std::uint64_t> batches; ///< how many deliveries a commit has
};

/// Measures commits of the store beside the same work by pgbench, in turn.
///
/// @returns two rows for each batch: deliveries per second, and the server's processor time for
///          each delivery
std::vector<Row> measure_commits(const example::PrivatePostgres& server, const CommitPlan& plan);

} // namespace postgres_benchmarks
