// What a process does that wants an outbox which another process owns.

#include "backoff_actor/engine/outbox/standby.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::IsEmpty;
using ::testing::Optional;

StoreOwner alive(const std::string& node) { return {node, 1, {}, true, {}}; }

StoreOwner held(const std::string& by) { return {"node-a", 1, {}, false, by}; }

IncomingMessage row(std::uint64_t number, std::size_t bytes = 0) {
  IncomingMessage result;
  result.row = number;
  result.payload.resize(bytes);
  return result;
}

class standby : public ::testing::Test {
protected:
  // The numbers of the rows that are to be written now.
  std::vector<std::uint64_t> batch() {
    std::vector<std::uint64_t> result;
    for (const auto& x : process.next_batch())
      result.push_back(x.row);
    return result;
  }

  Standby process{"orders", 10, true};
};

TEST_F(standby, looks_at_once_and_then_waits_for_five_seconds_and_looks_again) {
  const auto look = process.begin();
  EXPECT_EQ(look.pause, 0s);
  EXPECT_EQ(look.at_most, 0s);
  const auto wait = process.stay(alive("node-a"));
  EXPECT_EQ(wait.pause, 0s);
  EXPECT_EQ(wait.at_most, 5s);
  const auto again = process.stay(std::nullopt);
  EXPECT_EQ(again.pause, 0s);
  EXPECT_EQ(again.at_most, 0s);
}

TEST_F(standby, looks_each_second_if_its_calls_must_not_block) {
  Standby other{"orders", 10, false};
  other.begin();
  for (auto i = 0; i < 3; ++i) {
    const auto next = other.stay(alive("node-a"));
    EXPECT_EQ(next.pause, 1s);
    EXPECT_EQ(next.at_most, 0s);
  }
}

TEST_F(standby, says_who_owns_the_outbox_by_its_last_look) {
  process.begin();
  EXPECT_EQ(process.who_owns(), "orders has no owner yet");
  process.stay(alive("node-a"));
  EXPECT_EQ(process.who_owns(), "node-a owns orders");
  process.stay(std::nullopt); // a wait says nothing
  EXPECT_EQ(process.who_owns(), "node-a owns orders");
  process.stay(held("process 7 of user bob"));
  EXPECT_EQ(process.who_owns(), "orders has no owner yet: process 7 of user bob holds its lock");
  process.stay(std::nullopt);
  process.stay(std::nullopt);
  EXPECT_EQ(process.who_owns(), "orders has no owner yet");
}

TEST_F(standby, an_outbox_that_was_lost_has_no_owner_before_the_next_look) {
  process.begin();
  process.stay(alive("node-a"));
  process.own();
  process.begin();
  EXPECT_EQ(process.who_owns(), "orders has no owner yet");
}

TEST_F(standby, after_failures_of_the_server_the_pauses_double_up_to_ten_seconds) {
  process.begin();
  std::vector<Duration> pauses;
  for (auto i = 0; i < 9; ++i) {
    const auto next = process.fail(StoreFailure::unreachable, "no answer");
    EXPECT_THAT(next.notice, Optional(Eq("no answer")));
    EXPECT_EQ(next.at_most, 0s);
    pauses.push_back(next.pause);
  }
  EXPECT_THAT(pauses, ElementsAre(100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 6400ms, 10s, 10s));
  process.stay(alive("node-a"));
  EXPECT_EQ(process.fail(StoreFailure::unreachable, "").pause, 100ms) << "it had answered";
}

TEST_F(standby, a_refusal_that_only_people_can_mend_is_followed_by_ten_seconds) {
  process.begin();
  EXPECT_EQ(process.fail(StoreFailure::input_output, "").pause, 10s);
  EXPECT_EQ(process.fail(StoreFailure::incompatible, "").pause, 10s);
}

TEST_F(standby, a_wait_that_fails_is_followed_by_a_look) {
  process.begin();
  EXPECT_EQ(process.stay(alive("node-a")).at_most, 5s);
  EXPECT_EQ(process.fail(StoreFailure::unreachable, "").at_most, 0s);
  EXPECT_EQ(process.stay(alive("node-a")).at_most, 5s);
}

