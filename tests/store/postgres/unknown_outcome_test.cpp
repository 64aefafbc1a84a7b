// A commit whose answer is lost is made once, whether or not the server had made it, and what a
// failover has lost is made again.

#include "backoff_actor/testing/proxy/tcp_proxy.hpp"
#include "common/patience.hpp"
#include "control.hpp"
#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <set>
#include <thread>

namespace backoff_actor::store_test {

namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using testing::TcpProxy;

std::uint64_t seed_of_run() {
  const auto* const given = std::getenv("BACKOFF_ACTOR_SEED");
  const auto seed = given == nullptr ? std::random_device{}() : std::strtoull(given, nullptr, 10);
  std::cout << "BACKOFF_ACTOR_SEED=" << seed << '\n';
  return seed;
}

} // namespace

class postgres_unknown_outcome : public PostgresTest {
protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (server() != nullptr)
      proxy_ =
        std::make_unique<TcpProxy>("127.0.0.1", static_cast<std::uint16_t>(server()->port()));
  }

  PostgresAddress through_proxy() const {
    return {"host=127.0.0.1 port=" + std::to_string(proxy_->port())
              + " user=postgres dbname=" + database(),
            "orders"};
  }

  std::shared_ptr<OwnedStore> own(const PostgresAddress& address) const {
    return postgres_store(address, options())->own(test::patience);
  }

  // Returns a store whose connection is cut after the first byte of the answer to the next call.
  std::shared_ptr<OwnedStore> own_without_answer() const {
    own_and_let_go(); // makes the outbox
    const auto before = bytes_of_ended_connections();
    own_and_let_go();
    const auto bytes = bytes_of_ended_connections() - before;
    proxy_->set_plan(
      testing::ConnectionPlan{"cut(after " + std::to_string(bytes + 1) + "), ok..."});
    return own(through_proxy());
  }

  // Afterwards nobody has the lock, so the next owner is sent as many bytes.
  void own_and_let_go() const {
    own(through_proxy());
    Control control{server()->connection(database())};
    control.await("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'", "0");
  }

  // As an outbox does it: the same changes again until the store answers.
  static std::size_t commit_until_answered(DeliveryStore& store,
                                           const std::vector<StoreChange>& changes) {
    for (std::size_t unanswered = 0; unanswered < 1000; ++unanswered) {
      try {
        store.commit(changes);
        return unanswered;
      } catch (const StoreError& error) {
        if (error.failure() != StoreFailure::unreachable)
          throw;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
      }
    }
    throw std::runtime_error("no answer at all");
  }

  // Commits batches while `fault` strikes at a random instant of each; compares what is owed with
  // what was committed.
  void commit_under(const PostgresAddress& address, int count, const std::function<void()>& fault) {
    std::mt19937_64 random{seed_of_run()};
    const auto store = own(address);
    std::uint64_t id = 0;
    std::set<std::uint64_t> ledger;
    std::size_t unanswered = 0;
    for (auto n = 0; n < count; ++n) {
      std::vector<StoreChange> changes;
      for (auto i = 0; i < 10; ++i)
        changes.emplace_back(change::Insert{delivery(++id)});
      // One in three of those before is acknowledged.
      for (auto x = id - 19; n > 0 && x + 10 <= id; x += 3) {
        changes.emplace_back(change::Acknowledge{x, {static_cast<std::int64_t>(id)}});
        ledger.erase(x);
      }
      for (auto x = id - 9; x <= id; ++x)
        ledger.insert(x);
      const microseconds delay{random() % 3000};
      std::thread striker{[&] {
        std::this_thread::sleep_for(delay);
        fault();
      }};
      unanswered += commit_until_answered(*store, changes);
      striker.join();
    }
    std::cout << count << " commits, " << unanswered << " calls without an answer\n";
    store->renew(); // the last fault may have come after the answer
    const auto contents = contents_of(*store);
    std::set<std::uint64_t> owed;
    for (const auto& one : contents.owed)
      owed.insert(one.id);
    EXPECT_EQ(owed, ledger);
    EXPECT_EQ(contents.owed.size(), ledger.size());
    EXPECT_EQ(contents.last_id, id);
    EXPECT_EQ(contents.keys.size(), id - ledger.size());
    EXPECT_EQ(store->ownership().epoch, 1U);
  }

  void remember_tables() const {
    query("CREATE TABLE shard_then AS SELECT * FROM backoff.shard; "
          "CREATE TABLE last_commit_then AS SELECT * FROM backoff.last_commit; "
          "CREATE TABLE delivery_then AS SELECT * FROM backoff.delivery; "
          "CREATE TABLE incoming_then AS SELECT * FROM backoff.incoming");
  }

  // The tables are as they were when they were copied, and every session is over.
  void go_back() const {
    query("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = "
          "current_database() AND application_name LIKE 'backoff_actor %'; "
          "SET session_replication_role = replica; " // or rows get new numbers
          "TRUNCATE backoff.shard, backoff.last_commit, backoff.delivery, backoff.dead_letter, "
          "backoff.acknowledged_key, backoff.incoming; "
          "INSERT INTO backoff.shard SELECT * FROM shard_then; "
          "INSERT INTO backoff.last_commit SELECT * FROM last_commit_then; "
          "INSERT INTO backoff.delivery SELECT * FROM delivery_then; "
          "INSERT INTO backoff.incoming SELECT * FROM incoming_then");
  }

  std::string name_through_proxy() const {
    return "postgres://127.0.0.1:" + std::to_string(proxy_->port()) + "/" + database() + "#orders";
  }

  TcpProxy& proxy() { return *proxy_; }

  // The bytes of all answers, once every connection has ended.
  std::uint64_t bytes_of_ended_connections() const {
    while (proxy_->statistics().open > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    return proxy_->statistics().bytes_to_client;
  }

private:
  std::unique_ptr<TcpProxy> proxy_{};
};

