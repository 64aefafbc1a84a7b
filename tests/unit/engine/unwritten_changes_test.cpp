#include "backoff_actor/engine/outbox/unwritten_changes.hpp"

#include "outbox_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace backoff_actor {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

StoreChange attempts(std::uint64_t id, std::uint32_t count) {
  return change::CountAttempts{id, count};
}

std::vector<std::string> names_of(const std::vector<StoreChange>& changes) {
  std::vector<std::string> result;
  for (const auto& x : changes)
    result.push_back(std::visit(NameOfChange{}, x));
  return result;
}

class unwritten_changes : public ::testing::Test {
protected:
  void put(std::initializer_list<StoreChange> changes, bool is_failing = false) {
    for (const auto& x : changes)
      pending.put(x, is_failing);
  }

  std::vector<std::string> take(std::size_t most = 100) {
    taken = pending.take(most);
    return names_of(taken);
  }

  UnwrittenChanges pending{3};
  std::vector<StoreChange> taken;
};

} // namespace

TEST_F(unwritten_changes, come_in_order_as_many_as_are_asked_for) {
  put({insertion(1), acknowledgement(1), insertion(2), insertion(3)});
  EXPECT_EQ(pending.size(), 4U);
  EXPECT_EQ(pending.refusable(), 3U);
  EXPECT_EQ(pending.owed(), 1U);
  EXPECT_THAT(take(3), ElementsAre("insert 1", "ack 1", "insert 2"));
  EXPECT_EQ(pending.refusable(), 1U);
  EXPECT_THAT(take(), ElementsAre("insert 3"));
  EXPECT_TRUE(pending.empty());
}

TEST_F(unwritten_changes, are_owed_until_a_commit_has_written_them) {
  put({acknowledgement(1), insertion(2), acknowledgement(3), acknowledgement(4)});
  take(3);
  EXPECT_EQ(pending.owed(), 3U) << "two are being written";
  pending.forget({taken.data(), 1});
  EXPECT_EQ(pending.owed(), 2U);
  taken.erase(taken.begin());
  pending.keep(taken);
  EXPECT_EQ(pending.owed(), 2U) << "the insertion is refused";
  EXPECT_THAT(take(), ElementsAre("ack 3", "ack 4"));
  pending.forget(taken);
  EXPECT_EQ(pending.owed(), 0U);
}

TEST_F(unwritten_changes, that_have_failed_come_first_and_without_the_insertions) {
  put({acknowledgement(1), insertion(2), acknowledgement(3)});
  take(2);
  EXPECT_EQ(pending.keep(taken).last_id, 2U);
  put({acknowledgement(4)}, true);
  EXPECT_THAT(take(), ElementsAre("ack 1", "ack 3", "ack 4"));
}

TEST_F(unwritten_changes, of_a_batch_that_waits_are_refused_with_a_commit_that_fails_and_no_more) {
  put({acknowledgement(1)});
  for (std::uint64_t id = 2; id <= 6; ++id)
    put({insertion(id)});
  take(1);
  EXPECT_EQ(pending.keep(taken).last_id, 4U)
    << "three of those that wait, as many as a commit takes";
  EXPECT_EQ(pending.refusable(), 2U);
  EXPECT_THAT(take(), ElementsAre("ack 1", "insert 5", "insert 6"));
}

TEST_F(unwritten_changes, of_what_ended_before_it_was_stored_are_kept_up_to_a_batch) {
  for (std::uint64_t id = 1; id <= 5; ++id)
    put({insertion(id), burial(id)});
  for (int i = 0; i < 5; ++i) {
    take(2);
    pending.keep(taken);
  }
  EXPECT_THAT(take(),
              ElementsAre("insert 1", "bury 1", "insert 2", "bury 2", "insert 3", "bury 3"));
}

TEST_F(unwritten_changes, of_rows_that_ended_before_they_were_stored_are_all_kept) {
  for (std::uint64_t id = 1; id <= 5; ++id)
    put({change::Insert{{.id = id}, /*incoming=*/id}, burial(id)});
  for (int i = 0; i < 5; ++i) {
    take(2);
    pending.keep(taken);
  }
  take();
  EXPECT_EQ(pending.size(), 0U);
  EXPECT_EQ(taken.size(), 10U);
}

TEST_F(unwritten_changes, of_what_was_cancelled_and_is_not_kept_are_named) {
  for (std::uint64_t id = 1; id <= 5; ++id)
    put({insertion(id), change::Acknowledge{id, {}, /*is_dropped=*/true}});
  std::vector<std::uint64_t> cancelled;
  for (int i = 0; i < 5; ++i) {
    take(2);
    for (const auto id : pending.keep(taken).cancelled)
      cancelled.push_back(id);
  }
  EXPECT_THAT(cancelled, ElementsAre(4, 5));
}

TEST_F(unwritten_changes, that_were_written_are_forgotten) {
  put({insertion(1), burial(1)});
  take();
  pending.forget(taken);
  put({insertion(1)});
  take();
  EXPECT_EQ(pending.keep(taken).last_id, 1U);
  EXPECT_THAT(take(), IsEmpty()) << "the burial is written, and keeps no insertion";
}

TEST_F(unwritten_changes, that_count_attempts_do_not_pile_up_while_the_store_fails) {
  put({attempts(1, 1), acknowledgement(2)});
  take(2);
  pending.keep(taken);
  for (std::uint32_t count = 2; count <= 50; ++count)
    put({attempts(1, count)}, true);
  EXPECT_EQ(pending.size(), 2U);
  take(1);
  put({attempts(1, 51)}, true);
  pending.keep(taken);
  EXPECT_THAT(take(), ElementsAre("ack 2", "count 51 of 1"));
}

} // namespace backoff_actor
