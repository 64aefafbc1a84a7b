// How the owner of an outbox waits for rows of the table `incoming`.

#include "store/postgres/control.hpp"
#include "store/postgres/incoming_fixture.hpp"

#include "backoff_actor/testing/gtest.hpp"
#include "common/patience.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace backoff_actor::store_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

constexpr std::size_t rows_of_a_round = 30;

// Who waits for as long was not woken.
constexpr auto long_wait = 2 * test::patience;

// Commits some rows, one after the other. The last transaction takes its time.
void hand_over(Control& session, const std::string& insertion, std::chrono::microseconds last) {
  for (std::size_t row = 1; row < rows_of_a_round; ++row)
    session.query(insertion);
  session.query("BEGIN");
  session.query(insertion);
  std::this_thread::sleep_for(last);
  session.query("COMMIT");
}

} // namespace

TEST_F(PostgresIncoming, a_sleeper_is_woken_by_a_commit) {
  fall_asleep();
  insert();
  EXPECT_LT(test::time_of([&] { intake->wait(long_wait); }), test::patience);
  EXPECT_THAT(take(), ElementsAre(1));
}

TEST_F(PostgresIncoming, a_sleeper_waits_as_long_as_it_may_once_every_transaction_knows) {
  fall_asleep();
  const auto begin = std::chrono::steady_clock::now();
  intake->wait(1s);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 1s);
}

TEST_F(PostgresIncoming, a_sleeper_finds_soon_what_was_inserted_before_it_slept) {
  Control slow{server()->connection(database())};
  slow.query("BEGIN");
  slow.query(insertion());
  EXPECT_THAT(take(), IsEmpty());
  intake->wait(10s); // says that it sleeps
  EXPECT_EQ(query("SELECT is_asleep FROM backoff.outbox"), "t");
  EXPECT_THAT(take(), IsEmpty());
  slow.query("COMMIT");
  EXPECT_LT(test::time_of([&] { intake->wait(long_wait); }), test::patience);
  EXPECT_THAT(take(), ElementsAre(1));
}

// PostgreSQL prepares no transaction that has notified.
TEST_F(PostgresIncoming, a_producer_may_go_without_notifications_and_prepare_its_transaction) {
  fall_asleep();
  const auto prepare = "BEGIN; " + insertion() + "; PREPARE TRANSACTION 'it'";
  EXPECT_THAT(as("backoff_producer", prepare), ::testing::HasSubstr("cannot PREPARE"));
  EXPECT_EQ(as("backoff_producer", "SET backoff.notify = off; " + prepare), "");
  EXPECT_THAT(take(), IsEmpty());
  insert();
  EXPECT_THAT(take(), ElementsAre(3));
  settle(3, 1);
  for (auto i = 0; i < 3; ++i) {
    look_long();
    std::this_thread::sleep_for(60ms);
  }
  query("COMMIT PREPARED 'it'");
  EXPECT_THAT(take(), ElementsAre(2));
}

TEST_F(PostgresIncoming, an_intake_that_is_interrupted_waits_no_more) {
  EXPECT_THAT(take(), IsEmpty());
  intake->wait(0s);
  intake->interrupt();
  intake->wait(1h);
  EXPECT_THAT(take(), IsEmpty());
}

// Their commits would wait for each other.
TEST_F(PostgresIncoming, an_owner_asks_for_no_notifications_while_many_hand_over) {
  fall_asleep();
  {
    std::vector<Control> others;
    for (auto i = 0; i < 4; ++i) {
      others.emplace_back(server()->connection(database()));
      others.back().query("BEGIN");
      others.back().query(insertion());
    }
    query(insertion() + ", ('orders', 't', 'x')");
    EXPECT_THAT(take(), ::testing::SizeIs(2));
    EXPECT_THAT(take(), IsEmpty());
    EXPECT_EQ(query("SELECT is_asleep FROM backoff.outbox"), "t") << "two rows are no crowd";
    query("INSERT INTO backoff.incoming(outbox, type, payload) SELECT 'orders', 't', 'x' FROM "
          "generate_series(1, 50)");
    EXPECT_THAT(take(), ::testing::SizeIs(50));
    EXPECT_THAT(take(), IsEmpty());
    EXPECT_EQ(query("SELECT is_asleep FROM backoff.outbox"), "f");
    intake->wait(Duration::zero());
    EXPECT_EQ(query("SELECT is_asleep FROM backoff.outbox"), "f") << "it looks again soon";
    EXPECT_LT(test::time_of([&] { intake->wait(long_wait); }), test::patience);
  }
  EXPECT_TRUE(test::becomes_true([&] {
    EXPECT_THAT(take(), IsEmpty());
    intake->wait(Duration::zero());
    return query("SELECT is_asleep FROM backoff.outbox") == "t";
  }));
}

// In each round the owner wakes up, and falls asleep beside the last transactions. Then nothing
// else wakes it.
TEST_F(PostgresIncoming, a_sleeper_finds_soon_what_transactions_commit_while_it_falls_asleep) {
  const testing::RandomSeed seed;
  std::mt19937_64 random{seed};
  std::vector<Control> producers;
  for (auto i = 0; i < 3; ++i) {
    producers.emplace_back(server()->connection(database()));
    producers.back().query("SET synchronous_commit = off"); // quick: the owner has much to do
  }
  for (auto round = 0; round < 30 && !HasFailure(); ++round) {
    std::vector<std::thread> threads;
    for (auto& one : producers)
      threads.emplace_back(hand_over, std::ref(one), insertion(),
                           std::chrono::microseconds{random() % 20'000});
    while (held.size() < producers.size() * rows_of_a_round) {
      if (!take().empty())
        continue;
      EXPECT_LT(test::time_of([&] { intake->wait(long_wait); }), test::patience);
    }
    for (auto& one : threads)
      one.join();
    producers.front().query("DELETE FROM backoff.incoming");
    held.clear();
  }
}

} // namespace backoff_actor::store_test
