// The SQL by which a service refuses an owner that is none any more.

#include "control.hpp"
#include "fixture.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace backoff_actor::store_test {

using ::testing::HasSubstr;

class FencedService : public PostgresTest {
protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped())
      return;
    std::ifstream file{FENCE_SQL};
    const std::string sql{std::istreambuf_iterator<char>{file}, {}};
    ASSERT_FALSE(sql.empty()) << FENCE_SQL;
    query(sql + "CREATE TABLE packed (name text);");
  }

  Control session() const { return Control{server()->connection(database())}; }

  static std::string enter(std::uint64_t epoch) {
    return "SELECT enter_fence('orders', " + std::to_string(epoch) + ")";
  }

  // Begins a transaction that writes as the owner with this epoch.
  static void begin(Control& session, std::uint64_t epoch) {
    session.query("BEGIN");
    session.query(enter(epoch));
    session.query("INSERT INTO packed VALUES ('epoch " + std::to_string(epoch) + "')");
  }

  // The error of the fence; empty: none.
  static std::string error_of(Control& session, std::uint64_t epoch) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result{
      PQexec(session.session(), enter(epoch).c_str()), &PQclear};
    const auto* const state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    return state
             ? std::string{state} + " " + PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY)
             : std::string{};
  }

  // Waits until a session of the number `pid` waits for a lock.
  void await_lock(const std::string& pid) const {
    auto watcher = session();
    watcher.await("SELECT wait_event_type FROM pg_stat_activity WHERE pid = " + pid, "Lock");
  }

  std::string packed() const { return query("SELECT string_agg(name, ', ') FROM packed"); }
};

TEST_F(FencedService, refuses_a_lower_epoch_than_it_has_seen_and_takes_the_same_and_a_higher_one) {
  auto one = session();
  EXPECT_EQ(error_of(one, 7), "");
  EXPECT_EQ(error_of(one, 7), "");
  EXPECT_EQ(error_of(one, 6), "55000 outbox orders: epoch 6 is over, the owner has epoch 7");
  EXPECT_EQ(error_of(one, 9), "");
  EXPECT_EQ(error_of(one, 7), "55000 outbox orders: epoch 7 is over, the owner has epoch 9");
}

TEST_F(FencedService, knows_each_outbox_for_itself) {
  auto one = session();
  EXPECT_EQ(error_of(one, 7), "");
  one.query("SELECT enter_fence('letters', 2)");
  EXPECT_EQ(query("SELECT string_agg(outbox || ' ' || epoch, ', ' ORDER BY outbox) FROM fence"),
            "letters 2, orders 7");
}

TEST_F(FencedService, lets_the_workers_of_one_owner_write_beside_each_other) {
  auto one = session();
  auto two = session();
  one.query(enter(7));
  begin(one, 7);
  begin(two, 7);
  two.query("COMMIT");
  EXPECT_EQ(packed(), "epoch 7");
  one.query("COMMIT");
}

// Nothing of the old owner is committed once the new one has written.
TEST_F(FencedService, makes_a_new_owner_wait_for_what_an_old_one_has_begun) {
  auto old = session();
  auto next = session();
  begin(old, 7);
  const auto pid = next.query("SELECT pg_backend_pid()");
  ASSERT_EQ(PQsendQuery(next.session(), ("BEGIN; " + enter(8)).c_str()), 1);
  await_lock(pid);
  old.query("COMMIT");
  while (auto* const result = PQgetResult(next.session())) {
    EXPECT_NE(PQresultStatus(result), PGRES_FATAL_ERROR) << PQresultErrorMessage(result);
    PQclear(result);
  }
  next.query("COMMIT");
  EXPECT_EQ(error_of(old, 7), "55000 outbox orders: epoch 7 is over, the owner has epoch 8");
  EXPECT_EQ(packed(), "epoch 7");
}

TEST_F(FencedService, takes_many_first_transactions_of_a_new_owner_at_once) {
  std::vector<Control> workers;
  for (int i = 0; i < 8; ++i)
    workers.push_back(session());
  auto old = session();
  begin(old, 7);
  for (auto& x : workers)
    ASSERT_EQ(PQsendQuery(x.session(), ("BEGIN; " + enter(8) + "; COMMIT").c_str()), 1);
  for (auto& x : workers)
    await_lock(std::to_string(PQbackendPID(x.session())));
  old.query("COMMIT");
  for (auto& x : workers)
    while (auto* const result = PQgetResult(x.session())) {
      EXPECT_NE(PQresultStatus(result), PGRES_FATAL_ERROR) << PQresultErrorMessage(result);
      PQclear(result);
    }
  EXPECT_EQ(query("SELECT epoch FROM fence"), "8");
}

// A transaction with an older snapshot cannot see who came: it fails.
TEST_F(FencedService, refuses_an_old_owner_whose_transaction_reads_an_old_snapshot) {
  auto old = session();
  auto next = session();
  old.query(enter(7));
  old.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  old.query("SELECT count(*) FROM packed");
  next.query(enter(8));
  EXPECT_THAT(error_of(old, 7), HasSubstr("40001 could not serialize access"));
}

} // namespace backoff_actor::store_test