TEST_F(standby, tells_once_of_a_stranger_who_holds_the_lock_at_two_looks_in_a_row) {
  Standby other{"orders", 10, false};
  other.begin();
  EXPECT_EQ(other.stay(held("bob")).notice, std::nullopt) << "it may be a new owner";
  EXPECT_THAT(other.stay(held("bob")).notice,
              Optional(Eq("orders: bob holds its lock and is no owner, so nobody can own it")));
  EXPECT_EQ(other.stay(held("bob")).notice, std::nullopt);
  EXPECT_EQ(other.stay(held("eve")).notice, std::nullopt);
  EXPECT_THAT(other.stay(held("eve")).notice,
              Optional(Eq("orders: eve holds its lock and is no owner, so nobody can own it")));
  EXPECT_EQ(other.stay(alive("node-a")).notice, std::nullopt);
  EXPECT_EQ(other.stay(held("eve")).notice, std::nullopt);
  EXPECT_NE(other.stay(held("eve")).notice, std::nullopt) << "it is there again";
}

TEST_F(standby, what_comes_while_a_batch_is_written_is_the_next_batch) {
  EXPECT_TRUE(process.add(row(1)));
  EXPECT_THAT(batch(), ElementsAre(1u));
  EXPECT_TRUE(process.add(row(2)));
  EXPECT_TRUE(process.add(row(3)));
  EXPECT_THAT(batch(), IsEmpty());
  EXPECT_EQ(process.settle(), 1u);
  EXPECT_THAT(batch(), ElementsAre(2u, 3u));
  EXPECT_EQ(process.settle(), 2u);
  EXPECT_THAT(batch(), IsEmpty());
  EXPECT_EQ(process.settle(), 0u);
}

TEST_F(standby, what_is_not_settled_is_bounded_in_number) {
  for (auto i = 1; i <= 10; ++i)
    EXPECT_TRUE(process.add(row(1)));
  EXPECT_FALSE(process.add(row(11)));
  EXPECT_EQ(batch().size(), 10u);
  EXPECT_FALSE(process.add(row(11))) << "what is being written is still in memory";
  process.settle();
  EXPECT_TRUE(process.add(row(11)));
}

TEST_F(standby, what_is_not_settled_is_bounded_in_bytes_but_one_message_may_be_larger) {
  EXPECT_TRUE(process.add(row(1, std::size_t{65} << 20)));
  EXPECT_FALSE(process.add(row(2, 0)));
  EXPECT_THAT(batch(), ElementsAre(1u));
  process.settle();
  EXPECT_TRUE(process.add(row(2, std::size_t{64} << 20)));
  EXPECT_TRUE(process.add(row(3, 0)));
  EXPECT_FALSE(process.add(row(4, 1)));
}

TEST_F(standby, a_transaction_has_at_most_a_thousand_rows_and_sixteen_mebibytes) {
  Standby other{"orders", 5000, true};
  for (auto i = 0; i < 1001; ++i)
    other.add(row(1));
  EXPECT_EQ(other.next_batch().size(), 1000u);
  other.settle();
  other.add(row(2, std::size_t{16} << 20));
  other.add(row(3, 1));
  EXPECT_EQ(other.next_batch().size(), 2u);
  other.settle();
  EXPECT_EQ(other.next_batch().size(), 1u);
}

TEST_F(standby, a_message_goes_to_the_owner_and_then_waits_for_the_rows_of_before) {
  process.begin();
  EXPECT_EQ(process.place(), Standby::Place::row);
  process.add(row(1));
  batch();
  process.own();
  EXPECT_EQ(process.place(), Standby::Place::held);
  process.settle();
  EXPECT_EQ(process.place(), Standby::Place::sender);
  process.begin();
  EXPECT_EQ(process.place(), Standby::Place::row);
}

} // namespace

} // namespace backoff_actor
