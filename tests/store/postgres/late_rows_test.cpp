// Which rows of the table `incoming` a look passes, and down to which it goes.

#include "backoff_actor/store/postgres/incoming/internal/pg_late_rows.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

namespace backoff_actor::store_test {

using namespace std::chrono_literals;
using detail::PgLateRows;
using detail::PgSnapshot;

namespace {

const PgLateRows::Time start{1h};

// Takes up to `top` in one look, asks in the next one who writes, and sees all.
void look(PgLateRows& rows, const PgSnapshot& seen, const std::vector<std::uint32_t>& writers,
          std::uint64_t top, PgLateRows::Time now) {
  rows.note_writers(writers, top, top, now);
  rows.note_look(seen, 0, now);
}

} // namespace

TEST(PgSnapshotTest, tells_what_has_ended_from_what_is_running) {
  const PgSnapshot seen{"10:15:10,12"};
  EXPECT_TRUE(seen.has_ended(9));
  EXPECT_FALSE(seen.has_ended(10));
  EXPECT_TRUE(seen.has_ended(11));
  EXPECT_FALSE(seen.has_ended(12));
  EXPECT_TRUE(seen.has_ended(14));
  EXPECT_FALSE(seen.has_ended(15));
  EXPECT_TRUE(PgSnapshot{"10:10:"}.has_ended(9));
}

// 4,294,967,296 is 2^32: the locks call the transaction 0.
TEST(PgSnapshotTest, knows_the_lower_halves_of_large_numbers) {
  const PgSnapshot seen{"4294967290:4294967298:4294967290,4294967296"};
  EXPECT_FALSE(seen.has_ended(4'294'967'290));
  EXPECT_TRUE(seen.has_ended(4'294'967'291));
  EXPECT_TRUE(seen.has_ended(std::numeric_limits<std::uint32_t>::max()));
  EXPECT_FALSE(seen.has_ended(0));
  EXPECT_TRUE(seen.has_ended(1));
  EXPECT_FALSE(seen.has_ended(2));
}

TEST(PgLateRowsTest, passes_all_that_was_taken_if_nobody_writes) {
  PgLateRows rows;
  EXPECT_EQ(rows.floor(), 0u);
  EXPECT_FALSE(rows.is_to_ask(0, start)) << "nothing was taken";
  EXPECT_TRUE(rows.is_to_ask(50, start));
  look(rows, PgSnapshot{"100:100:"}, {}, 50, start);
  EXPECT_EQ(rows.floor(), 50u);
  EXPECT_FALSE(rows.is_to_ask(60, start + 9ms));
  EXPECT_TRUE(rows.is_to_ask(60, start + 10ms));
}

TEST(PgLateRowsTest, stays_below_what_a_transaction_may_have_written) {
  PgLateRows rows;
  look(rows, PgSnapshot{"100:100:"}, {}, 50, start);
  look(rows, PgSnapshot{"100:101:100"}, {100}, 70, start + 10ms);
  EXPECT_EQ(rows.floor(), 50u) << "100 has written above what was there when it did not write";
  look(rows, PgSnapshot{"100:101:100"}, {100}, 90, start + 20ms);
  EXPECT_EQ(rows.floor(), 50u);
  look(rows, PgSnapshot{"101:101:"}, {}, 91, start + 30ms);
  EXPECT_EQ(rows.floor(), 91u);
}

TEST(PgLateRowsTest, leaves_a_transaction_that_takes_long_behind_and_comes_back_once_it_has_ended) {
  PgLateRows rows;
  look(rows, PgSnapshot{"100:100:"}, {}, 50, start);
  look(rows, PgSnapshot{"100:101:100"}, {100}, 70, start + 10ms);
  look(rows, PgSnapshot{"100:200:100,199"}, {100, 199}, 900, start + 120ms);
  EXPECT_EQ(rows.floor(), 70u) << "199 is new";
  const PgSnapshot running{"100:200:100"};
  look(rows, running, {100}, 950, start + 130ms);
  EXPECT_EQ(rows.floor(), 950u);
  EXPECT_EQ(rows.floor_of_ended(running), 950u);

  const PgSnapshot ended{"200:200:"};
  EXPECT_EQ(rows.floor_of_ended(ended), 50u);
  rows.note_look(ended, 0, start + 140ms);
  EXPECT_EQ(rows.floor(), 950u);
  EXPECT_EQ(rows.floor_of_ended(ended), 950u) << "one look has seen its rows";
}

TEST(PgLateRowsTest, comes_back_to_what_a_look_has_left) {
  PgLateRows rows;
  look(rows, PgSnapshot{"100:100:"}, {}, 50, start);
  rows.note_look(PgSnapshot{"100:100:"}, 30, start + 1ms);
  EXPECT_EQ(rows.floor(), 29u);
  rows.note_look(PgSnapshot{"100:100:"}, 0, start + 2ms);
  EXPECT_EQ(rows.floor(), 50u);
  rows.go_down_to(12);
  EXPECT_EQ(rows.floor(), 12u);
  rows.go_down_to(40);
  EXPECT_EQ(rows.floor(), 12u);
}

} // namespace backoff_actor::store_test
