// What happens to an outbox in PostgreSQL when its owner does: real processes, and a real server.

#include "common/patience.hpp"
#include "postgres/cluster_fixture.hpp"

#include <utility>
#include <vector>

namespace backoff_actor::system_test {

namespace {

// Longer than a test waits. Who takes over while it waits has not waited for the end of the lease.
constexpr auto long_lease = 5min;
static_assert(long_lease > 2 * test::patience);

class PostgresOwner : public PostgresClusterTest {
protected:
  void SetUp() override {
    PostgresClusterTest::SetUp();
    lease_ = long_lease;
    if (!IsSkipped())
      make_cluster();
  }
};

// The processes of the sessions that hold an advisory lock.
constexpr auto lock_holders =
  "select pid from pg_locks where locktype = 'advisory' and granted and database = "
  "(select oid from pg_database where datname = current_database())";

} // namespace

TEST_F(PostgresOwner, a_killed_one_is_replaced_at_once_and_what_it_had_confirmed_is_done) {
  start_two();

  const auto at = cluster::now();
  cluster_->kill(first);
  taken_over_after(at, first);
  wait_for_calls(100);
  const auto verdict = finish();
  EXPECT_EQ(verdict.stale_refused, 0u);
  EXPECT_EQ(owed(server_->socket_connection()), 0u);
}

TEST_F(PostgresClusterTest,
       an_owner_frozen_for_longer_than_its_lease_hands_over_nothing_when_it_thaws) {
  lease_ = 4s;                 // a busy machine may take a part of it
  make_cluster({}, 400, 20ms); // more than the children can do
  start_two();
  ASSERT_TRUE(cluster_->wait(patience, [&] { return owed(server_->socket_connection()) >= 20; }))
    << "so there is a job in hand";

  // What its four children have in hand as it freezes, they go on with, and with nothing else. They
  // may have just given it back: then the other is frozen, and so on.
  auto owner = first;
  auto other = second;
  std::vector<cluster::Call> late;
  for (int round = 0; round < 5 && late.empty(); ++round) {
    const auto at = cluster::now();
    cluster_->freeze(owner);
    EXPECT_GT(taken_over_after(at, owner), 2'000'000); // the lease began with its last statement
    wait_for_calls(50);                                // the service knows of the new owner

    const auto thawed = cluster::now();
    cluster_->thaw(owner);
    wait_for_note(owner, "disowned", thawed);
    wait_for_calls(100);
    late = calls_of(owner, thawed);
    EXPECT_LE(late.size(), 4u);
    for (const auto& call : late)
      EXPECT_TRUE(call.is_refused) << call.job;
    std::swap(owner, other);
  }
  EXPECT_GE(late.size(), 1u);

  // The last that thawed stands by now, as any other.
  cluster_->kill(owner);
  wait_until_owned_by(other);
  wait_for_calls(50);
  finish();
  EXPECT_EQ(owed(server_->socket_connection()), 0u);
}

TEST_F(PostgresOwner, whose_session_is_ended_cannot_commit_and_another_takes_over) {
  start_two();

  const auto at = cluster::now();
  const auto ended = server_->query(std::string{"select count(pg_terminate_backend(pid)) from ("}
                                    + lock_holders + ") x");
  EXPECT_EQ(ended, "1\n");
  taken_over_after(at, first);
  wait_for_note(first, "disowned", at);
  wait_for_calls(100);
  auto knows_of_second = false; // the service
  for (const auto& call : cluster_->service().calls()) {
    knows_of_second = knows_of_second || call.node == cluster::Cluster::node(second);
    if (call.node == cluster::Cluster::node(first) && knows_of_second) {
      EXPECT_TRUE(call.is_refused) << call.job;
    }
  }
  EXPECT_TRUE(knows_of_second);
  finish();
  EXPECT_EQ(owed(server_->socket_connection()), 0u);
}

TEST_F(PostgresOwner,
       told_to_stop_finishes_what_is_in_flight_and_hands_over_with_nothing_done_twice) {
  start_two();

  const auto at = cluster::now();
  EXPECT_TRUE(cluster_->stop(first, patience));
  std::cout << "stopped in " << milliseconds(cluster::now() - at) << '\n';
  taken_over_after(at, first);
  wait_for_calls(100);
  const auto verdict = finish();
  EXPECT_EQ(verdict.done_again, 0u);
  EXPECT_EQ(verdict.stale_refused, 0u);
  EXPECT_EQ(owed(server_->socket_connection()), 0u);
}

TEST_F(PostgresOwner, a_standby_that_was_killed_while_it_waited_does_not_get_the_lock) {
  const auto owner = start();
  wait_until_owned_by(owner);
  const auto waiting = start();
  const auto is_waiting = "select count(*) from pg_locks where locktype = 'advisory' "
                          "and not granted";
  ASSERT_TRUE(cluster_->wait(patience, [&] { return server_->query(is_waiting) == "1\n"; }));
  const auto third = start(); // behind the other in the server's queue
  ASSERT_TRUE(cluster_->wait(patience, [&] { return server_->query(is_waiting) == "2\n"; }));

  const auto at = cluster::now();
  cluster_->kill(waiting);
  cluster_->kill(owner);
  taken_over_after(at, owner);
  EXPECT_EQ(cluster_->owner(), third);
  wait_for_calls(50);
  // The server looks now and then whether who waits still lives.
  EXPECT_TRUE(cluster_->wait(patience, [&] { return server_->query(is_waiting) == "0\n"; }));
  finish();
}

TEST_F(PostgresOwner, keeps_what_it_owes_in_memory_while_the_server_crashes_and_repeats_nothing) {
  const auto only = start();
  wait_until_owned_by(only);
  wait_for_calls(100);
  const auto epoch = cluster_->service().epoch();

  const auto at = cluster::now();
  server_->restart_immediately();
  std::cout << "server restarted in " << milliseconds(cluster::now() - at) << '\n';
  wait_for_calls(100);
  const auto verdict = finish();
  EXPECT_EQ(cluster_->service().epoch(), epoch);
  EXPECT_EQ(verdict.done_again, 0u);
  EXPECT_EQ(owed(server_->socket_connection()), 0u);
}

TEST_F(PostgresOwner, without_a_fault_nothing_is_done_twice) {
  const auto owner = start();
  wait_until_owned_by(owner);
  start();
  wait_for_calls(500);
  const auto verdict = finish();
  EXPECT_EQ(verdict.done_again, 0u);
  EXPECT_EQ(verdict.stale_refused, 0u);
  EXPECT_EQ(owed(server_->socket_connection()), 0u);
}

} // namespace backoff_actor::system_test
