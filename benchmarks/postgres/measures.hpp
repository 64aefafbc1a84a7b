#pragma once

#include "common/private_postgres.hpp"
#include "common/program.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace postgres_benchmarks {

using benchmarks::Goal;
using benchmarks::Row;
using Rows = std::vector<Row>;

/// How much is measured. The command line says it.
struct Extent {
  std::uint64_t rounds = 5;
  std::uint64_t seconds = 3;         ///< the length of a series
  std::uint64_t jobs = 4000;         ///< of a peer; a sender does ten times as many
  std::uint64_t backlog = 1'000'000; ///< the most deliveries that are owed
  std::uint64_t dead_rows = 200'000; ///< that a look must pass
  std::uint64_t commits = 50'000;    ///< behind an old snapshot
  std::string peers{};               ///< the folder of their packages; empty: without them
};

/// Declares the options that all of these benchmarks have. With `--quick` the extent is small.
class ServerProgram {
public:
  explicit ServerProgram(const benchmarks::Words& words);
  benchmarks::Program& options() { return program_; }
  Extent& extent() { return extent_; }

  /// Starts the server and measures, as `benchmarks::Program::run`.
  int run(int argc, char** argv,
          const std::function<Rows(const example::PrivatePostgres&, const Extent&)>& measure);

private:
  benchmarks::Program program_;
  Extent extent_;
  bool is_quick_ = false;
  bool with_peers_ = false;
};

using Server = example::PrivatePostgres;

/// Measures commits of the store beside the same work by pgbench: for each size of batch the
/// deliveries per second, and the server's processor time for each delivery.
Rows measure_commits(const Server& server, const Extent& extent);

/// Measures how long it takes to own an outbox and to read all that it owes, by how much that is;
/// and what each delivery of the largest backlog takes beside one of the smallest.
Rows measure_time_to_own(const Server& server, const Extent& extent);

/// Measures how many jobs a second are stored, executed, and acknowledged durably: by a sender with
/// its outbox in PostgreSQL, and by the peers.
Rows measure_jobs(const Server& server, const Extent& extent);

/// Measures an outbox, an update of one row, and the queues, while a session has a transaction
/// number, and a snapshot that is older than all they do. `beside` is without that session.
Rows measure_old_snapshot(const Server& server, const Extent& extent);

/// Measures how many rows a second sixteen producers commit to `incoming`, one in each transaction,
/// beside the same table without its trigger; and how long a look for new rows takes, behind many
/// dead rows that an old snapshot keeps.
Rows measure_incoming(const Server& server, const Extent& extent);

/// Measures how many jobs a second are handed over, executed, and acknowledged durably, with one
/// row a transaction and with 1,000 rows a statement; and the time from the INSERT to the start of
/// a job, one at a time. Each beside the peers.
Rows measure_handed_over(const Server& server, const Extent& extent);

} // namespace postgres_benchmarks
