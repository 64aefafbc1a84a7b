// handed_over: jobs that other programs hand over by SQL, beside two job queues.

#include "postgres/bench.hpp"

int main(int argc, char** argv) {
  using namespace postgres_benchmarks;
  ServerProgram program{{
    "handed_over",
    R"(Measures the table incoming of an outbox, on a private server of PostgreSQL on this machine.

1. How many rows a second sixteen producers commit, one in each transaction, beside the same table
   without its trigger. First nobody takes the rows, then an owner executes them meanwhile.
2. How long a look for new rows takes behind 200,000 dead rows, which an old snapshot keeps.
3. How many jobs a second are handed over, executed and acknowledged durably: with one row a
   transaction by 20 sessions, and with 1,000 rows a statement by one session.
4. The median time from the INSERT to the start of the job, one at a time.
5. How long it takes until the worker of a job is told that a row cancels it, one at a time.

With --peers, 3 and 4 are beside graphile-worker (add_job, add_jobs) and pg-boss (send, insert).

What is compared is measured in turn, in the same round. The table has medians, and the quartiles of
the ratios. The server is that of postgres_store, see there.
)",
    "",
  }};
  return program.run(argc, argv, &measure_incoming);
}
