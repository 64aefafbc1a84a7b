// What an outbox asks of its store, and when, and what it makes of each answer.

#include "outbox_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<StoreChange> acknowledgements(std::uint64_t from, std::uint64_t to) {
  std::vector<StoreChange> result;
  for (auto id = from; id <= to; ++id)
    result.push_back(acknowledgement(id));
  return result;
}

StoreChange note(std::uint64_t delivery, std::string context) {
  return change::SetContext{delivery, std::move(context)};
}

// An outbox that no other process wants.
class outbox_engine : public ::testing::Test {
protected:
  outbox_engine() { outbox.attach(); }

  OutboxDriver outbox{{.max_batch = 3}};
};

} // namespace

TEST_F(outbox_engine, commits_what_was_put_by_then_and_rests) {
  EXPECT_THAT(outbox.insert({1}), ElementsAre("go on"));
  EXPECT_THAT(outbox.insert({2}), IsEmpty());
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 1, insert 2"));
  EXPECT_THAT(outbox.insert({3}), IsEmpty()) << "a call is under way";
  EXPECT_THAT(outbox.go(), IsEmpty());
  EXPECT_THAT(outbox.done(), ElementsAre("2 stored", "go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 3"));
  EXPECT_THAT(outbox.done(), ElementsAre("3 stored", "go on"));
  EXPECT_THAT(outbox.go(), IsEmpty());
  EXPECT_THAT(outbox.insert({4}), ElementsAre("go on"));
}

TEST_F(outbox_engine, says_what_became_of_each_message_in_order) {
  outbox.put({change::SetMessage{1, {}, 0, 7}, change::SetMessage{1, {}, 0, 7}});
  outbox.go();
  EXPECT_THAT(outbox.done(),
              ElementsAre("message of 1 for 7 is stored", "message of 1 for 7 is stored", "go on"));
}

TEST_F(outbox_engine, refuses_messages_of_a_commit_that_fails_and_those_that_wait) {
  outbox.put({change::SetMessage{1, {}, 0, 7}});
  outbox.go();
  outbox.put({change::SetMessage{2, {}, 0, 7}});
  EXPECT_THAT(outbox.fail(StoreFailure::full),
              ElementsAre("report", "message of 1 for 7 is not stored: told to",
                          "message of 2 for 7 is not stored: told to", "go on"));
  EXPECT_EQ(outbox.engine.waiting(), 0U);
}

TEST_F(outbox_engine, keeps_a_message_of_what_became_a_dead_letter) {
  outbox.put({change::SetMessage{1, {}, 0, 7}});
  outbox.go();
  outbox.put({change::Bury{1, DeadLetterReason::expired, 0, "", {}}});
  outbox.fail(StoreFailure::full);
  outbox.go();
  outbox.wake(100ms);
  EXPECT_THAT(outbox.go(), ElementsAre("commit message of 1, bury 1 (doubtful)"));
}

TEST_F(outbox_engine, does_not_wait_for_another_attempt_while_a_message_is_asked_for) {
  outbox.put(acknowledgements(1, 1));
  outbox.go();
  outbox.fail(StoreFailure::full);
  outbox.go();
  EXPECT_THAT(outbox.put({change::SetMessage{2, {}, 0, 7}}), ElementsAre("go on"));
}

TEST_F(outbox_engine, refuses_a_message_that_is_too_large_alone) {
  outbox.put({change::SetMessage{1, {}, 0, 7}});
  outbox.go();
  EXPECT_THAT(outbox.fail(StoreFailure::too_large),
              ElementsAre("report", "message of 1 for 7 is not stored: told to", "go on"));
}

TEST_F(outbox_engine, commits_no_more_than_a_batch_at_once) {
  outbox.insert({1, 2, 3, 4});
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 1, insert 2, insert 3"));
  EXPECT_THAT(outbox.done(), ElementsAre("3 stored", "go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 4"));
}

TEST_F(outbox_engine, says_that_a_count_is_stored) {
  outbox.put({change::CountHandOvers{7, 1}});
  EXPECT_THAT(outbox.go(), ElementsAre("commit hand-over of 7"));
  EXPECT_THAT(outbox.done(), ElementsAre("hand-over of 7 is counted", "go on"));
}

