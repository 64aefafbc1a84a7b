#include "failure_of.hpp"
#include "stories.hpp"

#include <backoff_actor/testing/gmock.hpp>

#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

namespace backoff_actor::kit_test {

namespace {

using namespace backoff_actor::testing;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Not;

// Notes that a message was submitted, executed and acknowledged.
void go_well(const Ledger& ledger, const std::string& key) {
  ledger.submitted(key);
  ledger.executed(key);
  ledger.acknowledged(key);
}

TEST(ledger, counts_what_it_is_told) {
  const Ledger ledger;
  go_well(ledger, "a");
  go_well(ledger, "b");
  ledger.submitted("c");
  ledger.dead_lettered("c");
  ledger.submitted("d");
  ledger.refused("d");
  ledger.executed("b");
  ledger.executed("b");

  const auto summary = ledger.summary();
  EXPECT_EQ(summary.submitted, 4u);
  EXPECT_EQ(summary.executed, 4u);
  EXPECT_EQ(to_string(summary), "submitted 4, acknowledged 2, dead-lettered 1, refused 1, lost 0, "
                                "duplicates 2");
  EXPECT_THAT(ledger, LostNothing());
  EXPECT_THAT(ledger, IsBalanced());
  EXPECT_THAT(ledger, HasDuplicates(2));
  EXPECT_THAT(ledger, HasDuplicates(Ge(1u)));
}

TEST(ledger, is_balanced_when_empty) {
  EXPECT_THAT(Ledger{}, IsBalanced());
  EXPECT_THAT(Ledger{}, HasDuplicates(0));
}

TEST(ledger, names_what_was_lost) {
  const Ledger ledger;
  for (const auto* key : {"a", "b", "c"})
    ledger.submitted(key);
  ledger.acknowledged("b");

  EXPECT_THAT(ledger.summary().lost.keys, ElementsAre("a", "c"));
  EXPECT_THAT(ledger, Not(LostNothing()));
  EXPECT_EQ(failure_of([&] { EXPECT_THAT(ledger, LostNothing()); }),
            "Value of: ledger\n"
            "Expected: lost nothing\n"
            "  Actual: submitted 3, acknowledged 1, dead-lettered 0, refused 0, lost 2, "
            "duplicates 0, namely lost: a, c");
}

TEST(ledger, names_the_first_five_and_counts_the_rest) {
  const Ledger ledger;
  for (auto i = 1; i <= 7; ++i)
    ledger.submitted("order " + std::to_string(i));

  EXPECT_EQ(ledger.summary().losses_text(),
            "lost: order 1, order 2, order 3, order 4, order 5 and 2 more");
}

TEST(ledger, takes_what_is_owed_for_not_lost) {
  const Ledger ledger;
  for (const auto* key : {"a", "b", "c"})
    ledger.submitted(key);

  EXPECT_EQ(
    to_string(ledger.summary(2)),
    "submitted 3, acknowledged 0, dead-lettered 0, refused 0, owed 2, lost 1, duplicates 0");
  EXPECT_EQ(ledger.summary(2).losses_text(), "lost, among: a, b, c") << "nobody says which";
  EXPECT_THAT(ledger.summary(3), LostNothing());
  EXPECT_THAT(ledger.summary(3).lost.keys, IsEmpty());
  EXPECT_EQ(ledger.summary(9).owed, 3u) << "more cannot be owed";
}

TEST(ledger, takes_an_acknowledgement_without_work_for_a_loss) {
  const Ledger ledger;
  go_well(ledger, "a");
  ledger.submitted("b");
  ledger.acknowledged("b");

  EXPECT_EQ(
    failure_of([&] { EXPECT_THAT(ledger, LostNothing()); }),
    "Value of: ledger\n"
    "Expected: lost nothing\n"
    "  Actual: submitted 2, acknowledged 2, dead-lettered 0, refused 0, lost 0, "
    "duplicates 0, acknowledged but never executed 1, namely acknowledged but never executed: b");
}

TEST(ledger, looks_at_endings_alone_where_nobody_notes_work) {
  const Ledger ledger;
  ledger.submitted("a");
  ledger.acknowledged("a");

  EXPECT_THAT(ledger, LostNothing());
}

TEST(ledger, finds_what_ended_twice_or_came_from_nowhere) {
  const Ledger ledger;
  go_well(ledger, "a");
  ledger.dead_lettered("a");
  ledger.executed("ghost");
  ledger.acknowledged("ghost");

  EXPECT_THAT(ledger, LostNothing()) << "that is no loss";
  EXPECT_EQ(failure_of([&] { EXPECT_THAT(ledger, IsBalanced()); }),
            "Value of: ledger\n"
            "Expected: is balanced\n"
            "  Actual: submitted 1, acknowledged 2, dead-lettered 1, refused 0, lost 0, "
            "duplicates 0, ended twice 1, phantoms 2, namely ended twice: a; phantoms: ghost");
}

TEST(ledger, expects_one_more_ending_of_what_is_submitted_again) {
  const Ledger ledger;
  ledger.submitted("a");
  ledger.dead_lettered("a");
  ledger.submitted("a");
  EXPECT_THAT(ledger, Not(LostNothing()));

  ledger.executed("a");
  ledger.acknowledged("a");
  EXPECT_THAT(ledger, IsBalanced());
  EXPECT_THAT(ledger, HasDuplicates(0));
}

TEST(ledger, says_which_duplicates_there_are) {
  const Ledger ledger;
  go_well(ledger, "a");
  ledger.executed("a");

  EXPECT_EQ(failure_of([&] { EXPECT_THAT(ledger, HasDuplicates(0)); }),
            "Value of: ledger\n"
            "Expected: has a number of duplicates that is equal to 0\n"
            "  Actual: submitted 1, acknowledged 1, dead-lettered 0, refused 0, lost 0, "
            "duplicates 1, namely duplicates: a");
}

TEST(ledger, does_not_mind_the_order_of_notes) {
  const Ledger ledger;
  ledger.acknowledged("a");
  ledger.executed("a");
  ledger.submitted("a");

  EXPECT_THAT(ledger, IsBalanced());
}

TEST(ledger, shares_its_notes_with_copies) {
  const Ledger ledger;
  const auto copy = ledger;
  go_well(copy, "a");

  EXPECT_EQ(ledger.summary().acknowledged, 1u);
}

TEST(ledger, keeps_the_books_from_a_senders_own_words) {
  const Ledger ledger;
  const auto tell = ledger.hook();
  tell(event::Accepted{at(0s), 1});
  tell(event::Accepted{at(0s), 2});
  tell(event::Accepted{at(0s), 3});
  tell(event::NotAccepted{at(0s), Refusal::outbox_full});
  tell(event::Acknowledged{at(0s), 2, 1, 0, 0s});
  tell(event::DeadLettered{at(0s), 3, DeadLetterReason::expired, 0, {}});

  EXPECT_EQ(to_string(ledger.summary()),
            "submitted 3, acknowledged 1, dead-lettered 1, refused 0, lost 1, duplicates 0");
  EXPECT_EQ(ledger.summary().losses_text(), "lost: 1");
}

TEST(ledger, tells_the_deliveries_of_senders_apart) {
  const Ledger ledger;
  ledger.hook("orders")(event::Accepted{at(0s), 1});
  ledger.hook("mails")(event::Accepted{at(0s), 1});
  ledger.hook("mails")(event::Acknowledged{at(0s), 1, 1, 0, 0s});

  EXPECT_EQ(ledger.summary().losses_text(), "lost: orders 1");
}

TEST(ledger, loses_no_note_of_four_threads) {
  constexpr auto threads = 4;
  constexpr auto keys = 5'000;
  const Ledger ledger;
  std::vector<std::thread> crew;
  for (auto thread = 0; thread < threads; ++thread)
    crew.emplace_back([ledger] {
      for (auto key = 0; key < keys; ++key)
        go_well(ledger, std::to_string(key)); // all threads note the same keys
    });
  for (auto& thread : crew)
    thread.join();

  EXPECT_EQ(to_string(ledger.summary()), "submitted 20000, acknowledged 20000, dead-lettered 0, "
                                         "refused 0, lost 0, duplicates 0");
  EXPECT_THAT(ledger, IsBalanced());
}

} // namespace

} // namespace backoff_actor::kit_test
