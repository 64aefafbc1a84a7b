// One process owns an outbox at a time. When it goes, is ended, or freezes, another one takes over,
// and what it writes afterwards is refused.

#include "backoff_actor/store/postgres/internal/pg_session.hpp"
#include "common/patience.hpp"
#include "control.hpp"
#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <iterator>
#include <thread>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace backoff_actor::store_test {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

constexpr auto end_owner = "SELECT count(pg_terminate_backend(owner_pid)) FROM backoff.shard";

} // namespace

class postgres_reconnect : public PostgresTest {
protected:
  std::shared_ptr<SharedStore> shared(const std::string& node) {
    return postgres_store(address(), options(node));
  }

  // Waits until a session waits for the lock.
  void await_standby(Control& control) {
    control.await("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted", "1");
  }

  Control control() { return Control{server()->connection(database())}; }

  // A session that has the lock as an owner has it, and has sent a batch without its end.
  Control owner_that_sends() {
    auto store = open("node-a");
    auto result = control();
    const auto lock =
      result.query("SELECT classid::int8::bit(32)::int || ', ' || objid FROM pg_locks "
                   "WHERE locktype = 'advisory' AND granted");
    store.reset();
    result.query("SELECT pg_advisory_lock(" + lock + ")");
    EXPECT_EQ(PQenterPipelineMode(result.session()), 1);
    EXPECT_EQ(
      PQsendQueryParams(result.session(), "SELECT 1", 0, nullptr, nullptr, nullptr, nullptr, 0), 1);
    EXPECT_EQ(PQsendFlushRequest(result.session()), 1);
    EXPECT_EQ(PQflush(result.session()), 0);
    auto look = control();
    look.await("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND wait_event = "
               "'ClientRead'",
               "1");
    return result;
  }
};

TEST_F(postgres_reconnect, the_first_owner_makes_the_outbox_and_has_epoch_1) {
  const auto stand_by = shared("node-b");
  EXPECT_EQ(stand_by->owner(), std::nullopt);
  const auto store = open("node-a");
  EXPECT_EQ(store->ownership(), (StoreOwnership{1, lease_}));
  EXPECT_EQ(store->name(), name());
  const auto owner = stand_by->owner().value();
  EXPECT_EQ(owner.node, "node-a");
  EXPECT_EQ(owner.epoch, 1U);
  EXPECT_TRUE(owner.is_alive);
  EXPECT_GT(owner.since.since_epoch, 1'700'000'000'000'000'000);
}

TEST_F(postgres_reconnect, who_wants_it_while_another_owns_it_is_told_who_does) {
  const auto store = open("node-a");
  EXPECT_EQ(shared("node-b")->own(seconds{0}), nullptr);
  const auto [failure, text] =
    failure_of([&] { open_postgres_store(address(), options("node-b")); });
  EXPECT_EQ(failure, StoreFailure::in_use);
  EXPECT_EQ(text, name() + ": node-a owns it; end that process first");
}

TEST_F(postgres_reconnect, a_wait_ends_in_time) {
  const auto store = open("node-a");
  const auto stand_by = shared("node-b");
  const auto time_of_wait = [&] {
    return test::time_of([&] { EXPECT_EQ(stand_by->own(milliseconds{300}), nullptr); });
  };
  const auto took = test::shortest_of_many(seconds{4}, time_of_wait);
  EXPECT_GE(took, milliseconds{300});
  EXPECT_LT(took, seconds{4});
}

TEST_F(postgres_reconnect, the_next_owner_has_the_next_epoch_and_all_that_was_owed) {
  auto store = open("node-a");
  commit(*store, {change::Insert{delivery(1)}, change::Insert{delivery(2)}, bury(1)});
  const auto contents = contents_of(*store);
  auto next = std::async(std::launch::async, [&] { return shared("node-b")->own(test::patience); });
  auto look = control();
  await_standby(look);
  store.reset();
  const auto second = next.get();
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->ownership().epoch, 2U);
  EXPECT_EQ(contents_of(*second), contents);
}

