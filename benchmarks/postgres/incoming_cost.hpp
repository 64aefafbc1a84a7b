#pragma once

#include "common/private_postgres.hpp"
#include "postgres/report.hpp"

#include <cstdint>
#include <vector>

namespace postgres_benchmarks {

/// How the table `incoming` itself is measured.
struct IncomingPlan {
  std::uint64_t rounds;
  std::uint64_t seconds;   ///< of a series of insertions
  std::uint64_t dead_rows; ///< that a look must pass
};

/// Measures how many rows a second sixteen producers commit to `incoming`, one in each transaction,
/// beside the same table without its trigger; and how long a look for new rows takes, behind many
/// dead rows that an old snapshot keeps.
std::vector<Row> measure_incoming(const example::PrivatePostgres& server, const IncomingPlan& plan);

} // namespace postgres_benchmarks
