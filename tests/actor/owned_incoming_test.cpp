// What other programs hand over, in transactions of their own.

#include "owned_incoming_fixture.hpp"

namespace backoff_actor::actor_test {

using ::testing::SizeIs;

TEST_F(OwnedIncoming, what_is_handed_over_is_delivered_in_order_and_its_rows_are_gone) {
  const auto& a = start("node-a");
  for (const auto* text : {"1", "2", "3"})
    server.hand_over(message(text));
  time.advance(2s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("1", "2", "3"));
  EXPECT_THAT(server.incoming(), IsEmpty());
  EXPECT_THAT(server.content()->owed(), IsEmpty());
}

TEST_F(OwnedIncoming, a_row_may_say_how_its_message_is_retried) {
  auto options = default_options();
  options.charging = Charging::every_failure();
  const auto& a = start("node-a", {testing::times(9, testing::crash())}, options);
  auto limited = message("x");
  limited.context = "traceparent: 00-1-2-00\nretries: backoff fixed(5s), max_attempts 2";
  server.hand_over(limited);
  time.advance(1min);
  EXPECT_EQ(a.danger.texts(), (Strings{"x", "x"}));
  ASSERT_THAT(dead_letters(), SizeIs(1));
  EXPECT_EQ(dead_letters()[0].reason, DeadLetterReason::attempts_exhausted);
  EXPECT_EQ(dead_letters()[0].delivery.context, limited.context) << "as it came";
}

TEST_F(OwnedIncoming, a_row_whose_retries_cannot_be_read_is_a_letter_that_says_why) {
  start("node-a");
  auto odd = message("x");
  odd.context = "retries: max_attempts many";
  server.hand_over(odd);
  time.advance(2s);
  ASSERT_THAT(dead_letters(), SizeIs(1));
  EXPECT_EQ(dead_letters()[0].reason, DeadLetterReason::unreadable);
  EXPECT_THAT(dead_letters()[0].cause, HasSubstr("max_attempts"));
}

TEST_F(OwnedIncoming, a_row_whose_time_cannot_be_read_is_a_letter_that_says_why) {
  start("node-a");
  auto odd = message("x");
  odd.context = "not_before: tomorrow";
  server.hand_over(odd);
  time.advance(2s);
  ASSERT_THAT(dead_letters(), SizeIs(1));
  EXPECT_EQ(dead_letters()[0].reason, DeadLetterReason::unreadable);
  EXPECT_THAT(dead_letters()[0].cause, HasSubstr("not_before: got tomorrow"));
}

TEST_F(OwnedIncoming, a_row_that_claims_to_be_an_entry_of_a_calendar_is_a_letter_that_says_why) {
  start("node-a");
  auto odd = message("x");
  odd.idempotency_key = "calendar:x";
  odd.context = "repeat: every(1s)\nmissed: run_all\ngrace: 1\ndecided_until: 1";
  server.hand_over(odd);
  time.advance(5s);
  ASSERT_THAT(dead_letters(), SizeIs(1));
  EXPECT_EQ(dead_letters()[0].reason, DeadLetterReason::unreadable);
  EXPECT_THAT(dead_letters()[0].cause, HasSubstr("an entry of a calendar"));
}

TEST_F(OwnedIncoming, a_delivery_keeps_the_bytes_and_the_type_that_came) {
  start("node-a", {testing::hang()});
  server.hand_over(message("x", "customer"));
  time.advance(2s);
  const auto owed = server.content()->find(1);
  ASSERT_TRUE(owed);
  EXPECT_EQ(owed->message, (StoredMessage{"text", bytes_of("!x")}));
  EXPECT_EQ(owed->key, "customer");
}

TEST_F(OwnedIncoming, a_row_that_is_not_committed_is_not_taken_and_a_later_commit_is_not_missed) {
  const auto& a = start("node-a");
  const auto first = server.begin_row(message("1"));
  server.hand_over(message("2"));
  time.advance(2s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("2"));
  server.commit_row(first);
  time.advance(2s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("2", "1"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

TEST_F(OwnedIncoming, a_full_outbox_leaves_rows_where_they_are_and_refuses_none) {
  auto options = default_options();
  options.capacity = 10;
  options.max_in_flight = 1;
  const auto& a = start("node-a", {testing::slow(1min)}, options);
  for (auto i = 0; i < 30; ++i)
    server.hand_over(message(std::to_string(i)));
  time.advance(10s);
  EXPECT_THAT(server.content()->owed(), SizeIs(10));
  EXPECT_THAT(server.incoming(), SizeIs(20));
  EXPECT_THAT(log.of("node-a").all<event::NotAccepted>(), IsEmpty());
  EXPECT_THAT(log.of("node-a").all<event::DeadLettered>(), IsEmpty());
  time.advance(2min);
  EXPECT_THAT(a.danger.texts(), SizeIs(30));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

TEST_F(OwnedIncoming, an_outbox_that_drops_the_oldest_drops_none_for_a_row) {
  auto options = default_options();
  options.capacity = 2;
  options.max_in_flight = 1;
  options.rare.overflow = Overflow::drop_oldest;
  const auto& a = start("node-a", {testing::slow(5s)}, options);
  for (auto i = 0; i < 6; ++i)
    server.hand_over(message(std::to_string(i)));
  time.advance(1min);
  EXPECT_THAT(a.danger.texts(), ElementsAre("0", "1", "2", "3", "4", "5"));
  EXPECT_THAT(dead_letters(), IsEmpty());
}

TEST_F(OwnedIncoming, a_sender_that_drains_takes_nothing_until_it_resumes) {
  const auto& a = start("node-a");
  time.tell(a.sender, Drain{});
  time.run();
  server.hand_over(message("x"));
  time.advance(5s);
  EXPECT_THAT(a.danger.texts(), IsEmpty());
  EXPECT_THAT(server.incoming(), SizeIs(1));
  time.tell(a.sender, Resume{});
  time.advance(2s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("x"));
}

TEST_F(OwnedIncoming, an_owner_that_dies_between_take_and_commit_leaves_the_row_to_the_next) {
  const auto& a = start("node-a");
  const auto& b = start("node-b");
  server.fail_commits(StoreFailure::unreachable);
  server.hand_over(message("x"));
  time.advance(1s);
  EXPECT_THAT(a.danger.texts(), IsEmpty()) << "nothing is handed over before it is committed";

  die("node-a");
  server.fail_commits({});
  time.advance(2s);

  EXPECT_EQ(owner(), "node-b, epoch 2");
  EXPECT_THAT(b.danger.texts(), ElementsAre("x"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

TEST_F(OwnedIncoming, a_commit_whose_answer_is_lost_delivers_its_row_once) {
  for (const auto what : {LostCommit::made, LostCommit::not_made}) {
    const auto& a = start("node-a");
    server.hand_over(message("x"));
    server.cut_next_call(what);
    time.advance(20s);
    EXPECT_THAT(a.danger.texts(), ElementsAre("x"));
    EXPECT_THAT(server.incoming(), IsEmpty());
    time.stop(a.sender);
    time.advance(10s);
  }
}

TEST_F(OwnedIncoming, rows_that_the_store_refuses_come_again_and_none_is_lost) {
  const auto& a = start("node-a");
  server.fail_commits(StoreFailure::full);
  for (auto i = 0; i < 3; ++i)
    server.hand_over(message(std::to_string(i)));
  time.advance(30s);
  EXPECT_THAT(a.danger.texts(), IsEmpty());
  EXPECT_THAT(server.incoming(), SizeIs(3));
  EXPECT_THAT(dead_letters(), IsEmpty());

  server.fail_commits({});
  time.advance(30s);
  EXPECT_THAT(a.danger.texts(), ::testing::UnorderedElementsAre("0", "1", "2"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

// The rows behind the refused one wait for room in memory. A disk that is full takes a smaller
// commit.
TEST_F(OwnedIncoming, a_row_that_the_store_refuses_comes_again_before_the_others_of_its_key) {
  auto options = default_options();
  options.capacity = 1;
  auto outbox = with_decoder("node-a");
  outbox.options.on_error = [this](const StoreError&) { server.fail_commits({}); };
  const DangerousActor worker{FaultPlan{}};
  start_process("node-a", worker.factory(), std::move(options), std::move(outbox));
  time.advance(2s);
  server.fail_commits(StoreFailure::full);
  for (const auto* text : {"1", "2", "3"})
    server.hand_over(message(text, "k"));
  time.advance(30s);
  EXPECT_THAT(worker.texts(), ElementsAre("1", "2", "3"));
  EXPECT_THAT(server.incoming(), IsEmpty());
  EXPECT_THAT(dead_letters(), IsEmpty());
}

TEST_F(OwnedIncoming, an_owner_that_stops_leaves_the_rows_that_it_has_not_committed) {
  auto options = default_options();
  options.capacity = 1;
  const auto& a = start("node-a", {testing::hang()}, options);
  for (auto i = 0; i < 3; ++i)
    server.hand_over(message(std::to_string(i)));
  time.advance(2s);
  time.stop(a.sender);
  time.advance(2s);
  EXPECT_THAT(server.content()->owed(), SizeIs(1));
  EXPECT_THAT(server.incoming(), SizeIs(2));
  EXPECT_THAT(dead_letters(), IsEmpty());

  const auto& b = start("node-b");
  time.advance(3s);
  EXPECT_THAT(b.danger.texts(), ElementsAre("0", "1", "2"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

TEST_F(OwnedIncoming, a_row_that_is_not_committed_at_the_stop_is_owed_and_reported_as_such) {
  const auto& a = start("node-a");
  server.fail_commits(StoreFailure::unreachable);
  server.hand_over(message("x"));
  time.advance(1s);
  time.stop(a.sender);
  time.advance(1s);
  const auto events = log.of("node-a");
  EXPECT_THAT(events.all<event::DeadLettered>(), IsEmpty());
  EXPECT_THAT(events.all<event::Suspended>(), SizeIs(1));
  EXPECT_THAT(dead_letters(), IsEmpty());

  server.fail_commits({});
  const auto& b = start("node-b");
  time.advance(30s);
  EXPECT_THAT(b.danger.texts(), ElementsAre("x"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

TEST_F(OwnedIncoming, what_nobody_can_read_is_a_dead_letter_with_its_bytes) {
  const auto& a = start("node-a");
  auto unknown = message("x", "k");
  unknown.type = "text.v2";
  auto broken = message("x");
  broken.payload = bytes_of("x");
  server.hand_over(unknown);
  server.hand_over(broken);
  server.hand_over(message("y"));
  time.advance(2s);

  EXPECT_THAT(a.danger.texts(), ElementsAre("y"));
  EXPECT_THAT(server.incoming(), IsEmpty());
  const auto dead = dead_letters();
  ASSERT_THAT(dead, SizeIs(2));
  EXPECT_EQ(dead[0].reason, DeadLetterReason::unreadable);
  EXPECT_EQ(dead[0].delivery.message, (StoredMessage{"text.v2", bytes_of("!x")}));
  EXPECT_EQ(dead[0].delivery.key, "k");
  EXPECT_EQ(dead[0].cause, "text.v2 is not one of the durable types");
  EXPECT_EQ(dead[1].delivery.message, (StoredMessage{"text", bytes_of("x")}));
  EXPECT_EQ(dead[1].cause, "no exclamation mark");
}

TEST_F(OwnedIncoming, a_row_that_is_too_large_is_a_dead_letter_that_nobody_has_read) {
  const auto& a = start("node-a");
  server.limit_rows(100);
  auto large = message(std::string(200, 'x'), "k");
  server.hand_over(large);
  server.hand_over(message("y"));
  time.advance(2s);

  EXPECT_THAT(a.danger.texts(), ElementsAre("y"));
  EXPECT_THAT(server.incoming(), IsEmpty());
  const auto dead = dead_letters();
  ASSERT_THAT(dead, SizeIs(1));
  EXPECT_EQ(dead[0].reason, DeadLetterReason::unreadable);
  EXPECT_EQ(dead[0].delivery.message, (StoredMessage{"text", large.payload}));
  EXPECT_EQ(dead[0].delivery.key, "k");
  EXPECT_EQ(dead[0].cause, "the row has 206 bytes, which is more than may be read");
}

TEST_F(OwnedIncoming, a_program_with_another_decoder_takes_up_what_was_unreadable) {
  const auto& a = start("node-a");
  auto newer = message("x");
  newer.type = "text.v2";
  server.hand_over(newer);
  time.advance(2s);
  time.stop(a.sender);
  time.advance(2s);
  {
    const auto store = server.store("operator")->own(0s);
    ASSERT_TRUE(store);
    EXPECT_EQ(store->resubmit_dead_letters(std::vector<std::uint64_t>{1}), 1u);
  }
  EXPECT_THAT(dead_letters(), IsEmpty());

  const DangerousActor worker;
  auto outbox = with_decoder("node-b");
  outbox.foreign("text.v2", decode);
  start_process("node-b", worker.factory(), default_options(), outbox);
  time.advance(2s);
  EXPECT_THAT(worker.texts(), ElementsAre("x"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

TEST_F(OwnedIncoming, a_message_with_a_known_idempotency_key_is_delivered_once) {
  const auto& a = start("node-a");
  auto twin = message("x");
  twin.idempotency_key = "once";
  server.hand_over(twin);
  server.hand_over(twin);
  time.advance(20s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("x"));
  EXPECT_THAT(server.incoming(), IsEmpty());
  server.hand_over(twin);
  time.advance(20s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("x"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

TEST_F(OwnedIncoming, a_row_that_must_wait_is_taken_when_its_time_has_come) {
  const auto& a = start("node-a");
  server.hand_over(message("later"), time.now() + 1min);
  server.hand_over(message("now"));
  time.advance(59s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("now"));
  time.advance(3s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("now", "later"));
}

TEST_F(OwnedIncoming, a_deadline_counts_from_the_moment_of_the_insertion) {
  auto options = default_options();
  options.max_in_flight = 1;
  const auto& a = start("node-a", {testing::slow(10s)}, options);
  auto first = message("1");
  auto second = message("2");
  second.time_to_live = 5s;
  auto late = message("3");
  late.time_to_live = 0s;
  server.hand_over(first);
  server.hand_over(second);
  server.hand_over(late);
  time.advance(1min);
  EXPECT_THAT(a.danger.texts(), ElementsAre("1"));
  const auto dead = dead_letters();
  ASSERT_THAT(dead, SizeIs(2));
  EXPECT_EQ(dead[0].reason, DeadLetterReason::expired);
  EXPECT_EQ(dead[1].reason, DeadLetterReason::expired);
}

TEST_F(OwnedIncoming, an_idle_owner_looks_once_a_second) {
  start("node-a");
  time.advance(2s);
  const auto before = server.looks();
  time.advance(10s);
  EXPECT_EQ(server.looks() - before, 10u);
}

TEST_F(OwnedIncoming, a_server_that_is_away_for_a_while_loses_nothing) {
  const auto& a = start("node-a");
  server.hand_over(message("1"));
  time.advance(2s);
  server.crash();
  server.hand_over(message("2"));
  time.advance(20s);
  server.start_again();
  time.advance(30s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("1", "2"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

TEST_F(OwnedIncoming, a_decoder_without_a_name_or_with_one_that_is_taken_is_refused) {
  auto outbox = with_decoder("node-a");
  EXPECT_THROW(outbox.foreign("", decode), InvalidArgument);
  EXPECT_THROW(outbox.foreign("a;b", decode), InvalidArgument);
  EXPECT_THROW(outbox.foreign("text", decode), InvalidArgument);
  EXPECT_THROW(outbox.foreign("other", {}), InvalidArgument);
}

} // namespace backoff_actor::actor_test