TEST_F(postgres_reconnect, an_owner_whose_session_was_ended_is_replaced_and_never_writes_again) {
  const auto store = open("node-a");
  commit(*store, {change::Insert{delivery(1)}});
  auto next = std::async(std::launch::async, [&] { return shared("node-b")->own(test::patience); });
  auto look = control();
  await_standby(look);
  EXPECT_EQ(look.query(end_owner), "1");
  const auto second = next.get();
  ASSERT_NE(second, nullptr);
  const auto text = name() + ": node-b owns it now, with epoch 2; this process had epoch 1";
  // The first call finds the session lost, and nobody knows yet what that means.
  const auto first = failure_of([&] { commit(*store, {change::Insert{delivery(2)}}); });
  EXPECT_EQ(first.failure, StoreFailure::unreachable);
  for (auto i = 0; i < 2; ++i) {
    const auto found = failure_of([&] { commit(*store, {change::Insert{delivery(2)}}); });
    EXPECT_EQ(to_string(found.failure), "disowned");
    EXPECT_EQ(found.text, text);
  }
  EXPECT_EQ(failure_of([&] { store->renew(); }).text, text);
  EXPECT_EQ(contents_of(*second).owed.size(), 1U);
}

TEST_F(postgres_reconnect, an_owner_whose_session_was_ended_goes_on_if_nobody_else_wants_it) {
  const auto store = open("node-a");
  commit(*store, {change::Insert{delivery(1)}});
  auto look = control();
  look.query(end_owner);
  store->renew();
  commit(*store, {change::Insert{delivery(2)}});
  EXPECT_EQ(store->ownership().epoch, 1U);
  EXPECT_EQ(contents_of(*store).owed.size(), 2U);
  EXPECT_TRUE(shared("node-b")->owner()->is_alive);
}

TEST_F(postgres_reconnect, an_owner_that_says_nothing_for_its_lease_is_replaced_then) {
  lease_ = seconds{1};
  const auto time_of_replacement = [&] {
    const auto before = SteadyClock::now(); // the owner's last statement comes later
    const auto store = open("node-a");
    std::shared_ptr<OwnedStore> second;
    const auto took = test::time_of([&] { second = shared("node-b")->own(test::patience); });
    EXPECT_GE(SteadyClock::now() - before, lease_);
    EXPECT_NE(second, nullptr);
    EXPECT_EQ(failure_of([&] { store->renew(); }).failure, StoreFailure::disowned);
    return took;
  };
  EXPECT_LT(test::shortest_of_many(seconds{3}, time_of_replacement), seconds{3});
}

TEST_F(postgres_reconnect, an_owner_that_renews_in_time_is_not_replaced) {
  lease_ = seconds{1};
  const auto is_left_alone = [&] {
    const auto store = open("node-a");
    const auto epoch = store->ownership().epoch;
    auto next = std::async(std::launch::async, [&] { return shared("node-b")->own(3 * lease_); });
    while (next.wait_for(lease_ / 10) == std::future_status::timeout) {
      try {
        store->renew();
      } catch (const StoreError&) {
        // It has lost the outbox, as the result of the wait tells.
      }
    }
    if (next.get() != nullptr)
      return false;
    commit(*store, {change::Insert{delivery(1)}});
    EXPECT_EQ(store->ownership().epoch, epoch);
    return true;
  };
  auto is_well = is_left_alone();
  for (; !is_well && lease_ < seconds{30}; is_well = is_left_alone())
    lease_ *= 2; // a busy machine kept it from renewing in time
  EXPECT_TRUE(is_well);
}

