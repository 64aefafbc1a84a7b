// Which rows of the table `incoming` a look passes, and down to which it goes.

#include "backoff_actor/store/postgres/incoming/internal/pg_crowd.hpp"
#include "backoff_actor/store/postgres/incoming/internal/pg_late_rows.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

namespace backoff_actor::store_test {

using namespace std::chrono_literals;
using detail::PgCrowd;
using detail::PgLateRows;
using detail::PgPlace;
using detail::PgSnapshot;

namespace {

const PgLateRows::Time start{1h};
constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
constexpr PgPlace nothing_left{std::numeric_limits<std::uint64_t>::max(),
                               std::numeric_limits<std::int64_t>::max()};

// Takes up to `top` in one look, asks in the next one who writes, and sees all. The server's clock
// shows ten times as much.
void look(PgLateRows& rows, const PgSnapshot& seen, const std::vector<std::uint32_t>& writers,
          std::uint64_t top, PgLateRows::Time now) {
  const PgPlace place{top, static_cast<std::int64_t>(10 * top)};
  rows.note_writers(writers, place, place, now);
  rows.note_look(seen, nothing_left, now);
}

PgPlace both(std::uint64_t row) { return {row, static_cast<std::int64_t>(10 * row)}; }

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
  EXPECT_EQ(seen.running(), 2);
  EXPECT_EQ(PgSnapshot{"10:10:"}.running(), 0);
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
  EXPECT_EQ(rows.floor(), (PgPlace{0, lowest}));
  EXPECT_FALSE(rows.is_to_ask({}, start)) << "nothing was taken";
  EXPECT_TRUE(rows.is_to_ask({50}, start));
  look(rows, PgSnapshot{"100:100:"}, {}, 50, start);
  EXPECT_EQ(rows.floor(), both(50));
  EXPECT_FALSE(rows.is_to_ask({60}, start + 9ms));
  EXPECT_TRUE(rows.is_to_ask({60}, start + 10ms));
}

TEST(PgLateRowsTest, stays_below_what_a_transaction_may_have_written) {
  PgLateRows rows;
  look(rows, PgSnapshot{"100:100:"}, {}, 50, start);
  look(rows, PgSnapshot{"100:101:100"}, {100}, 70, start + 10ms);
  EXPECT_EQ(rows.floor(), both(50)) << "100 has written above what was there when it did not write";
  look(rows, PgSnapshot{"100:101:100"}, {100}, 90, start + 20ms);
  EXPECT_EQ(rows.floor(), both(50));
  look(rows, PgSnapshot{"101:101:"}, {}, 91, start + 30ms);
  EXPECT_EQ(rows.floor(), both(91));
}

TEST(PgLateRowsTest, leaves_a_transaction_that_takes_long_behind_and_comes_back_once_it_has_ended) {
  PgLateRows rows;
  look(rows, PgSnapshot{"100:100:"}, {}, 50, start);
  look(rows, PgSnapshot{"100:101:100"}, {100}, 70, start + 10ms);
  look(rows, PgSnapshot{"100:200:100,199"}, {100, 199}, 900, start + 120ms);
  EXPECT_EQ(rows.floor(), both(70)) << "199 is new";
  const PgSnapshot running{"100:200:100"};
  look(rows, running, {100}, 950, start + 130ms);
  EXPECT_EQ(rows.floor(), both(950));
  EXPECT_EQ(rows.floor_of_ended(running), both(950));

  const PgSnapshot ended{"200:200:"};
  EXPECT_EQ(rows.floor_of_ended(ended), both(50));
  rows.note_look(ended, nothing_left, start + 140ms);
  EXPECT_EQ(rows.floor(), both(950));
  EXPECT_EQ(rows.floor_of_ended(ended), both(950)) << "one look has seen its rows";
}

TEST(PgLateRowsTest, asks_who_writes_while_rows_that_are_due_are_above) {
  PgLateRows rows;
  EXPECT_TRUE(rows.is_to_ask({0, 500}, start));
  look(rows, PgSnapshot{"100:100:"}, {}, 50, start);
  EXPECT_FALSE(rows.is_to_ask({50, 500}, start + 10ms));
  EXPECT_TRUE(rows.is_to_ask({50, 501}, start + 10ms));
}

TEST(PgLateRowsTest, comes_back_to_what_a_look_has_left_in_each_order) {
  PgLateRows rows;
  look(rows, PgSnapshot{"100:100:"}, {}, 50, start);
  rows.note_look(PgSnapshot{"100:100:"}, {29, nothing_left.due}, start + 1ms);
  EXPECT_EQ(rows.floor(), (PgPlace{29, 500}));
  rows.note_look(PgSnapshot{"100:100:"}, {nothing_left.row, 299}, start + 2ms);
  EXPECT_EQ(rows.floor(), (PgPlace{50, 299}));
  rows.note_look(PgSnapshot{"100:100:"}, nothing_left, start + 3ms);
  EXPECT_EQ(rows.floor(), both(50));
  rows.go_down_to({12, nothing_left.due});
  EXPECT_EQ(rows.floor(), (PgPlace{12, 500}));
  rows.go_down_to({40});
  EXPECT_EQ(rows.floor(), (PgPlace{12, lowest}));
}

// -- a crowd ------------------------------------------------------------------------------

TEST(PgCrowdTest, is_there_after_fifty_rows_while_others_were_being_written) {
  PgCrowd crowd;
  EXPECT_FALSE(crowd.is_there(start));
  crowd.note(49, 4, start);
  EXPECT_FALSE(crowd.is_there(start));
  crowd.note(1, 4, start);
  EXPECT_TRUE(crowd.is_there(start));
}

TEST(PgCrowdTest, is_none_if_few_write_however_many_rows) {
  PgCrowd crowd;
  crowd.note(1000, 3, start);
  EXPECT_FALSE(crowd.is_there(start));
}

TEST(PgCrowdTest, is_none_if_the_rows_come_slowly) {
  PgCrowd crowd;
  for (auto i = 0; i < 1000; ++i) {
    crowd.note(1, 16, start + i * 40ms);
    ASSERT_FALSE(crowd.is_there(start + i * 40ms)) << i;
  }
}

// However many there were.
TEST(PgCrowdTest, is_gone_two_seconds_after_the_last_rows) {
  PgCrowd crowd;
  crowd.note(100'000, 16, start);
  EXPECT_TRUE(crowd.is_there(start + 1999ms));
  EXPECT_FALSE(crowd.is_there(start + 2s));
  crowd.note(49, 16, start + 2s);
  EXPECT_FALSE(crowd.is_there(start + 2s));
}

TEST(PgCrowdTest, stays_as_long_as_the_rows_come) {
  PgCrowd crowd;
  crowd.note(50, 16, start);
  for (auto i = 1; i < 1000; ++i) {
    crowd.note(1, 16, start + i * 39ms);
    ASSERT_TRUE(crowd.is_there(start + i * 39ms)) << i;
  }
}

} // namespace backoff_actor::store_test
