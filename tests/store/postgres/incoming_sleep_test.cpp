// How the owner of an outbox waits for rows of the table `incoming`.

#include "store/postgres/control.hpp"
#include "store/postgres/incoming_fixture.hpp"

#include "backoff_actor/testing/gtest.hpp"

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace backoff_actor::store_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

constexpr auto producers = 4;
constexpr auto bursts = 15;
constexpr auto rows_of_a_burst = 8;

// Commits rows, in bursts. Some of its transactions take their time.
void hand_over(Control session, const std::string& insertion, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  const auto pause = [&](int longest_ms) {
    std::this_thread::sleep_for(
      std::chrono::microseconds{random() % static_cast<std::uint64_t>(1000 * longest_ms)});
  };
  for (auto burst = 0; burst < bursts; ++burst) {
    for (auto row = 0; row < rows_of_a_burst; ++row) {
      session.query("BEGIN");
      session.query(insertion);
      if (random() % 2 == 0)
        pause(10);
      session.query("COMMIT");
    }
    pause(50);
  }
}

} // namespace

TEST_F(PostgresIncoming, a_sleeper_is_woken_by_a_commit) {
  fall_asleep();
  insert();
  const auto begin = std::chrono::steady_clock::now();
  intake->wait(10s);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
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
  const auto begin = std::chrono::steady_clock::now();
  intake->wait(10s);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  EXPECT_THAT(take(), ElementsAre(1));
}

TEST_F(PostgresIncoming, an_intake_that_is_interrupted_waits_no_more) {
  EXPECT_THAT(take(), IsEmpty());
  intake->wait(0s);
  intake->interrupt();
  intake->wait(1h);
  EXPECT_THAT(take(), IsEmpty());
}

// No row may wait for the end of a wait, however transactions begin and end beside the sleep.
TEST_F(PostgresIncoming, a_sleeper_finds_soon_what_many_transactions_commit_at_random_times) {
  const testing::RandomSeed seed;
  std::vector<std::thread> threads;
  for (auto i = 0; i < producers; ++i)
    threads.emplace_back(hand_over, Control{server()->connection(database())}, insertion(),
                         seed + static_cast<std::uint64_t>(i));
  while (taken.size() < producers * bursts * rows_of_a_burst && !HasFailure()) {
    if (!take().empty())
      continue;
    const auto begin = std::chrono::steady_clock::now();
    intake->wait(20s);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  }
  for (auto& one : threads)
    one.join();
}

} // namespace backoff_actor::store_test
