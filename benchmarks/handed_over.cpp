// handed_over: jobs that other programs hand over by SQL, beside two job queues.

#include "postgres/handed_over_jobs.hpp"
#include "postgres/incoming_cost.hpp"
#include "postgres/program.hpp"

#include <iterator>
#include <vector>

namespace handed_over {

namespace {

using namespace postgres_benchmarks;

constexpr auto description =
  R"(Measures the table incoming of an outbox, on a private server of PostgreSQL on this machine.

1. How many rows a second sixteen producers commit, one in each transaction, beside the same table
   without its trigger. First nobody takes the rows, then an owner executes them meanwhile.
2. How long a look for new rows takes behind 200,000 dead rows, which an old snapshot keeps.
3. How many jobs a second are handed over, executed and acknowledged durably: with one row a
   transaction by 20 sessions, and with 1,000 rows a statement by one session.
4. The median time from the INSERT to the start of the job, one at a time.

With --peers, 3 and 4 are beside graphile-worker (add_job, add_jobs) and pg-boss (send, insert).

What is compared is measured in turn, in the same round. The table has medians, and the quartiles of
the ratios. The server is that of postgres_store, see there.
)";

std::vector<Row> measure(const example::PrivatePostgres& server, const Extent& extent) {
  auto rows = measure_incoming(server, {extent.rounds, extent.seconds, extent.rows});
  auto more = measure_handed_over(server, {extent.rounds, extent.jobs, extent.peers});
  rows.insert(rows.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
  return rows;
}

} // namespace

} // namespace handed_over

int main(int argc, char** argv) {
  return postgres_benchmarks::run(
    {.name = "handed_over",
     .description = handed_over::description,
     .seconds_help = "length of a series of insertions, in s",
     .rows_option = "--dead-rows",
     .rows_help = "dead rows before a look",
     .rows = 200'000,
     .rows_at_most = 10'000'000,
     .quick_help = "one round, series of 1 s, 20,000 dead rows, and 500 jobs",
     .measure = handed_over::measure},
    argc, argv);
}
