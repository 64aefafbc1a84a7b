// Rows and requests that cancel what other programs have handed over, or replace its payload.

#include "owned_incoming_fixture.hpp"

#include <backoff_actor/testing/stores/store_in_front.hpp>

namespace backoff_actor::actor_test {

using ::testing::SizeIs;

// -- cancelled ----------------------------------------------------------------------------------

TEST_F(OwnedIncoming, a_row_may_cancel_what_is_in_work_or_waits) {
  auto options = default_options();
  options.max_in_flight = 1;
  start("node-a", {testing::hang()}, options);
  for (const auto* key : {"first", "second"}) {
    server.hand_over(named(key, key));
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
  server.hand_over(named("x", "once"), time.now() + 1h);
  server.hand_over(row_that_cancels("once", false));
  server.hand_over(named("y", "once"), time.now() + 1h);
  time.advance(2h);
  EXPECT_THAT(a.danger.texts(), ElementsAre("y"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

// One look reads both, and the row that waited comes last.
TEST_F(OwnedIncoming, a_row_whose_time_comes_when_it_is_cancelled_is_not_delivered) {
  const auto& a = start("node-a");
  server.hand_over(named("x", "once"), time.now() + 10ms);
  server.hand_over(row_that_cancels("once", false));
  time.advance(1min);
  EXPECT_THAT(a.danger.texts(), IsEmpty());
  EXPECT_THAT(server.incoming(), IsEmpty());
}

TEST_F(OwnedIncoming,
       a_row_whose_time_comes_when_it_is_replaced_is_delivered_with_the_new_payload) {
  const auto& a = start("node-a");
  server.hand_over(named("x", "once"), time.now() + 10ms);
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
  server.hand_over(named("x", "once"));
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
  server.hand_over(named("old", "once"));
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
    server.hand_over(named("old " + std::string{key}, key), time.now() + 1h);
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
    server.hand_over(named(key, key));
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
  server.hand_over(named("old", "once"), time.now() + 1h);
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
    server.hand_over(named("old " + std::string{key}, key));
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
  server.hand_over(named("old", "once"));
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
  server.hand_over(named("old", "once"));
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
  server.hand_over(named("old", "once"));
  const auto answer = time.ask<CancelAnswer>(
    a.sender, Replace{.idempotency_key = "once", .payload = caf::make_message(std::string{"new"})});
  time.advance(2s);
  ASSERT_TRUE(answer->value);
  EXPECT_EQ(answer->value->found, CancelFound::waiting);
}

// -- keys of what is cancelled -------------------------------------------------------------------

TEST_F(OwnedIncoming, a_row_with_the_key_of_what_is_being_cancelled_waits_and_is_done) {
  const auto& a = start("node-a", {testing::hang()});
  server.hand_over(named("x", "once"));
  time.advance(2s);
  server.hand_over(row_that_cancels("once", false));
  server.hand_over(named("y", "once"));
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
  server.hand_over(named("x", "once"));
  const auto answer = time.ask<CancelAnswer>(processes.at("node-a").sender, Cancel{"once"});
  time.advance(2s);
  ASSERT_TRUE(answer->value);
  EXPECT_NE(answer->value->found, CancelFound::unknown);
}

TEST_F(OwnedIncoming, an_entry_that_is_cancelled_and_put_again_stays) {
  const auto& a = start("node-a");
  const Repeat pulse{
    .name = "pulse", .schedule = "every(1h)", .message = caf::make_message(std::string{"pulse"})};
  time.tell(a.sender, pulse);
  time.run();
  time.tell(a.sender, Cancel{entry_key("pulse")});
  const auto again = time.ask<RepeatAnswer>(a.sender, pulse);
  time.advance(2s);
  ASSERT_TRUE(again->value);
  EXPECT_EQ(again->value->change, CalendarChange::added);
  const auto answer = time.ask<AskAnswer>(a.sender, Ask{entry_key("pulse")});
  time.run();
  ASSERT_TRUE(answer->value);
  EXPECT_EQ(answer->value->state, MessageState::waiting);
}

// -- rows that wait for their time ----------------------------------------------------------------

TEST_F(OwnedIncoming, what_the_owner_cancels_may_be_a_row_that_waits_for_its_time) {
  const auto& a = start("node-a");
  for (const auto* key : {"once", "other"}) {
    server.hand_over(named(key, key), time.now() + 1h);
  }
  const auto answer = time.ask<CancelAnswer>(a.sender, Cancel{"once"});
  time.advance(2s);
  ASSERT_TRUE(answer->value);
  EXPECT_EQ(answer->value->found, CancelFound::passed_on);
  EXPECT_THAT(server.incoming(), SizeIs(1));
  time.advance(2h);
  EXPECT_THAT(a.danger.texts(), ElementsAre("other"));
}

TEST_F(OwnedIncoming, a_key_may_be_submitted_again_once_it_is_known_that_its_row_is_cancelled) {
  const auto& a = start("node-a");
  server.hand_over(named("x", "once"), time.now() + 1h);
  const auto answer = time.ask<CancelAnswer>(a.sender, Cancel{"once"});
  time.run();
  ASSERT_TRUE(answer->value);
  time.tell(a.sender, Pause{});
  Submit later{.message = caf::make_message(std::string{"later"}), .idempotency_key = "once"};
  const auto done = time.ask<std::string>(a.sender, std::move(later));
  time.advance(2s);
  time.tell(a.sender, Resume{});
  time.advance(2h);
  EXPECT_EQ(done->value, "later");
  EXPECT_THAT(a.danger.texts(), ElementsAre("later"));
}

TEST_F(OwnedIncoming, a_cancellation_of_what_no_row_names_writes_none) {
  const auto& a = start("node-a");
  server.hand_over(named("x", "once"), time.now() + 1h);
  const auto other = time.ask<CancelAnswer>(a.sender, Cancel{"other"});
  const auto by_number = time.ask<CancelAnswer>(a.sender, Cancel{.delivery = 7});
  const auto replaced =
    time.ask<CancelAnswer>(a.sender, Replace{.idempotency_key = "other",
                                             .payload = caf::make_message(std::string{"new"})});
  time.run();
  for (const auto& answer : {other, by_number, replaced}) {
    ASSERT_TRUE(answer->value);
    EXPECT_EQ(answer->value->found, CancelFound::unknown);
  }
  EXPECT_THAT(server.incoming(), SizeIs(1));
}

TEST_F(OwnedIncoming, what_the_owner_replaces_may_be_a_row_that_waits_for_its_time) {
  const auto& a = start("node-a");
  server.hand_over(named("old", "once"), time.now() + 1h);
  const auto unstorable = time.ask<CancelAnswer>(
    a.sender, Replace{.idempotency_key = "once", .payload = caf::make_message(7)});
  const auto answer = time.ask<CancelAnswer>(
    a.sender, Replace{.idempotency_key = "once", .payload = caf::make_message(std::string{"new"})});
  time.run();
  EXPECT_THAT(text_of(unstorable->error), HasSubstr("not_storable"));
  ASSERT_TRUE(answer->value);
  EXPECT_EQ(answer->value->found, CancelFound::passed_on);
  time.advance(2h);
  EXPECT_THAT(a.danger.texts(), ElementsAre("new"));
}

namespace {

// A server that takes no rows of the owner, or takes them without an answer.
class NoAnswerForRows final : public SharedStore {
public:
  NoAnswerForRows(std::shared_ptr<SharedStore> store, StoreFailure failure)
    : store_(std::move(store)), failure_(failure) {}

  std::string name() const override { return store_->name(); }
  std::shared_ptr<OwnedStore> own(Duration at_most) override {
    auto owned = store_->own(at_most);
    return owned ? std::make_shared<Owned>(std::move(owned), failure_) : nullptr;
  }
  void interrupt() override { store_->interrupt(); }
  std::optional<StoreOwner> owner() override { return store_->owner(); }

private:
  class Writer final : public IncomingWriter {
  public:
    Writer(std::unique_ptr<IncomingWriter> writer, StoreFailure failure)
      : writer_(std::move(writer)), failure_(failure) {}
    void write(std::span<const IncomingMessage> messages, const std::string& format) override {
      if (failure_ == StoreFailure::unreachable)
        writer_->write(messages, format);
      throw StoreError(failure_, "told to");
    }

  private:
    const std::unique_ptr<IncomingWriter> writer_;
    const StoreFailure failure_;
  };

  class Owned final : public testing::OwnedStoreInFront {
  public:
    Owned(std::shared_ptr<OwnedStore> store, StoreFailure failure)
      : OwnedStoreInFront(std::move(store)), failure_(failure) {}
    std::unique_ptr<IncomingWriter> open_writer() override {
      return std::make_unique<Writer>(OwnedStoreInFront::open_writer(), failure_);
    }

  private:
    const StoreFailure failure_;
  };

  const std::shared_ptr<SharedStore> store_;
  const StoreFailure failure_;
};

} // namespace

TEST_F(OwnedIncoming, an_order_that_cannot_be_passed_on_is_refused_and_reported) {
  std::vector<std::string> errors;
  auto outbox = with_decoder("node-a");
  outbox.store = std::make_shared<NoAnswerForRows>(outbox.store, StoreFailure::full);
  outbox.options.on_error = [&](const StoreError& error) { errors.emplace_back(error.what()); };
  const DangerousActor worker;
  const auto& a = start_process("node-a", worker.factory(), default_options(), std::move(outbox));
  server.hand_over(named("x", "once"), time.now() + 1h);
  const auto answer = time.ask<CancelAnswer>(a.sender, Cancel{"once"});
  time.run();
  EXPECT_THAT(text_of(answer->error), HasSubstr("not_stored"));
  EXPECT_THAT(errors, ElementsAre("told to"));
  time.advance(2h);
  EXPECT_THAT(worker.texts(), ElementsAre("x"));
}

TEST_F(OwnedIncoming, an_order_that_may_have_been_passed_on_means_nothing_that_comes_after_it) {
  auto outbox = with_decoder("node-a");
  outbox.store = std::make_shared<NoAnswerForRows>(outbox.store, StoreFailure::unreachable);
  const DangerousActor worker;
  const auto& a = start_process("node-a", worker.factory(), default_options(), std::move(outbox));
  server.hand_over(named("x", "once"), time.now() + 1h);
  const auto answer = time.ask<CancelAnswer>(a.sender, Cancel{"once"});
  time.run();
  EXPECT_THAT(text_of(answer->error), HasSubstr("not_stored"));
  time.tell(a.sender, Pause{});
  Submit later{.message = caf::make_message(std::string{"later"}), .idempotency_key = "once"};
  const auto done = time.ask<std::string>(a.sender, std::move(later));
  time.advance(2s);
  time.tell(a.sender, Resume{});
  time.advance(2h);
  EXPECT_EQ(done->value, "later");
  EXPECT_THAT(worker.texts(), ElementsAre("later"));
}

} // namespace backoff_actor::actor_test