TEST_F(postgres_unknown_outcome, a_commit_that_was_made_is_not_made_again) {
  const auto store = own_without_answer();
  const std::vector<StoreChange> changes{change::Insert{delivery(1)}, change::Insert{delivery(2)},
                                         change::Acknowledge{1, {5}}};
  EXPECT_EQ(failure_of([&] { store->commit(changes); }).failure, StoreFailure::unreachable);
  EXPECT_EQ(query("SELECT id FROM backoff.delivery"), "2");
  store->commit(changes);
  EXPECT_EQ(contents_of(*store).owed.size(), 1U);
  EXPECT_EQ(contents_of(*store).keys.size(), 1U);
  EXPECT_EQ(query("SELECT commit_no FROM backoff.last_commit"), "1");
  commit(*store, {change::Insert{delivery(3)}, change::Acknowledge{2, {6}}});
  EXPECT_EQ(contents_of(*store).owed.size(), 1U);
  EXPECT_EQ(contents_of(*store).keys.size(), 2U);
}

TEST_F(postgres_unknown_outcome, a_commit_that_was_not_made_is_made) {
  const auto store = own(address());
  query("CREATE FUNCTION strike() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM "
        "pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;"
        "CREATE TRIGGER strike AFTER INSERT ON backoff.delivery EXECUTE FUNCTION strike()");
  const std::vector<StoreChange> changes{change::Insert{delivery(1)}};
  const auto found = failure_of([&] { store->commit(changes); });
  EXPECT_EQ(found.failure, StoreFailure::unreachable);
  EXPECT_EQ(found.text, name()
                          + ": the connection to the server is lost: terminating connection due to "
                            "administrator command");
  query("DROP TRIGGER strike ON backoff.delivery");
  EXPECT_EQ(query("SELECT count(*) FROM backoff.delivery"), "0");
  store->commit(changes);
  EXPECT_EQ(contents_of(*store).owed.size(), 1U);
}

TEST_F(postgres_unknown_outcome, a_commit_that_is_resolved_by_a_renewal_is_not_made_again) {
  const auto store = own_without_answer();
  const std::vector<StoreChange> changes{change::Insert{delivery(1)}};
  EXPECT_EQ(failure_of([&] { store->commit(changes); }).failure, StoreFailure::unreachable);
  store->renew();
  store->commit(changes);
  EXPECT_EQ(contents_of(*store).owed.size(), 1U);
}