TEST_F(postgres_reconnect, a_commit_of_an_epoch_that_is_over_is_refused_whoever_has_the_lock) {
  const auto store = open("node-a");
  commit(*store, {change::Insert{delivery(1)}});
  query("UPDATE backoff.shard SET epoch = 7, owner = 'node-c'");
  for (auto i = 0; i < 2; ++i) {
    const auto found = failure_of([&] {
      commit(*store, {change::Insert{delivery(2)}, change::Acknowledge{1, {1}}});
    });
    EXPECT_EQ(to_string(found.failure), "disowned");
    EXPECT_EQ(found.text, name() + ": node-c owns it now, with epoch 7; this process had epoch 1");
  }
  EXPECT_EQ(query("SELECT id FROM backoff.delivery"), "1");
  control().await("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'", "0"); // let go of
}

// Nobody may do that with the lock taken. Whoever did it has the outbox.
TEST_F(postgres_reconnect, a_renewal_of_an_epoch_that_is_over_ends_the_ownership) {
  const auto store = open("node-a");
  query("UPDATE backoff.shard SET epoch = 7, owner = 'node-c'");
  for (auto i = 0; i < 2; ++i) {
    const auto found = failure_of([&] { store->renew(); });
    EXPECT_EQ(to_string(found.failure), "disowned");
    EXPECT_EQ(found.text, name() + ": node-c owns it now, with epoch 7; this process had epoch 1");
  }
}

TEST_F(postgres_reconnect,
       a_wait_is_interrupted_from_another_thread_and_every_later_one_ends_at_once) {
  const auto store = open("node-a");
  const auto stand_by = shared("node-b");
  constexpr auto long_wait = 4 * test::patience;
  auto waits = std::async(std::launch::async, [&] { return stand_by->own(long_wait); });
  auto look = control();
  await_standby(look);
  const auto begin = SteadyClock::now();
  stand_by->interrupt();
  EXPECT_EQ(waits.get(), nullptr);
  EXPECT_EQ(stand_by->own(long_wait), nullptr);
  EXPECT_LT(SteadyClock::now() - begin, test::patience) << "it would take longer";
}

TEST_F(postgres_reconnect, a_standby_that_has_gone_does_not_take_the_lock) {
  auto store = open("node-a");
  {
    const auto stand_by = shared("node-b");
    auto waits = std::async(std::launch::async, [&] { return stand_by->own(test::patience); });
    auto look = control();
    await_standby(look);
    stand_by->interrupt();
    waits.get();
  }
  store.reset();
  const auto next = shared("node-c")->own(test::patience);
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(next->ownership().epoch, 2U);
}

// No timeout of the server's counts while it waits for the rest of a batch.
TEST_F(postgres_reconnect, an_owner_that_froze_while_it_sent_a_batch_is_replaced) {
  lease_ = seconds{1};
  const auto frozen = owner_that_sends();
  const auto second = shared("node-b")->own(test::patience);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->ownership().epoch, 2U);
}

TEST_F(postgres_reconnect, an_owner_that_sends_a_batch_for_less_than_its_lease_is_left_alone) {
  const auto slow = owner_that_sends();
  EXPECT_EQ(shared("node-b")->own(milliseconds{300}), nullptr);
  ASSERT_EQ(PQpipelineSync(slow.session()), 1);
  const std::unique_ptr<PGresult, decltype(&PQclear)> answer{PQgetResult(slow.session()), &PQclear};
  EXPECT_EQ(PQresultStatus(answer.get()), PGRES_TUPLES_OK) << PQerrorMessage(slow.session());
}

