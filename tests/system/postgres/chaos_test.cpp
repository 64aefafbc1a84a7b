// Everything fails that can: owners, connections, the server and its disk, mixed by a seed. Clients
// submit jobs, producers hand jobs over in transactions, and the owner makes jobs of its calendar.
// The service keeps the ledger.
//
// BACKOFF_ACTOR_FAULTS=200 is what to run by hand; BACKOFF_ACTOR_SEED repeats a run's faults.

#include "postgres/chaos.hpp"

#include <cstdlib>

namespace backoff_actor::system_test {

namespace {

std::uint64_t number_of_faults() {
  const auto* const given = std::getenv("BACKOFF_ACTOR_FAULTS");
  return given != nullptr ? std::stoull(given) : 24;
}

} // namespace

TEST_F(PostgresChaosTest, whatever_fails_nothing_is_lost_no_key_out_of_order_no_stale_owner_heard) {
  ASSERT_NO_FATAL_FAILURE(make_chaos_cluster());
  expect_nothing_twice_without_a_fault();
  for (std::uint64_t fault = 0; fault != number_of_faults() && !HasFailure(); ++fault) {
    const auto next = next_fault();
    SCOPED_TRACE("fault " + std::to_string(fault) + ": " + to_string(next));
    cause(next);
  }
  mend_all();
  stop_producers();
  stop_calendar();
  finish();
  expect_each_time_once();
  expect_what_was_committed();
  EXPECT_EQ(owed(server_->socket_connection()), 0u);
  expect_no_stale_commit();
  print_counts();
}

} // namespace backoff_actor::system_test