TEST(outbox_engine_that_lingers, waits_once_for_a_batch_to_grow) {
  OutboxDriver outbox{{.max_batch = 3, .max_wait = 20ms}};
  outbox.attach();
  outbox.insert({1});
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 20ms"));
  EXPECT_THAT(outbox.wake(19ms), IsEmpty()) << "it is too early";
  EXPECT_THAT(outbox.insert({2}), IsEmpty());
  EXPECT_THAT(outbox.wake(1ms), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 1, insert 2"));
  outbox.done();
  outbox.insert({3});
  outbox.go();
  EXPECT_THAT(outbox.insert({4, 5}), ElementsAre("go on")) << "the batch is full";
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 3, insert 4, insert 5"));
}

// -- contexts -------------------------------------------------------------------------

TEST_F(outbox_engine, lets_a_note_wait_for_a_commit_that_is_made_anyway) {
  EXPECT_THAT(outbox.put({note(7, "a")}), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 100ms"));
  EXPECT_THAT(outbox.put({note(7, "b")}), IsEmpty());
  EXPECT_THAT(outbox.put({note(8, "c")}), IsEmpty());
  EXPECT_THAT(outbox.insert({9}), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit context of 7: b, context of 8: c, insert 9"));
  outbox.put({note(7, "d")});
  EXPECT_THAT(outbox.done(), ElementsAre("9 stored", "go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 100ms"));
}

TEST_F(outbox_engine, commits_notes_alone_after_a_while) {
  outbox.put({note(7, "a")});
  outbox.go();
  EXPECT_THAT(outbox.wake(100ms - 1ns), IsEmpty());
  EXPECT_THAT(outbox.wake(1ns), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit context of 7: a"));
  EXPECT_THAT(outbox.done(), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), IsEmpty());
  outbox.put({note(7, "b")});
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 100ms")) << "the next waits, too";
}

TEST_F(outbox_engine, commits_a_batch_of_notes_at_once) {
  outbox.put({note(7, "a")});
  outbox.go();
  EXPECT_THAT(outbox.put({note(8, "b")}), IsEmpty());
  EXPECT_THAT(outbox.put({note(9, "c")}), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit context of 7: a, context of 8: b, context of 9: c"));
}

TEST_F(outbox_engine, lets_a_context_that_is_awaited_not_wait) {
  outbox.put({note(7, "a")});
  outbox.go();
  EXPECT_THAT(outbox.put({change::SetContext{7, "b", true}}), ElementsAre("go on"));
  EXPECT_THAT(outbox.put({note(7, "c")}), IsEmpty());
  EXPECT_THAT(outbox.go(), ElementsAre("commit context of 7: c")) << "which somebody awaits";
  EXPECT_THAT(outbox.done(), ElementsAre("cancellation of 7 is stored", "go on"));
}

TEST_F(outbox_engine, tells_nobody_of_a_note_that_is_stored) {
  outbox.put({note(7, "a"), acknowledgement(8)});
  EXPECT_THAT(outbox.go(), ElementsAre("commit context of 7: a, ack 8"));
  EXPECT_THAT(outbox.done(), ElementsAre("go on"));
}

TEST_F(outbox_engine, keeps_the_last_context_of_a_delivery_when_a_commit_fails) {
  outbox.put({change::SetContext{7, "a", true}, note(8, "b")});
  outbox.go();
  outbox.put({note(7, "c")});
  outbox.fail(StoreFailure::full);
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 100ms"));
  outbox.put({note(8, "d")});
  outbox.wake(100ms);
  EXPECT_THAT(outbox.go(), ElementsAre("commit context of 8: d, context of 7: c (doubtful)"));
  EXPECT_THAT(outbox.done(), ElementsAre("cancellation of 7 is stored", "go on"));
}

TEST_F(outbox_engine, writes_notes_at_once_when_its_sender_ends) {
  outbox.put({note(7, "a")});
  outbox.go();
  EXPECT_THAT(outbox.detach(), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit context of 7: a"));
}

TEST(outbox_engine_that_lingers, lets_a_note_grow_the_next_batch_as_any_change) {
  OutboxDriver outbox{{.max_batch = 3, .max_wait = 20ms}};
  outbox.attach();
  outbox.put({note(7, "a")});
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 20ms"));
  EXPECT_THAT(outbox.insert({8}), IsEmpty());
  outbox.wake(20ms);
  EXPECT_THAT(outbox.go(), ElementsAre("commit context of 7: a, insert 8"));
}

TEST_F(outbox_engine, refuses_insertions_when_a_commit_fails_and_tries_the_rest_again) {
  outbox.insert({1});
  outbox.put({acknowledgement(9)});
  outbox.go();
  EXPECT_THAT(outbox.fail(StoreFailure::full), ElementsAre("report", "1 failed", "go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 100ms"));
  EXPECT_THAT(outbox.put({acknowledgement(8)}), IsEmpty()) << "it can wait";
  outbox.step(outbox_input::Heard{});
  EXPECT_THAT(outbox.insert({2}), ElementsAre("go on")) << "a client waits";
  EXPECT_THAT(outbox.go(), ElementsAre("commit ack 9, ack 8, insert 2 (doubtful)"));
  EXPECT_THAT(outbox.fail(StoreFailure::full), ElementsAre("report", "2 failed", "go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 200ms"));
  EXPECT_THAT(outbox.wake(200ms), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit ack 9, ack 8 (doubtful)"));
  outbox.done();
  outbox.put({acknowledgement(7)});
  EXPECT_THAT(outbox.go(), ElementsAre("commit ack 7"));
  outbox.fail(StoreFailure::full);
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 100ms")) << "the delay begins anew";
}

// The refused one comes again, and must come first.
TEST_F(outbox_engine, refuses_all_insertions_until_its_sender_has_heard_of_a_refusal) {
  outbox.insert({1});
  outbox.go();
  outbox.put(acknowledgements(11, 14));
  outbox.insert({2, 3});
  EXPECT_THAT(outbox.fail(StoreFailure::full),
              ElementsAre("report", "1 failed", "3 failed", "behind: told to", "go on"))
    << "more than a batch waits";
  EXPECT_THAT(outbox.insert({4}), ElementsAre("4 failed"));
  EXPECT_THAT(outbox.put({change::SetMessage{9, {}, 0, 7}}),
              ElementsAre("message of 9 for 7 is not stored: told to"));
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 100ms"));
  EXPECT_THAT(outbox.insert({5}), ElementsAre("5 failed"));
  EXPECT_THAT(outbox.step(outbox_input::Heard{}), IsEmpty());
  EXPECT_THAT(outbox.insert({6}), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit ack 11, ack 12, ack 13 (doubtful)"));
}

TEST_F(outbox_engine, says_that_a_cancelled_one_is_gone_if_it_drops_what_it_keeps_no_longer) {
  std::vector<StoreChange> changes;
  for (std::uint64_t id = 1; id <= 4; ++id) {
    changes.push_back(insertion(id));
    changes.push_back(change::Acknowledge{id, {}, /*is_dropped=*/true});
  }
  outbox.put(std::move(changes));
  outbox.go();
  EXPECT_THAT(outbox.fail(StoreFailure::full), Contains("cancellation of 4 is stored"));
  EXPECT_EQ(outbox.engine.waiting(), 6U) << "three, and what has cancelled them";
}

TEST_F(outbox_engine, waits_for_no_cancellation_that_is_too_large_alone) {
  outbox.put({change::Bury{1, DeadLetterReason::cancelled, 0, "", {}}});
  outbox.go();
  EXPECT_THAT(outbox.fail(StoreFailure::too_large),
              ElementsAre("report", "cancellation of 1 is stored", "go on"));
}

TEST_F(outbox_engine, lets_the_next_sender_begin_nothing_before_what_was_cancelled_is_written) {
  outbox.put({change::Acknowledge{1, {}, /*is_dropped=*/true}});
  outbox.go();
  outbox.put({change::SetContext{2, "mark", true}, acknowledgement(3)});
  outbox.detach();
  EXPECT_THAT(outbox.attach(), ElementsAre("behind"));
  EXPECT_THAT(outbox.done(), ElementsAre("cancellation of 1 is stored", "go on"));
  outbox.go();
  EXPECT_THAT(outbox.done(), ElementsAre("cancellation of 2 is stored", "not behind", "go on"));
}

TEST_F(outbox_engine, keeps_what_a_sender_that_has_ended_made_of_rows) {
  outbox.put({change::Insert{{.id = 1}, 7}});
  outbox.go();
  outbox.put({change::Insert{{.id = 2}, 8}});
  outbox.insert({3});
  outbox.step(outbox_input::Detach{});
  outbox.fail(StoreFailure::full);
  outbox.go();
  outbox.wake(100ms);
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 1, insert 2 (doubtful)"));
}

TEST(outbox_engine_that_fails, tries_a_few_changes_at_a_time) {
  OutboxDriver outbox{{.max_batch = 100}};
  outbox.attach();
  outbox.put(acknowledgements(1, 100));
  outbox.go();
  outbox.fail(StoreFailure::full);
  outbox.go();
  outbox.wake(100ms);
  outbox.go();
  EXPECT_EQ(outbox.engine.waiting(), 84u);
}

TEST_F(outbox_engine, says_that_more_waits_for_a_slow_store_than_may) {
  outbox.put(acknowledgements(1, 3));
  outbox.go();
  EXPECT_THAT(outbox.put(acknowledgements(4, 5)), IsEmpty());
  EXPECT_THAT(outbox.insert({10, 11}), IsEmpty()) << "they can be refused";
  EXPECT_THAT(outbox.put(acknowledgements(6, 6)), ElementsAre("behind"));
  EXPECT_THAT(outbox.done(), ElementsAre("not behind", "go on"));
}

TEST_F(outbox_engine, says_why_a_store_that_fails_is_behind) {
  outbox.put(acknowledgements(1, 4));
  outbox.go();
  EXPECT_THAT(outbox.fail(StoreFailure::full), ElementsAre("report", "behind: told to", "go on"));
  outbox.step(outbox_input::Detach{});
  EXPECT_THAT(outbox.attach(), ElementsAre("behind: told to")) << "the next sender is told, too";
}

TEST_F(outbox_engine, gives_each_change_of_a_batch_that_is_too_large_a_commit_of_its_own) {
  outbox.insert({1, 2, 3});
  outbox.go();
  outbox.insert({4});
  EXPECT_THAT(outbox.fail(StoreFailure::too_large), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 1"));
  EXPECT_THAT(outbox.done(), ElementsAre("1 stored", "go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 2"));
  EXPECT_THAT(outbox.fail(StoreFailure::too_large), ElementsAre("report", "2 failed", "go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 3 (doubtful)"));
  outbox.done();
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 4 (doubtful)"));
}

TEST(outbox_engine_that_lingers, does_not_wait_for_company_for_what_was_too_large_together) {
  OutboxDriver outbox{{.max_batch = 3, .max_wait = 20ms}};
  outbox.attach();
  outbox.insert({1, 2, 3});
  outbox.go();
  outbox.fail(StoreFailure::too_large);
  outbox.go();
  outbox.done();
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 2"));
}

TEST_F(outbox_engine, tidies_up_after_a_quiet_second) {
  outbox.insert({1});
  outbox.go();
  outbox.done(true);
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 1s"));
  EXPECT_THAT(outbox.insert({2}), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 2"));
  outbox.done(true);
  outbox.go();
  EXPECT_THAT(outbox.wake(1s), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("tidy up"));
  EXPECT_THAT(outbox.step(outbox_input::Tidied{true}), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 1s")) << "there is more";
  outbox.wake(1s);
  outbox.go();
  outbox.step(outbox_input::Tidied{false});
  EXPECT_THAT(outbox.go(), IsEmpty());
}

TEST_F(outbox_engine, tries_three_times_to_write_what_a_sender_has_left) {
  outbox.put({acknowledgement(1)});
  EXPECT_THAT(outbox.step(outbox_input::Detach{}), IsEmpty()) << "it is awake";
  for (const auto* const span : {"100ms", "200ms"}) {
    outbox.go();
    outbox.fail(StoreFailure::full);
    EXPECT_THAT(outbox.go(), ElementsAre(std::string{"sleep "} + span));
    outbox.wake(1s);
  }
  outbox.go();
  outbox.fail(StoreFailure::full);
  EXPECT_THAT(outbox.go(), IsEmpty());
  EXPECT_THAT(outbox.attach(), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit ack 1 (doubtful)"));
}

TEST_F(outbox_engine, tells_nobody_once_its_sender_has_ended) {
  outbox.insert({1});
  outbox.go();
  outbox.step(outbox_input::Detach{});
  EXPECT_THAT(outbox.done(), ElementsAre("go on"));
}

TEST_F(outbox_engine, goes_on_with_another_driver_where_the_last_one_has_halted) {
  outbox.insert({1});
  outbox.go();
  outbox.step(outbox_input::Halt{});
  EXPECT_THAT(outbox.insert({2}), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 1")) << "nobody knows whether it is made";
  EXPECT_THAT(outbox.done(), ElementsAre("1 stored", "go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 2"));
}

// -- with a lease -----------------------------------------------------------------------

namespace {

constexpr Duration third = Duration{5s} / 3;
const auto sleep_for_a_third = "sleep " + to_string(third);

// An outbox that other processes want, with a lease of five seconds. It owns it.
class outbox_lease : public ::testing::Test {
protected:
  outbox_lease() {
    outbox.attach();
    outbox.go();
    outbox.done();
    outbox.go();
  }

  // A commit had no answer, and is made again.
  void try_again_after_silence() {
    outbox.insert({1});
    outbox.go();
    outbox.fail(StoreFailure::unreachable);
    outbox.go();
    outbox.wake(100ms);
    outbox.go();
  }

  OutboxDriver outbox{{.max_batch = 100, .lease = 5s}};
};

} // namespace

TEST(outbox_engine_with_a_lease, renews_at_once_and_then_after_each_third_of_the_lease) {
  OutboxDriver outbox{{.lease = 5s}};
  EXPECT_THAT(outbox.attach(), ElementsAre("unsure", "go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("renew"));
  EXPECT_THAT(outbox.done(), ElementsAre("sure for 4s", "go on")) << "four fifths";
  EXPECT_THAT(outbox.go(), ElementsAre(sleep_for_a_third));
  EXPECT_THAT(outbox.wake(third), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("renew"));
  EXPECT_THAT(outbox.done(), ElementsAre("sure for 4s", "go on"));
}

TEST_F(outbox_lease, counts_from_the_beginning_of_a_call_and_not_from_its_answer) {
  outbox.wake(third);
  outbox.go();
  outbox.now = outbox.now + 1s;
  EXPECT_THAT(outbox.done(), ElementsAre("sure for 3s", "go on"));
}

TEST_F(outbox_lease, a_commit_renews_the_ownership) {
  outbox.now = outbox.now + 1s;
  outbox.insert({1});
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 1"));
  EXPECT_THAT(outbox.done(), ElementsAre("sure for 4s", "1 stored", "go on"));
  EXPECT_THAT(outbox.go(), ElementsAre(sleep_for_a_third));
}

TEST_F(outbox_lease, the_sender_is_not_told_of_each_answer) {
  outbox.now = outbox.now + 499ms;
  outbox.insert({1});
  outbox.go();
  EXPECT_THAT(outbox.done(), ElementsAre("1 stored", "go on"));
  outbox.now = outbox.now + 1ms;
  outbox.insert({2});
  outbox.go();
  EXPECT_THAT(outbox.done(), ElementsAre("sure for 4s", "2 stored", "go on"));
}

TEST_F(outbox_lease, a_call_without_an_answer_ends_the_sureness_at_once) {
  outbox.wake(third);
  outbox.go();
  EXPECT_THAT(outbox.fail(StoreFailure::unreachable), ElementsAre("report", "unsure", "go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 100ms")) << "an attempt soon";
  EXPECT_THAT(outbox.wake(100ms), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("renew"));
  EXPECT_THAT(outbox.done(), ElementsAre("sure for 4s", "go on"));
}

TEST_F(outbox_lease, a_silent_server_is_called_again_within_a_third_of_the_lease) {
  outbox.wake(third);
  for (auto i = 0; i < 10; ++i) {
    outbox.go();
    outbox.fail(StoreFailure::unreachable);
    outbox.go();
    EXPECT_LE(outbox.engine.sleeps_for(outbox.now), third);
    outbox.wake(third);
  }
}

TEST_F(outbox_lease, a_commit_that_a_full_disk_refuses_does_not_end_the_sureness) {
  outbox.insert({1});
  outbox.go();
  EXPECT_THAT(outbox.fail(StoreFailure::full), ElementsAre("report", "1 failed", "go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 100ms"));
}

TEST_F(outbox_lease, a_failure_of_another_kind_is_doubtful_until_the_ownership_is_renewed) {
  outbox.insert({1});
  outbox.go();
  EXPECT_THAT(outbox.fail(StoreFailure::refused),
              ElementsAre("report", "unsure", "1 failed", "go on"))
    << "it may be a new connection that was refused";
  EXPECT_THAT(outbox.go(), ElementsAre("renew"));
  EXPECT_THAT(outbox.done(), ElementsAre("sure for 4s", "go on"));
}

TEST_F(outbox_lease, changes_that_cannot_be_written_do_not_keep_it_from_renewing) {
  outbox.put({acknowledgement(1)});
  auto renewals = 0;
  auto sure_until = outbox.now + 4s;
  for (auto i = 0; i < 1000; ++i) {
    const auto asked = outbox.go();
    if (asked == OutboxDriver::Strings{"renew"}) {
      ++renewals;
      sure_until = outbox.now + 4s;
      outbox.done();
    } else if (outbox.engine.sleeps_for(outbox.now) > Duration::zero()) {
      outbox.wake(outbox.engine.sleeps_for(outbox.now));
    } else {
      EXPECT_THAT(outbox.fail(StoreFailure::full), Not(Contains("unsure")));
    }
    EXPECT_GT(sure_until - outbox.now, 2s);
  }
  EXPECT_GT(renewals, 100);
}

TEST_F(outbox_lease, a_commit_without_an_answer_comes_again_as_it_was_before_any_other) {
  outbox.insert({1, 2});
  outbox.go();
  EXPECT_THAT(outbox.fail(StoreFailure::unreachable), ElementsAre("report", "unsure", "go on"));
  outbox.insert({3});
  EXPECT_THAT(outbox.go(), ElementsAre("sleep 100ms"));
  EXPECT_THAT(outbox.insert({4}), IsEmpty()) << "it has its turn later";
  outbox.wake(100ms);
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 1, insert 2 (doubtful)"));
  EXPECT_THAT(outbox.done(), ElementsAre("sure for 4s", "2 stored", "go on"));
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 3, insert 4 (doubtful)"));
}

TEST_F(outbox_lease, what_a_new_connection_says_is_no_word_on_a_commit_without_an_answer) {
  try_again_after_silence();
  EXPECT_THAT(outbox.fail(StoreFailure::refused), ElementsAre("report", "go on"))
    << "it may be made";
  outbox.go();
  outbox.wake(200ms);
  outbox.go();
  EXPECT_THAT(outbox.done(), ElementsAre("sure for 4s", "1 stored", "go on"));
}

TEST_F(outbox_lease, a_full_disk_is_the_servers_word_on_it) {
  try_again_after_silence();
  EXPECT_THAT(outbox.fail(StoreFailure::full), Contains("1 failed"));
}

TEST_F(outbox_lease, of_a_batch_that_is_too_large_only_the_one_without_an_answer_comes_again) {
  outbox.insert({1, 2, 3});
  outbox.go();
  outbox.fail(StoreFailure::too_large);
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 1"));
  outbox.done();
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 2"));
  outbox.fail(StoreFailure::unreachable);
  outbox.insert({4});
  outbox.go();
  outbox.wake(100ms);
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 2 (doubtful)"));
  outbox.done();
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 3 (doubtful)"));
  outbox.done();
  EXPECT_THAT(outbox.go(), ElementsAre("commit insert 4 (doubtful)"));
}

TEST_F(outbox_lease, does_nothing_more_once_another_process_owns_the_outbox) {
  outbox.insert({1});
  outbox.go();
  EXPECT_THAT(outbox.fail(StoreFailure::disowned),
              ElementsAre("report", "lost", "1 failed", "go on"));
  EXPECT_THAT(outbox.go(), IsEmpty());
  EXPECT_THAT(outbox.insert({2}), IsEmpty());
  EXPECT_TRUE(outbox.engine.is_lost());
}

TEST_F(outbox_lease, renews_nothing_once_its_sender_has_ended) {
  EXPECT_THAT(outbox.step(outbox_input::Detach{}), ElementsAre("go on"));
  EXPECT_THAT(outbox.go(), IsEmpty());
}

// A delivery that the store has refused may be buried: then it has no place there.
TEST_F(outbox_lease, burials_are_doubtful_until_a_failing_store_has_taken_all) {
  outbox.put({burial(1)});
  EXPECT_THAT(outbox.go(), ElementsAre("commit bury 1"));
  outbox.fail(StoreFailure::full);
  outbox.put({burial(2)});
  outbox.go();
  outbox.wake(100ms);
  EXPECT_THAT(outbox.go(), ElementsAre("commit bury 1, bury 2 (doubtful)"));
  outbox.done();
  outbox.put({burial(3)});
  EXPECT_THAT(outbox.go(), ElementsAre("commit bury 3"));
}

} // namespace backoff_actor
