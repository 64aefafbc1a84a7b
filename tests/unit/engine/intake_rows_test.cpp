// Which messages of other programs an outbox holds in memory.

#include "backoff_actor/engine/outbox/intake_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

IncomingMessage message(std::uint64_t row, std::size_t bytes = 0) {
  IncomingMessage result;
  result.row = row;
  result.payload.resize(bytes);
  return result;
}

IncomingMessage with_key(std::uint64_t row, std::string idempotency_key) {
  auto result = message(row);
  result.idempotency_key = std::move(idempotency_key);
  return result;
}

IncomingMessage cancel(std::uint64_t row, std::string idempotency_key) {
  auto result = row_that_cancels(std::move(idempotency_key), false);
  result.row = row;
  return result;
}

StoreChange insertion_of_row(std::uint64_t row) { return change::Insert{{.id = row}, row}; }

class intake_rows : public ::testing::Test {
protected:
  intake_rows() { rows.begin(); }

  // A look takes the rows from the first to the last.
  bool look(std::uint64_t first, std::uint64_t last, bool has_caught_up = true,
            std::size_t bytes = 0) {
    std::vector<IncomingMessage> messages;
    for (auto row = first; row <= last; ++row)
      messages.push_back(message(row, bytes));
    return rows.put(std::move(messages), has_caught_up);
  }

  // The rows that the sender gets.
  std::vector<std::uint64_t> take() {
    std::vector<std::uint64_t> result;
    for (const auto& x : rows.take())
      result.push_back(x.row);
    return result;
  }

  bool settle(std::uint64_t first, std::uint64_t last) {
    std::vector<StoreChange> changes;
    for (auto row = first; row <= last; ++row)
      changes.push_back(insertion_of_row(row));
    return rows.settle(changes);
  }

  IntakeRows rows;
};

} // namespace

TEST_F(intake_rows, are_held_until_the_look_after_their_deletion) {
  rows.begin_look();
  look(1, 3);
  EXPECT_THAT(take(), ElementsAre(1, 2, 3));
  EXPECT_THAT(rows.in_hand(), UnorderedElementsAre(1, 2, 3));
  rows.begin_look();
  settle(1, 1);
  rows.settle(std::vector<StoreChange>{change::DropIncoming{2}});
  EXPECT_THAT(rows.in_hand(), UnorderedElementsAre(1, 2, 3)) << "this look may still see them";
  rows.begin_look();
  EXPECT_THAT(rows.in_hand(), ElementsAre(3));
}

TEST_F(intake_rows, that_are_given_back_are_held_no_longer) {
  rows.begin_look();
  look(1, 2);
  take();
  EXPECT_FALSE(rows.give_back(1)) << "the reader does not wait";
  EXPECT_THAT(rows.in_hand(), UnorderedElementsAre(1, 2));
  EXPECT_THAT(rows.begin_look().given_back, ElementsAre(1));
  EXPECT_THAT(rows.in_hand(), ElementsAre(2));
  EXPECT_THAT(rows.begin_look().given_back, IsEmpty()) << "once";
}

TEST_F(intake_rows, that_wait_are_given_back_when_the_sender_ends) {
  rows.begin_look();
  look(1, 1);
  take();
  look(2, 3);
  rows.end();
  EXPECT_FALSE(rows.is_waiting());
  EXPECT_THAT(rows.begin_look().given_back, ElementsAre(2, 3));
  EXPECT_THAT(rows.in_hand(), ElementsAre(1)) << "its delivery may still be stored";
}

// What was cancelled while it waited for its time is not delivered if its time comes meanwhile.
TEST_F(intake_rows,
       that_are_older_than_one_that_cancels_them_are_withheld_until_that_is_committed) {
  rows.begin_look();
  rows.put({message(9), cancel(10, "a"), with_key(3, "a"), with_key(4, "b")}, true);
  EXPECT_THAT(take(), ElementsAre(9, 10, 4));
  EXPECT_THAT(rows.in_hand(), UnorderedElementsAre(3, 4, 9, 10));
  rows.begin_look();
  rows.settle(std::vector<StoreChange>{change::DropIncoming{10, "a"}});
  rows.put({with_key(5, "a")}, true);
  EXPECT_THAT(take(), IsEmpty()) << "this look may have seen it before the commit";
  EXPECT_THAT(rows.begin_look().read_again, ElementsAre(3, 5)) << "if they are still there";
  EXPECT_THAT(rows.in_hand(), UnorderedElementsAre(4, 9));
  rows.put({with_key(5, "a")}, true);
  EXPECT_THAT(take(), ElementsAre(5));
}

TEST_F(intake_rows, that_are_younger_than_one_that_cancels_their_key_are_not_withheld) {
  rows.begin_look();
  rows.put({with_key(2, "a"), cancel(10, "a"), with_key(11, "a")}, true);
  EXPECT_THAT(take(), ElementsAre(2, 10, 11)) << "the first comes before what cancels it";
}

