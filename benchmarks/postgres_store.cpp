// postgres_store: what an outbox on a server of PostgreSQL does, beside pgbench and two job queues.

#include "postgres/commits.hpp"
#include "postgres/jobs.hpp"
#include "postgres/old_snapshot.hpp"
#include "postgres/program.hpp"
#include "postgres/time_to_own.hpp"

#include <iterator>
#include <vector>

namespace postgres_store {

namespace {

using namespace postgres_benchmarks;

constexpr auto description =
  R"(Measures an outbox on a private server of PostgreSQL, which is on this machine.

1. Commits of 1, 10, 100 and 1000 deliveries of 256 bytes. Each also acknowledges the deliveries of
   the commit before. Beside it, pgbench does the same in a table of two columns: one client, with
   prepared statements in a pipeline. The server's processor time is that of the session.
2. How long it takes to own an outbox that owes up to 1,000,000 deliveries, and to read them.
3. With --peers: how many jobs a second a sender executes, beside graphile-worker and pg-boss, with
   1, 100 and 1000 jobs outstanding. A job is stored durably, executed and acknowledged durably.

With --old-snapshot: what becomes of all this while somebody leaves a transaction open, beside the
same without it. The server then removes no version of a row. Commits are measured at the end of
--commits, and beside them an update of one row. Jobs are those that others hand over by SQL.

What is compared is measured in turn, in the same round. The table has medians, and the quartiles of
the ratios. The server has data checksums, synchronous_commit = on, 256 MB of shared buffers and
2 GB of log between checkpoints. Its data are in TMPDIR, or in /tmp. The result depends on whether
that disk really syncs.
)";

std::vector<Row> measure(const example::PrivatePostgres& server, const Extent& extent) {
  auto rows = measure_commits(server, {extent.rounds, extent.seconds, {1, 10, 100, 1000}});
  const auto add = [&rows](std::vector<Row> more) {
    rows.insert(rows.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  };
  const auto backlog = extent.rows;
  add(measure_time_to_own(server, {extent.rounds, {0, backlog / 10, backlog * 3 / 10, backlog}}));
  if (!extent.peers.empty())
    add(measure_jobs(server, {extent.rounds, {1, 100, 1000}, extent.jobs, extent.peers}));
  return rows;
}

std::vector<Row> behind_old_snapshot(const example::PrivatePostgres& server, const Extent& extent) {
  return measure_old_snapshot(server,
                              {extent.rounds, extent.commits, 5 * extent.jobs, extent.peers});
}

} // namespace

} // namespace postgres_store

int main(int argc, char** argv) {
  return postgres_benchmarks::run(
    {.name = "postgres_store",
     .description = postgres_store::description,
     .seconds_help = "length of a series of commits, in s",
     .rows_option = "--backlog",
     .rows_help = "the most deliveries that are owed",
     .rows = 1'000'000,
     .rows_at_most = 100'000'000,
     .quick_help = "one round, series of 1 s, a backlog of 20,000, 500 jobs, and 1,000 commits",
     .measure = postgres_store::measure,
     .old_snapshot = postgres_store::behind_old_snapshot},
    argc, argv);
}
