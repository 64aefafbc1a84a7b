// postgres_store: what an outbox on a server of PostgreSQL does, beside pgbench and two job queues.

#include "postgres/bench.hpp"

int main(int argc, char** argv) {
  using namespace postgres_benchmarks;
  ServerProgram program{{
    "postgres_store",
    R"(Measures an outbox on a private server of PostgreSQL, which is on this machine.

1. Commits of 1, 10, 100 and 1000 deliveries of 256 bytes. Each also acknowledges the deliveries of
   the commit before. Beside it, pgbench does the same in a table of two columns: one client, with
   prepared statements in a pipeline. The server's processor time is that of the session.
2. How long it takes to own an outbox that owes up to 1,000,000 deliveries, and to read them.
3. How many jobs a second a sender executes whose worker leaves a note of 64 bytes at every second
   one, beside a worker that leaves none.
4. With --peers: how many jobs a second a sender executes, beside graphile-worker and pg-boss, with
   1, 100 and 1000 jobs outstanding. A job is stored durably, executed and acknowledged durably.

With --old-snapshot: what becomes of all this while somebody leaves a transaction open, beside the
same without it. The server then removes no version of a row. Commits are measured at the end of
50,000, and beside them an update of one row. Jobs are those that others hand over by SQL.

What is compared is measured in turn, in the same round. The table has medians, and the quartiles of
the ratios. The server has data checksums, synchronous_commit = on, 256 MB of shared buffers and
2 GB of log between checkpoints. Its data are in TMPDIR, or in /tmp. The result depends on whether
that disk really syncs.
)",
    "",
  }};
  bool behind_snapshot = false;
  program.options().flag("--old-snapshot", behind_snapshot,
                         "measure what a transaction costs that somebody leaves open, and no more");
  return program.run(argc, argv, [&](Rows& rows, const Server& server, const Extent& extent) {
    if (behind_snapshot)
      return measure_old_snapshot(rows, server, extent);
    measure_commits(rows, server, extent);
    measure_time_to_own(rows, server, extent);
    measure_notes(rows, server, extent);
    if (!extent.peers.empty())
      measure_jobs(rows, server, extent);
  });
}
