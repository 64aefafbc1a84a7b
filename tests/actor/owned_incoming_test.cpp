// What other programs hand over, in transactions of their own.

#include "owned_fixture.hpp"

#include <span>
#include <stdexcept>
#include <vector>

namespace backoff_actor::actor_test {

using ::testing::SizeIs;

/// A server to which other programs write. Their messages are of the type `text`: an exclamation
/// mark, then the text that the child gets.
class OwnedIncoming : public OwnedTest {
protected:
  static std::vector<std::byte> bytes_of(const std::string& text) {
    const auto all = std::as_bytes(std::span{text});
    return {all.begin(), all.end()};
  }

  static caf::message decode(std::span<const std::byte> bytes) {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!text.starts_with('!'))
      throw std::runtime_error("no exclamation mark");
    return caf::make_message(text.substr(1));
  }

  SharedOutbox with_decoder(const std::string& node) {
    auto result = shared(node);
    return result.foreign("text", decode);
  }

  Process& start(const std::string& node, FaultPlan faults = {},
                 SenderOptions options = default_options()) {
    const DangerousActor worker{std::move(faults)};
    auto& process = start_process(node, worker.factory(), std::move(options), with_decoder(node));
    process.danger = worker;
    return process;
  }

  static IncomingMessage message(const std::string& text, const std::string& key = {}) {
    IncomingMessage result;
    result.type = "text";
    result.payload = bytes_of("!" + text);
    result.key = key;
    return result;
  }

  std::vector<StoredDeadLetter> dead_letters() {
    std::vector<StoredDeadLetter> result;
    const auto content = std::const_pointer_cast<testing::MemoryStore>(server.content());
    content->for_each_dead_letter([&](StoredDeadLetter x) { result.push_back(std::move(x)); });
    return result;
  }
};

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

// -- cancelled ----------------------------------------------------------------------------------

TEST_F(OwnedIncoming, a_row_may_cancel_what_is_in_work_or_waits) {
  auto options = default_options();
  options.max_in_flight = 1;
  start("node-a", {testing::hang()}, options);
  for (const auto* key : {"first", "second"}) {
    auto one = message(key);
    one.idempotency_key = key;
    server.hand_over(one);
  }
  time.advance(2s);
  server.hand_over(row_that_cancels("second", false));
  server.hand_over(row_that_cancels("first", true));
  time.advance(2s);
  EXPECT_THAT(server.incoming(), IsEmpty());
  ASSERT_THAT(server.content()->owed(), SizeIs(1));
  EXPECT_EQ(server.content()->find(1)->context, "cancelled: letter") << "a child has it";
  time.advance(5s);
  EXPECT_THAT(server.content()->owed(), IsEmpty());
  ASSERT_THAT(dead_letters(), SizeIs(1));
  EXPECT_EQ(dead_letters()[0].reason, DeadLetterReason::cancelled);
}

