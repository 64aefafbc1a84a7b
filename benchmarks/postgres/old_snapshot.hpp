#pragma once

#include "common/private_postgres.hpp"
#include "postgres/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace postgres_benchmarks {

/// How it is measured what a transaction costs that somebody leaves open.
struct OldSnapshotPlan {
  std::uint64_t rounds;
  std::uint64_t commits; ///< of the store, and updates, behind the snapshot
  std::uint64_t jobs;    ///< of each queue
  std::string peers;     ///< the folder of the peers' packages; empty: none is measured
};

/// Measures an outbox, an update of one row, and the queues. Meanwhile a session has a transaction
/// number, and a snapshot that is older than all they do. `beside` is without that session.
///
/// @errors throws `std::runtime_error` if the peers are not there, or one of them fails.
std::vector<Row> measure_old_snapshot(const example::PrivatePostgres& server,
                                      const OldSnapshotPlan& plan);

} // namespace postgres_benchmarks