// Both commits wait for a replica that is not there, until their session is ended.
TEST_F(postgres_unknown_outcome, a_commit_that_was_made_stays_so_when_the_next_one_has_no_answer) {
  query("ALTER DATABASE " + database() + " SET synchronous_commit = 'local'");
  const auto store = own(address());
  commit(*store, {change::Insert{delivery(1)}, bury(1)});
  query("CREATE FUNCTION wait_for_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM "
        "set_config('synchronous_commit', 'on', true); RETURN NULL; END $$;"
        "CREATE TRIGGER wait_for_it AFTER INSERT ON backoff.delivery EXECUTE FUNCTION "
        "wait_for_it();"
        "CREATE TRIGGER wait_for_it AFTER DELETE ON backoff.dead_letter EXECUTE FUNCTION "
        "wait_for_it()");
  Control control{server()->connection(database())};
  const auto standbys = [&](const std::string& names) {
    control.query("ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
    control.query("SELECT pg_reload_conf()");
    control.await("SHOW synchronous_standby_names", names);
  };
  standbys("nobody");
  std::thread striker{[&] {
    const std::string waiting = " FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    for (auto i = 0; i < 2; ++i) {
      control.await("SELECT count(*)" + waiting, "1");
      control.query("SELECT pg_terminate_backend(pid, 60000)" + waiting);
    }
  }};
  const std::vector<StoreChange> changes{change::Insert{delivery(2)}};
  EXPECT_EQ(failure_of([&] { store->commit(changes); }).failure, StoreFailure::unreachable);
  const std::vector<std::uint64_t> dead{1};
  EXPECT_EQ(store->remove_dead_letters(dead), 1U);
  striker.join();
  standbys("");
  EXPECT_NO_THROW(store->commit(changes));
  commit(*store, {change::Insert{delivery(3)}});
  EXPECT_EQ(query("SELECT string_agg(id::text, ' ' ORDER BY id) FROM backoff.delivery"), "2 3");
  EXPECT_EQ(query("SELECT count(*) FROM backoff.dead_letter"), "0");
}

TEST_F(postgres_unknown_outcome, sessions_that_are_ended_in_the_middle_of_commits_lose_nothing) {
  Control control{server()->connection(database())};
  commit_under(address(), 100, [&] {
    control.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = "
                  "'backoff_actor node-a'");
  });
}

TEST_F(postgres_unknown_outcome, connections_that_are_cut_in_the_middle_of_commits_lose_nothing) {
  commit_under(through_proxy(), 100, [&] { proxy().cut_all(); });
}

TEST_F(postgres_unknown_outcome, a_session_of_its_own_that_the_server_still_has_is_ended) {
  const auto store = own(through_proxy());
  const auto pid = std::stoi(query("SELECT owner_pid FROM backoff.shard"));
  ASSERT_EQ(kill(pid, SIGSTOP), 0); // so the server does not see that the connection is closed
  proxy().cut_all();
  const std::vector<StoreChange> changes{change::Insert{delivery(1)}};
  EXPECT_EQ(failure_of([&] { store->commit(changes); }).failure, StoreFailure::unreachable);
  const auto found = failure_of([&] { store->commit(changes); });
  EXPECT_EQ(found.text,
            name_through_proxy() + ": the session is lost, and another one holds the lock");
  kill(pid, SIGCONT);
  commit_until_answered(*store, changes);
  EXPECT_EQ(contents_of(*store).owed.size(), 1U);
  EXPECT_EQ(store->ownership().epoch, 1U);
}

// -- failover to a server that is behind ---------------------------------------------------------

TEST_F(postgres_unknown_outcome, commits_that_a_failover_has_lost_are_made_again) {
  const auto store = own(address());
  commit(*store, {change::Insert{delivery(1)}, change::Insert{delivery(2)}});
  remember_tables();
  commit(*store, {change::Insert{delivery(3)}, change::Acknowledge{1, {10}}});
  commit(*store, {change::Insert{delivery(4)}, bury(2), change::CountAttempts{3, 7}});
  const auto contents = contents_of(*store);
  go_back();
  store->take_notices();
  store->renew();
  EXPECT_THAT(store->take_notices(),
              ::testing::ElementsAre(
                name()
                + ": the server had lost 2 commits, as it does after a failover to a replica "
                  "that was behind; this process has made them again"));
  EXPECT_EQ(contents_of(*store), contents);
  commit(*store, {change::Insert{delivery(5)}});
  EXPECT_EQ(contents_of(*store).owed.size(), 3U);
}