TEST_F(intake_rows, that_were_to_get_another_payload_are_withheld_until_they_have_it) {
  rows.begin_look();
  auto order = row_that_replaces("a", "text", {});
  order.row = 10;
  rows.put({order, with_key(3, "a")}, true);
  EXPECT_THAT(take(), ElementsAre(10));
  rows.settle(std::vector<StoreChange>{change::SetMessage{0, {}, 10}});
  EXPECT_THAT(rows.begin_look().read_again, ElementsAre(3));
}

TEST_F(intake_rows, that_are_withheld_are_read_again_once_what_cancels_them_is_given_back) {
  rows.begin_look();
  rows.put({cancel(10, "a"), with_key(3, "a")}, true);
  rows.end();
  rows.begin();
  const auto look = rows.begin_look();
  EXPECT_THAT(look.given_back, ElementsAre(10));
  EXPECT_THAT(look.read_again, ElementsAre(3));
  EXPECT_THAT(rows.in_hand(), IsEmpty());
  rows.put({with_key(3, "a")}, true);
  EXPECT_THAT(take(), ElementsAre(3)) << "nobody cancels it now";
}

TEST_F(intake_rows, a_sender_has_not_caught_up_while_one_is_withheld) {
  rows.begin_look();
  rows.put({cancel(10, "a"), with_key(3, "a")}, true);
  take();
  EXPECT_FALSE(rows.has_caught_up());
  rows.settle(std::vector<StoreChange>{change::DropIncoming{10, "a"}});
  rows.begin_look();
  rows.put({}, true);
  EXPECT_TRUE(rows.has_caught_up());
}

TEST_F(intake_rows, are_a_thousand_at_the_most_and_the_reader_is_told_once_a_quarter_is_free) {
  EXPECT_EQ(rows.begin_look().room, 1000u);
  look(1, 900);
  EXPECT_EQ(rows.begin_look().room, 100u);
  look(901, 1000);
  take();
  EXPECT_EQ(rows.begin_look().room, 0u);
  EXPECT_FALSE(settle(1, 249));
  EXPECT_TRUE(settle(250, 250));
  EXPECT_FALSE(settle(251, 251)) << "it is told once";
  EXPECT_EQ(rows.begin_look().room, 251u);
}

TEST_F(intake_rows, have_64_mib_at_the_most) {
  rows.begin_look();
  look(1, 4, true, std::size_t{16} << 20);
  take();
  EXPECT_EQ(rows.begin_look().room, 0u);
  EXPECT_TRUE(settle(1, 1));
  EXPECT_EQ(rows.begin_look().room, 997u);
}

TEST_F(intake_rows, a_reader_that_waits_is_told_of_one_that_is_given_back) {
  rows.begin_look();
  look(1, 1000);
  take();
  rows.begin_look();
  EXPECT_TRUE(rows.give_back(7));
  EXPECT_FALSE(rows.give_back(8));
}

TEST_F(intake_rows, that_were_there_before_come_before_the_senders_own_messages) {
  EXPECT_FALSE(rows.has_caught_up());
  rows.begin_look();
  EXPECT_FALSE(look(1, 2, false)) << "there are more";
  EXPECT_THAT(take(), ElementsAre(1, 2));
  EXPECT_FALSE(rows.has_caught_up());
  rows.begin_look();
  EXPECT_TRUE(look(3, 4, true));
  EXPECT_FALSE(rows.has_caught_up()) << "the sender does not have them yet";
  EXPECT_THAT(take(), ElementsAre(3, 4));
  EXPECT_TRUE(rows.has_caught_up());
  EXPECT_THAT(take(), IsEmpty());
  rows.begin_look();
  EXPECT_FALSE(look(5, 5, true)) << "no news";
  EXPECT_TRUE(rows.has_caught_up());
}

TEST_F(intake_rows, of_a_look_that_began_before_do_not_count_when_the_sender_catches_up_anew) {
  rows.begin_look();
  look(1, 1);
  take();
  rows.begin_look();
  rows.catch_up();
  EXPECT_FALSE(rows.has_caught_up());
  EXPECT_FALSE(look(2, 2, true)) << "this look began before";
  take();
  EXPECT_FALSE(rows.has_caught_up());
  EXPECT_TRUE(rows.begin_look().is_to_catch_up);
  EXPECT_TRUE(look(3, 3, true));
  take();
  EXPECT_TRUE(rows.has_caught_up());
  EXPECT_FALSE(rows.begin_look().is_to_catch_up) << "once";
}

TEST_F(intake_rows, the_next_sender_catches_up_for_itself) {
  rows.begin_look();
  look(1, 1);
  take();
  rows.end();
  rows.begin();
  EXPECT_FALSE(rows.has_caught_up());
  rows.begin_look();
  EXPECT_TRUE(look(2, 1, true)) << "nothing is there";
  EXPECT_TRUE(rows.has_caught_up());
}

} // namespace backoff_actor
