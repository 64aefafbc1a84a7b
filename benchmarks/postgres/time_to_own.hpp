#pragma once

#include "common/private_postgres.hpp"
#include "postgres/report.hpp"

#include <cstdint>
#include <vector>

namespace postgres_benchmarks {

/// How taking over a backlog is measured.
struct BacklogPlan {
  std::uint64_t rounds;
  std::vector<std::uint64_t> backlogs; ///< how many deliveries are owed; the first is 0
};

/// Measures how long it takes to own an outbox and to read all that it owes, by the number of
/// deliveries owed.
///
/// @returns a row for each backlog, and what each delivery of the largest backlog takes beside one
///          of the smallest
std::vector<Row> measure_time_to_own(const example::PrivatePostgres& server,
                                     const BacklogPlan& plan);

} // namespace postgres_benchmarks