// The server gives the lock to a process that does not know it.
TEST_F(postgres_reconnect,
       a_standby_that_froze_while_it_waited_is_not_waited_for_longer_than_a_lease) {
  lease_ = seconds{1};
  auto store = open("node-a");
  const auto where = address();
  const auto how = options("frozen");
  const auto child = fork();
  if (child == 0) {
    try {
      postgres_store(where, how)->own(test::patience);
    } catch (...) {
    }
    _exit(0);
  }
  auto look = control();
  await_standby(look);
  ASSERT_EQ(kill(child, SIGSTOP), 0);
  store.reset();
  look.await("SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE "
             "l.locktype = 'advisory' AND l.granted",
             "backoff_actor frozen");
  const auto next = shared("node-b")->own(test::patience);
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(next->ownership().epoch, 2U);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(postgres_reconnect, an_owner_without_its_lock_waits_until_it_is_free) {
  const auto store = open("node-a");
  commit(*store, {change::Insert{delivery(1)}});
  auto before = control();
  const auto lock =
    before.query("SELECT classid::int8::bit(32)::int || ', ' || objid FROM pg_locks "
                 "WHERE locktype = 'advisory' AND granted");
  const auto pid = before.query("SELECT owner_pid FROM backoff.shard");
  auto waits = std::async(std::launch::async,
                          [&] { return before.query("SELECT pg_advisory_lock(" + lock + ")"); });
  auto look = control();
  await_standby(look);
  look.query("SELECT pg_terminate_backend(" + pid + ")");
  waits.get();
  const auto found = failure_of([&] { store->renew(); });
  EXPECT_EQ(found.failure, StoreFailure::unreachable);
  EXPECT_EQ(found.text, name() + ": the session is lost, and another one holds the lock");
  before.query("SELECT pg_advisory_unlock(" + lock + ")");
  store->renew();
  EXPECT_EQ(contents_of(*store).owed.size(), 1U);
}

TEST_F(postgres_reconnect, several_outboxes_of_a_database_have_owners_of_their_own) {
  const auto orders = open("node-a");
  const auto refunds =
    open_postgres_store({server()->connection(database()), "refunds"}, {.node = "node-b"});
  commit(*orders, {change::Insert{delivery(1)}, change::Insert{delivery(2)}, bury(2)});
  EXPECT_EQ(contents_of(*refunds), Contents{});
  const auto all = postgres_outboxes(server()->connection(database()));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "orders");
  EXPECT_EQ(all[0].owner.node, "node-a");
  EXPECT_TRUE(all[0].owner.is_alive);
  EXPECT_EQ(all[0].owed, 1U);
  EXPECT_EQ(all[0].oldest, delivery(1).submitted_at);
  EXPECT_EQ(all[0].dead, 1U);
  EXPECT_EQ(all[1].name, "refunds");
  EXPECT_EQ(all[1].owner.node, "node-b");
  EXPECT_EQ(all[1].owed, 0U);
}

// The server logs each statement that fails.
TEST_F(postgres_reconnect, a_process_that_stands_by_writes_nothing_to_the_log_of_the_server) {
  const auto owner = open("node-a");
  const auto log = [] {
    std::ifstream in{server()->folder() / "log"};
    return std::string{std::istreambuf_iterator<char>{in}, {}};
  };
  const auto before = log();
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(postgres_store(address(), options("node-b"))->own(milliseconds{1500}), nullptr);
  EXPECT_EQ(log().substr(before.size()), "");
}

// As long as it waits, its session may say nothing; an owner's may not.
TEST_F(postgres_reconnect, a_wait_that_ends_without_the_lock_leaves_the_session_as_it_was) {
  lease_ = seconds{1};
  auto owner = open("node-a");
  const auto standby = postgres_store(address(), options("node-b"));
  EXPECT_EQ(standby->own(milliseconds{50}), nullptr);
  std::this_thread::sleep_for(milliseconds{2500}); // of real time: the server counts it
  owner = nullptr;
  EXPECT_NE(standby->own(test::patience), nullptr);
}

// It may freeze between the end of its wait and its first statement as the owner.
TEST_F(postgres_reconnect, a_wait_that_ends_with_the_lock_leaves_a_session_that_may_not_be_silent) {
  lease_ = seconds{1};
  open("node-a").reset(); // makes the outbox
  detail::PgSession session{detail::pg_wish(address(), options("node-b")),
                            detail::PgSession::Purpose::own, nullptr};
  ASSERT_TRUE(session.wait_for_lock(seconds{5}));
  EXPECT_NE(open("node-c"), nullptr);
}

} // namespace backoff_actor::store_test
