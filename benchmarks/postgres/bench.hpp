#pragma once

#include "common/private_postgres.hpp"
#include "common/program.hpp"

#include <backoff_actor/delivery/delivery_store.hpp>
#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <libpq-fe.h>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace postgres_benchmarks {

using benchmarks::Goal;
using benchmarks::Row;
using Rows = std::vector<Row>;
using Server = example::PrivatePostgres;

// -- the server ---------------------------------------------------------------------------

/// What an exit code of 1 means.
inline constexpr auto failures = "failed, for example because PostgreSQL is not installed";

/// @errors throws `std::runtime_error` if PostgreSQL is not installed.
void need_postgres();

/// Returns the options of the server that all is measured with: every commit is on the disk when it
/// is answered, 256 MB of shared buffers, 2 GB of log between checkpoints.
example::PrivatePostgresOptions server_options();

/// Makes a database, and an outbox's schema in it.
void make_database(const example::PrivatePostgres& server, const std::string& database);

/// Does something in a new database with the schema, which is gone then.
void in_new_database(const example::PrivatePostgres& server,
                     const std::function<void(const std::string& connection)>& work);

/// Makes an outbox and owns it, with messages that no sender can read.
std::shared_ptr<backoff_actor::OwnedStore>
new_outbox(const backoff_actor::PostgresAddress& address);

/// Returns insertions of deliveries with payloads of 256 bytes, whose numbers begin with this.
std::vector<backoff_actor::StoreChange> insertions(std::uint64_t first, std::uint64_t count);

/// Turns data checksums on, which is done while the server is down.
void turn_checksums_on(example::PrivatePostgres& server);

/// Returns the processor time that the sessions of a database have taken so far. Only sessions that
/// are open count.
///
/// @param server the process that waits for connections
/// @units microseconds
double session_time(pid_t server, const std::string& database);

/// A session that runs one prepared statement again and again, each time in a transaction of its
/// own, and others.
///
/// @errors every member throws `std::runtime_error` if the server refuses.
/// @thread one at a time
class SqlSession {
public:
  /// Connects, and prepares the statement.
  explicit SqlSession(const std::string& connection, const std::string& statement = "SELECT");

  /// Runs the statement. Returns when it is committed.
  void run(const std::vector<std::string>& values);

  /// Runs other statements, and returns the first value of the last; empty: there is none.
  std::string query(const std::string& statements);

private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> session_;
};

/// Inserts rows with a payload of 256 bytes, JSON, into `incoming`, for the outbox `jobs`. $1: a
/// JSON array with the payloads.
inline constexpr auto hand_over =
  "INSERT INTO backoff.incoming(outbox, type, payload) SELECT 'jobs', 'job.v1', "
  "convert_to(x::text, 'UTF8') FROM json_array_elements($1::json) AS x";

/// The same for one row. $1: its payload.
inline constexpr auto hand_one_over =
  "INSERT INTO backoff.incoming(outbox, type, payload) VALUES('jobs', 'job.v1', "
  "convert_to($1, 'UTF8'))";

/// A payload of 256 bytes, JSON.
std::string payload_of_a_job();

// -- the programs -------------------------------------------------------------------------

/// How much is measured.
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

/// Measures how many jobs a second a sender executes whose worker leaves a note at every second
/// one, beside a worker that leaves none.
void measure_notes(Rows& rows, const Server& server, const Extent& extent);

/// Measures an outbox, an update of one row, and the queues. Meanwhile a session has a transaction
/// number, and a snapshot that is older than all of it. `beside` is without that session.
void measure_old_snapshot(Rows& rows, const Server& server, const Extent& extent);

/// Measures how many rows a second sixteen producers commit to `incoming`, one in each transaction,
/// beside the same table without its trigger; how long a look for new rows takes, behind many dead
/// rows that an old snapshot keeps; how many jobs a second are handed over, executed, and
/// acknowledged durably, with one row a transaction and with 1,000 rows a statement; the time from
/// the INSERT to the start of a job, one at a time; and the time from the INSERT of a row that
/// cancels until the worker is told. The three before the last are beside the peers.
void measure_incoming(Rows& rows, const Server& server, const Extent& extent);

// -- what several of them need ------------------------------------------------------------

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
