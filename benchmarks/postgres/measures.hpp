#pragma once

#include "common/private_postgres.hpp"
#include "common/program.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace postgres_benchmarks {

using benchmarks::Goal;
using benchmarks::Row;
using Rows = std::vector<Row>;
using Server = example::PrivatePostgres;

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

  /// Starts the server, lets `measure` add rows, and reports them, as `benchmarks::Program::run`.
  int run(int argc, char** argv,
          const std::function<void(Rows&, const Server&, const Extent&)>& measure);

private:
  benchmarks::Program program_;
  Extent extent_;
  bool is_quick_ = false;
  bool with_peers_ = false;
};

/// Measures commits of the store beside the same work by pgbench: for each size of batch the
/// deliveries per second, and the server's processor time for each delivery.
void measure_commits(Rows& rows, const Server& server, const Extent& extent);

/// Measures how long it takes to own an outbox and to read all that it owes, by how much that is;
/// and what each delivery of the largest backlog takes beside one of the smallest.
void measure_time_to_own(Rows& rows, const Server& server, const Extent& extent);

/// Measures how many jobs a second are stored, executed, and acknowledged durably: by a sender with
/// its outbox in PostgreSQL, and by the peers.
void measure_jobs(Rows& rows, const Server& server, const Extent& extent);

/// Measures an outbox, an update of one row, and the queues, while a session has a transaction
/// number, and a snapshot that is older than all they do. `beside` is without that session.
void measure_old_snapshot(Rows& rows, const Server& server, const Extent& extent);

/// Measures how many rows a second sixteen producers commit to `incoming`, one in each transaction,
/// beside the same table without its trigger; how long a look for new rows takes, behind many dead
/// rows that an old snapshot keeps; how many jobs a second are handed over, executed, and
/// acknowledged durably, with one row a transaction and with 1,000 rows a statement; and the time
/// from the INSERT to the start of a job, one at a time. The last three are beside the peers.
void measure_incoming(Rows& rows, const Server& server, const Extent& extent);

// -- what several of them need ---------------------------------------------------------------

/// Jobs that are handed over by SQL.
struct IncomingLoad {
  std::uint64_t sessions; ///< that insert at the same time
  std::uint64_t rows;     ///< of a statement, which is a transaction
  std::uint64_t jobs;     ///< all that is measured, without those before it
};

/// Returns how many jobs a second are handed over, executed and acknowledged on the server.
///
/// @param connection of a database with the schema, and without an outbox
double handed_over_per_second(const std::string& connection, const IncomingLoad& load);

/// The job queues that are measured beside a sender.
inline constexpr std::array<const char*, 2> peer_queues{"graphile-worker", "pg-boss"};

/// Runs a job queue in a new database, and returns a figure that it printed.
///
/// @param folder that of the peers' packages
/// @param arguments of postgres_queues.js, behind the URL
/// @param snapshot is open meanwhile, in the same database: statements; empty: none
/// @errors throws `std::runtime_error` if it fails.
double run_peer_queue(const Server& server, const std::string& folder, const std::string& queue,
                      const std::vector<std::string>& arguments, const std::string& figure,
                      const std::string& snapshot = {});

/// What a sender does in a new database, and a peer by the arguments of its program.
struct BesidePeers {
  std::string what;
  std::string unit;
  std::function<double(const std::string& connection)> ours;
  std::vector<std::string> arguments;
  const char* figure;    ///< of what the peer prints
  Goal goal;             ///< beside the better one, or the first if that is the only one
  std::size_t peers = 2; ///< how many of them
};

/// Measures it in turn, and adds a row beside the better peer, which has the goal, and one beside
/// each.
void measure_beside(Rows& rows, const Server& server, const Extent& extent, const BesidePeers& it);

} // namespace postgres_benchmarks