TEST_F(postgres_unknown_outcome, no_row_is_read_before_what_a_failover_has_lost_is_made_again) {
  const auto hand_over = [&] {
    query("INSERT INTO backoff.incoming(outbox, type, payload) VALUES('orders', 't', 'x')");
  };
  const auto store = own(address());
  const auto intake = store->open_intake();
  hand_over();
  ASSERT_EQ(intake->take(10, {}).size(), 1U);
  remember_tables();
  commit(*store, {change::Insert{delivery(1), 1}});
  go_back();
  EXPECT_EQ(query("SELECT id FROM backoff.incoming"), "1");
  EXPECT_EQ(failure_of([&] { intake->take(10, {}); }).text,
            name()
              + ": the connection to the server is lost: terminating connection due to "
                "administrator command");
  const auto found = failure_of([&] { intake->take(10, {}); });
  EXPECT_EQ(to_string(found.failure), "unreachable");
  EXPECT_EQ(found.text, name()
                          + ": the server has lost commits, as it does after a failover to a "
                            "replica that was behind; no rows are read until this process has "
                            "made them again");
  store->renew();
  EXPECT_TRUE(intake->take(10, {}).empty()) << "it is a delivery already";
  hand_over();
  EXPECT_EQ(intake->take(10, {}).size(), 1U);
  EXPECT_EQ(contents_of(*store).owed.size(), 1U);
}

TEST_F(postgres_unknown_outcome, an_owner_that_no_longer_has_what_a_failover_lost_is_none) {
  const auto store = own(address());
  commit(*store, {change::Insert{delivery(1)}});
  remember_tables();
  commit(*store, {change::Insert{delivery(2)}});
  commit(*store, {change::Insert{delivery(3, std::string(5U << 20, 'x'))}});
  go_back();
  const auto found = failure_of([&] { store->renew(); });
  EXPECT_EQ(to_string(found.failure), "disowned");
  EXPECT_EQ(found.text, name()
                          + ": the server has lost 2 commits, as it does after a failover to a "
                            "replica that was behind, and this process no longer has all of them");
  EXPECT_EQ(query("SELECT id FROM backoff.delivery"), "1");
}

TEST_F(postgres_unknown_outcome, an_ownership_that_a_failover_has_lost_is_over) {
  const auto store = own(address());
  query("UPDATE backoff.shard SET epoch = 0");
  Control control{server()->connection(database())};
  control.query("SELECT pg_terminate_backend(owner_pid) FROM backoff.shard");
  const auto found = failure_of([&] { store->renew(); });
  EXPECT_EQ(to_string(found.failure), "disowned");
  EXPECT_EQ(found.text, name()
                          + ": the server does not know this ownership, as after a failover to a "
                            "replica that was behind; this process had epoch 1");
}

TEST_F(postgres_unknown_outcome, the_same_epoch_of_another_process_is_not_taken_for_its_own) {
  const auto store = own(address());
  query("UPDATE backoff.shard SET claim = claim + 1, owner = 'node-b'"); // as after a failover
  Control control{server()->connection(database())};
  control.query("SELECT pg_terminate_backend(owner_pid) FROM backoff.shard");
  EXPECT_EQ(to_string(failure_of([&] { store->renew(); }).failure), "disowned");
}

// Recovery syncs all files of a server, so this one has no other databases.
TEST_F(postgres_unknown_outcome, an_immediate_restart_of_the_server_loses_nothing) {
  example::PrivatePostgres own_server;
  own_server.query("CREATE DATABASE restarted");
  migrate_postgres(own_server.connection("restarted"));
  const auto store = own({own_server.connection("restarted"), "orders"});
  commit(*store, {change::Insert{delivery(1)}});
  own_server.restart_immediately();
  const std::vector<StoreChange> changes{change::Insert{delivery(2)}};
  commit_until_answered(*store, changes);
  EXPECT_EQ(contents_of(*store).owed.size(), 2U);
  EXPECT_EQ(store->ownership().epoch, 1U);
}

} // namespace backoff_actor::store_test