TEST_F(OwnedIncoming, a_row_that_cancels_takes_older_rows_of_its_key_along_and_no_later_ones) {
  const auto& a = start("node-a");
  auto one = message("x");
  one.idempotency_key = "once";
  server.hand_over(one, time.now() + 1h);
  server.hand_over(row_that_cancels("once", false));
  auto later = message("y");
  later.idempotency_key = "once";
  server.hand_over(later, time.now() + 1h);
  time.advance(2h);
  EXPECT_THAT(a.danger.texts(), ElementsAre("y"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

// One look reads both, and the row that waited comes last.
TEST_F(OwnedIncoming, a_row_whose_time_comes_when_it_is_cancelled_is_not_delivered) {
  const auto& a = start("node-a");
  auto one = message("x");
  one.idempotency_key = "once";
  server.hand_over(one, time.now() + 10ms);
  server.hand_over(row_that_cancels("once", false));
  time.advance(1min);
  EXPECT_THAT(a.danger.texts(), IsEmpty());
  EXPECT_THAT(server.incoming(), IsEmpty());
}

TEST_F(OwnedIncoming,
       a_row_whose_time_comes_when_it_is_replaced_is_delivered_with_the_new_payload) {
  const auto& a = start("node-a");
  auto one = message("x");
  one.idempotency_key = "once";
  server.hand_over(one, time.now() + 10ms);
  server.hand_over(row_that_replaces("once", "text", bytes_of("!y")));
  time.advance(1min);
  EXPECT_THAT(a.danger.texts(), ElementsAre("y"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

TEST_F(OwnedIncoming, a_row_that_cancels_nothing_it_names_is_a_letter) {
  start("node-a");
  server.hand_over(row_that_cancels("", false));
  time.advance(2s);
  ASSERT_THAT(dead_letters(), SizeIs(1));
  EXPECT_EQ(dead_letters()[0].reason, DeadLetterReason::unreadable);
}

TEST_F(OwnedIncoming, a_row_cannot_say_of_itself_that_it_is_cancelled) {
  start("node-a");
  auto odd = message("x");
  odd.context = "cancelled: gone";
  server.hand_over(odd);
  time.advance(2s);
  ASSERT_THAT(dead_letters(), SizeIs(1));
  EXPECT_EQ(dead_letters()[0].reason, DeadLetterReason::unreadable);
}

TEST_F(OwnedIncoming, a_process_that_stands_by_passes_a_cancellation_on) {
  start("node-a", {testing::hang()});
  const auto& b = start("node-b");
  auto one = message("x");
  one.idempotency_key = "once";
  server.hand_over(one);
  time.advance(2s);
  const auto answer = time.ask<CancelAnswer>(b.sender, Cancel{"once"});
  time.run();
  ASSERT_TRUE(answer->value);
  EXPECT_EQ(answer->value->found, CancelFound::passed_on);
  time.advance(10s);
  EXPECT_THAT(server.content()->owed(), IsEmpty());
  EXPECT_THAT(dead_letters(), IsEmpty());
  const auto by_number = time.ask<CancelAnswer>(b.sender, Cancel{.delivery = 1});
  time.run();
  EXPECT_THAT(text_of(by_number->error), HasSubstr("delivery: got 1, allowed 0"));
}

// -- replaced -----------------------------------------------------------------------------------

TEST_F(OwnedIncoming, a_row_may_replace_the_payload_of_what_waits_and_is_gone) {
  const auto& a = start("node-a");
  time.tell(a.sender, Pause{});
  auto one = message("old");
  one.idempotency_key = "once";
  server.hand_over(one);
  time.advance(2s);
  server.hand_over(row_that_replaces("once", "text", bytes_of("!new")));
  time.advance(2s);
  EXPECT_THAT(server.incoming(), IsEmpty());
  EXPECT_EQ(server.content()->find(1)->message.bytes, bytes_of("!new"));
  time.tell(a.sender, Resume{});
  time.run();
  EXPECT_THAT(a.danger.texts(), ElementsAre("new"));
  EXPECT_THAT(server.content()->owed(), IsEmpty());
}

TEST_F(OwnedIncoming, a_row_that_replaces_gives_older_rows_of_its_key_its_payload) {
  const auto& a = start("node-a");
  for (const auto* key : {"once", "other"}) {
    auto one = message("old " + std::string{key});
    one.idempotency_key = key;
    server.hand_over(one, time.now() + 1h);
  }
  server.hand_over(row_that_replaces("once", "text", bytes_of("!new")));
  time.advance(2s);
  EXPECT_THAT(server.incoming(), SizeIs(2));
  EXPECT_THAT(notices("node-a"), ::testing::Contains(HasSubstr("which is unknown")));
  time.advance(2h);
  EXPECT_THAT(a.danger.texts(), ElementsAre("new", "old other"));
}

TEST_F(OwnedIncoming, a_row_that_replaces_what_is_in_work_or_done_is_dropped_and_told_of) {
  const auto& a = start("node-a", {testing::ok(), testing::hang()});
  for (const auto* key : {"first", "second"}) {
    auto one = message(key);
    one.idempotency_key = key;
    server.hand_over(one);
  }
  time.advance(2s);
  server.hand_over(row_that_replaces("first", "text", bytes_of("!new")));
  server.hand_over(row_that_replaces("second", "text", bytes_of("!new")));
  time.advance(2s);
  EXPECT_THAT(server.incoming(), IsEmpty());
  EXPECT_THAT(a.danger.texts(), ElementsAre("first", "second"));
  EXPECT_THAT(notices("node-a"),
              ::testing::IsSupersetOf(
                {"row 3 replaces the message \"first\", which is done: it keeps its payload",
                 "row 4 replaces the message \"second\", which is in_work: it keeps its payload"}));
}

TEST_F(OwnedIncoming, a_row_that_replaces_and_cannot_be_read_is_a_letter_and_replaces_nothing) {
  const auto& a = start("node-a");
  auto one = message("old");
  one.idempotency_key = "once";
  server.hand_over(one, time.now() + 1h);
  server.hand_over(row_that_replaces("once", "text", bytes_of("no exclamation mark")));
  server.hand_over(row_that_replaces("", "text", bytes_of("!new")));
  time.advance(2s);
  ASSERT_THAT(dead_letters(), SizeIs(2));
  EXPECT_THAT(dead_letters()[0].cause, HasSubstr("no exclamation mark"));
  EXPECT_THAT(dead_letters()[1].cause, HasSubstr("it has no idempotency key"));
  time.advance(2h);
  EXPECT_THAT(a.danger.texts(), ElementsAre("old"));
}

TEST_F(OwnedIncoming, a_row_that_replaces_waits_for_the_room_of_a_larger_payload) {
  auto options = default_options();
  options.rare.capacity_bytes = 10;
  options.rare.weight_of = [](const caf::message& x) { return x.get_as<std::string>(0).size(); };
  const auto& a = start("node-a", {}, options);
  time.tell(a.sender, Pause{});
  for (const auto* key : {"a", "b"}) {
    auto one = message("old " + std::string{key});
    one.idempotency_key = key;
    server.hand_over(one);
  }
  time.advance(2s);
  server.hand_over(row_that_replaces("b", "text", bytes_of("!longer")));
  time.advance(2s);
  EXPECT_THAT(server.incoming(), SizeIs(1));
  time.tell(a.sender, Cancel{"a"});
  time.advance(2s);
  EXPECT_THAT(server.incoming(), IsEmpty());
  time.tell(a.sender, Resume{});
  time.run();
  EXPECT_THAT(a.danger.texts(), ElementsAre("longer"));
}

TEST_F(OwnedIncoming, a_row_that_replaces_comes_again_if_its_payload_is_not_stored) {
  const auto& a = start("node-a");
  time.tell(a.sender, Pause{});
  auto one = message("old");
  one.idempotency_key = "once";
  server.hand_over(one);
  time.advance(2s);
  server.fail_commits(StoreFailure::full);
  server.hand_over(row_that_replaces("once", "text", bytes_of("!new")));
  time.advance(3s);
  EXPECT_THAT(server.incoming(), SizeIs(1));
  server.fail_commits({});
  time.advance(1min);
  EXPECT_THAT(server.incoming(), IsEmpty());
  time.tell(a.sender, Resume{});
  time.run();
  EXPECT_THAT(a.danger.texts(), ElementsAre("new"));
}

TEST_F(OwnedIncoming, a_process_that_stands_by_passes_a_replacement_on) {
  const auto& a = start("node-a");
  const auto& b = start("node-b");
  time.tell(a.sender, Pause{});
  auto one = message("old");
  one.idempotency_key = "once";
  server.hand_over(one);
  time.advance(2s);
  const auto answer = time.ask<CancelAnswer>(
    b.sender, Replace{.idempotency_key = "once", .payload = caf::make_message(std::string{"new"})});
  time.run();
  ASSERT_TRUE(answer->value);
  EXPECT_EQ(answer->value->found, CancelFound::passed_on);
  time.advance(2s);
  time.tell(a.sender, Resume{});
  time.run();
  EXPECT_THAT(a.danger.texts(), ElementsAre("new"));
  const auto unstorable = time.ask<CancelAnswer>(
    b.sender, Replace{.idempotency_key = "x", .payload = caf::make_message(7)});
  time.run();
  EXPECT_THAT(text_of(unstorable->error), HasSubstr("not_storable"));
}

TEST_F(OwnedIncoming, what_the_owner_replaces_may_be_a_row_that_it_has_not_read) {
  const auto& a = start("node-a");
  time.tell(a.sender, Pause{});
  auto one = message("old");
  one.idempotency_key = "once";
  server.hand_over(one);
  const auto answer = time.ask<CancelAnswer>(
    a.sender, Replace{.idempotency_key = "once", .payload = caf::make_message(std::string{"new"})});
  time.advance(2s);
  ASSERT_TRUE(answer->value);
  EXPECT_EQ(answer->value->found, CancelFound::waiting);
}

// -- keys of what is cancelled -------------------------------------------------------------------

TEST_F(OwnedIncoming, a_row_with_the_key_of_what_is_being_cancelled_waits_and_is_done) {
  const auto& a = start("node-a", {testing::hang()});
  auto one = message("x");
  one.idempotency_key = "once";
  server.hand_over(one);
  time.advance(2s);
  server.hand_over(row_that_cancels("once", false));
  auto again = message("y");
  again.idempotency_key = "once";
  server.hand_over(again);
  time.advance(4s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("x"));
  time.advance(1min);
  EXPECT_THAT(a.danger.texts(), ElementsAre("x", "y"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

TEST_F(OwnedIncoming, what_comes_after_a_cancellation_is_not_cancelled_by_it) {
  const auto& a = start("node-a");
  const auto answer = time.ask<CancelAnswer>(a.sender, Cancel{"once"});
  Submit later{.message = caf::make_message(std::string{"later"}), .idempotency_key = "once"};
  const auto done = time.ask<std::string>(a.sender, std::move(later));
  time.advance(2s);
  ASSERT_TRUE(answer->value);
  EXPECT_EQ(answer->value->found, CancelFound::unknown);
  EXPECT_EQ(done->value, "later");
}

TEST_F(OwnedIncoming, what_the_owner_cancels_may_be_a_row_that_it_has_not_read) {
  start("node-a");
  auto one = message("x");
  one.idempotency_key = "once";
  server.hand_over(one);
  const auto answer = time.ask<CancelAnswer>(processes.at("node-a").sender, Cancel{"once"});
  time.advance(2s);
  ASSERT_TRUE(answer->value);
  EXPECT_NE(answer->value->found, CancelFound::unknown);
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
