// `Cancel`: what clients, children and stores are told.

#include "durable_fixture.hpp"

#include <caf/actor_cast.hpp>

namespace backoff_actor::actor_test {

namespace {

// What children were told.
struct ToldToCancel {
  std::vector<std::uint64_t> given;     // ids, in order
  std::vector<std::uint64_t> cancelled; // ids, in order
  bool answers = true;                  // a child that is told to cancel rejects
};

class Cancellable : public caf::event_based_actor {
public:
  Cancellable(caf::actor_config& config, std::shared_ptr<ToldToCancel> told)
    : caf::event_based_actor(config), told_(std::move(told)) {}

  caf::behavior make_behavior() override {
    return {[this](const TrackedMsg& x) { told_->given.push_back(x.id); },
            [this](const Cancelled& x) {
              told_->cancelled.push_back(x.id);
              if (told_->answers)
                compat::send(*this, caf::actor_cast<caf::actor>(current_sender()), Reject{x.id});
            }};
  }

private:
  std::shared_ptr<ToldToCancel> told_;
};

} // namespace

class CancelTest : public DurableTest {
protected:
  static SenderOptions one_at_a_time() {
    auto options = by_sent();
    options.max_in_flight = 1;
    return options;
  }

  ChildFactory factory() {
    return [told = told](caf::event_based_actor* self) { return self->spawn<Cancellable>(told); };
  }

  void start_cancellable(SenderOptions options = one_at_a_time()) {
    start_with(factory(), std::move(options));
  }

  void start_cancellable_durably(SenderOptions options = one_at_a_time()) {
    outbox = open(store);
    start_with(factory(), with(outbox, std::move(options)));
    time.run();
  }

  void kill_and_start_cancellable() {
    store = store->copy();
    start_cancellable_durably();
  }

  std::shared_ptr<testing::Answer<std::string>> submit_as(const std::string& key) {
    return submit("text", {.idempotency_key = key});
  }

  std::shared_ptr<testing::Answer<CancelAnswer>> cancel(Cancel what) {
    auto answer = time.ask<CancelAnswer>(sender, std::move(what));
    time.run();
    return answer;
  }

  std::string found(const Cancel& what) {
    const auto answer = cancel(what);
    return answer->value ? std::string{to_string(answer->value->found)} : text_of(answer->error);
  }

  std::vector<StoredDelivery> owed() {
    std::vector<StoredDelivery> result;
    store->for_each_owed([&](StoredDelivery x) { result.push_back(std::move(x)); });
    return result;
  }

  std::shared_ptr<ToldToCancel> told = std::make_shared<ToldToCancel>();
};

TEST_F(CancelTest, of_what_waits_ends_it_and_tells_its_client) {
  start_cancellable();
  submit_as("first");
  const auto second = submit_as("second");
  EXPECT_EQ(found({"second"}), "waiting");
  EXPECT_THAT(text_of(second->error), HasSubstr("cancelled"));
  EXPECT_THAT(told->cancelled, IsEmpty());
  EXPECT_EQ(status().counters.cancelled, 1u);
  EXPECT_EQ(log.all<event::Cancelled>().at(0).delivery, 2u);
}

TEST_F(CancelTest, tells_the_child_that_has_it_by_the_id_that_it_was_given) {
  start_cancellable();
  const auto first = submit_as("first");
  EXPECT_EQ(found({"first"}), "in_work");
  ASSERT_THAT(told->given, ::testing::SizeIs(1));
  EXPECT_EQ(told->cancelled, told->given);
  EXPECT_THAT(text_of(first->error), HasSubstr("cancelled"));
  EXPECT_EQ(status().owed, 0u);
  EXPECT_EQ(log.all<event::CancelRequested>().at(0).incarnation, 1u);
  EXPECT_EQ(status().counters.dead_lettered, 0u);
}

TEST_F(CancelTest, ends_a_child_that_does_not_answer_after_the_grace) {
  told->answers = false;
  start_cancellable();
  const auto first = submit_as("first");
  submit_as("second");
  EXPECT_EQ(found({"first"}), "in_work");
  time.advance(5s - 1ns);
  EXPECT_FALSE(first->is_ready());
  EXPECT_EQ(status().incarnation, 1u);

  time.advance(1ns);

  EXPECT_THAT(text_of(first->error), HasSubstr("cancelled"));
  EXPECT_EQ(status().incarnation, 2u);
  EXPECT_THAT(told->given, ::testing::SizeIs(2)) << "the next is in work, without a delay";
  EXPECT_EQ(retries(), 0u);
}

TEST_F(CancelTest, gives_a_child_that_acknowledges_by_reply_the_same_grace) {
  start({testing::hang()});
  const auto first = submit_as("first");
  EXPECT_EQ(found({"first"}), "in_work");
  time.advance(5s - 1ns);
  EXPECT_FALSE(first->is_ready());
  time.advance(1ns);
  EXPECT_THAT(text_of(first->error), HasSubstr("cancelled"));
}

TEST_F(CancelTest, says_what_was_done_before_and_what_is_not_known) {
  start({});
  EXPECT_EQ(submit_as("done")->value, "text");
  EXPECT_EQ(found({"done"}), "done");
  EXPECT_EQ(found({"never"}), "unknown");
  EXPECT_EQ(found({.delivery = 1}), "done");
  EXPECT_EQ(found({.delivery = 2}), "unknown");
}

TEST_F(CancelTest, finds_a_message_by_its_number) {
  start_cancellable();
  submit("a");
  submit("b");
  EXPECT_EQ(found({.delivery = 2}), "waiting");
  EXPECT_EQ(found({.delivery = 1}), "in_work");
  EXPECT_EQ(status().owed, 0u);
}

TEST_F(CancelTest, frees_the_key_for_another_message) {
  start_cancellable();
  submit_as("first");
  submit_as("second");
  found({"second"});
  EXPECT_EQ(found({"second"}), "unknown");
  submit_as("second");
  EXPECT_EQ(found({"second"}), "waiting");
}

TEST_F(CancelTest, makes_a_dead_letter_if_one_is_wanted) {
  start_cancellable();
  submit_as("first");
  EXPECT_EQ(found({.idempotency_key = "first", .wants_letter = true}), "in_work");
  const auto letters = log.all<event::DeadLettered>();
  ASSERT_THAT(letters, ::testing::SizeIs(1));
  EXPECT_EQ(letters.at(0).reason, DeadLetterReason::cancelled);
  EXPECT_EQ(letters.at(0).attempts, 0u);
}

TEST_F(CancelTest, is_refused_if_it_names_no_message_or_two) {
  start_cancellable();
  EXPECT_THAT(found({}),
              HasSubstr("Cancel: idempotency_key: got none, allowed one, or the number"));
  EXPECT_THAT(found({"key", 7}), HasSubstr("and a delivery, allowed one, or the number of"));
}

TEST_F(CancelTest, tells_all_clients_that_wait_for_the_message) {
  start_cancellable();
  const auto first = submit_as("first");
  const auto again = submit_as("first");
  found({"first"});
  EXPECT_THAT(text_of(first->error), HasSubstr("cancelled"));
  EXPECT_THAT(text_of(again->error), HasSubstr("cancelled"));
}

TEST_F(CancelTest, lets_no_submission_join_what_comes_to_nothing) {
  told->answers = false;
  start_cancellable();
  submit_as("first");
  EXPECT_EQ(found({"first"}), "in_work");
  const auto again = submit("again", {.idempotency_key = "first", .answer_when_accepted = true});
  EXPECT_THAT(text_of(again->error), HasSubstr("cancelled"));
  EXPECT_EQ(status().counters.refused, 1u);
  time.advance(5s);
  submit_as("first");
  EXPECT_EQ(status().owed, 1u) << "its key is free once its child has ended";
}

TEST_F(CancelTest, harms_no_child_that_does_not_know_the_word) {
  start_hand_made([](caf::event_based_actor*, const TrackedMsg&) { return caf::message{}; });
  const auto first = submit_as("first");
  EXPECT_EQ(found({"first"}), "in_work");
  time.advance(5s - 1ns);
  EXPECT_EQ(log.count<event::ChildDown>(), 0u);
  EXPECT_FALSE(first->is_ready());
  time.advance(1ns);
  EXPECT_THAT(text_of(first->error), HasSubstr("cancelled"));
}

// -- with a durable outbox ----------------------------------------------------------------------

TEST_F(CancelTest, is_answered_once_it_is_stored) {
  start_cancellable_durably();
  submit_as("first");
  submit_as("second");
  store->fail_always(StoreFailure::full);
  const auto answer = cancel({"second"});
  EXPECT_FALSE(answer->is_ready());
  EXPECT_THAT(owed(), ::testing::SizeIs(2));
  store->fail_always({});
  time.advance(1min);
  ASSERT_TRUE(answer->value);
  EXPECT_EQ(answer->value->found, CancelFound::waiting);
  EXPECT_THAT(owed(), ::testing::SizeIs(1));
}

// The child, which ends at once, is a, and the one behind it b.
class CancelOrderTest : public CancelTest, public ::testing::WithParamInterface<Ordering> {
protected:
  void begin() {
    outbox = open(store);
    begin_another();
  }

  void begin_another() {
    auto options = one_at_a_time();
    options.ordering = GetParam();
    start_hand_made(
      [this](caf::event_based_actor*, const TrackedMsg& x) {
        had.push_back(x.payload.get_as<std::string>(0));
        return caf::make_message(Sent{x.id});
      },
      with(outbox, std::move(options)));
    time.run();
  }

  // a is cancelled, but the store does not know, and b waits behind it.
  std::shared_ptr<testing::Answer<CancelAnswer>> cancel_a_while_the_disk_is_full() {
    tell(Pause{});
    a = submit("a", {.key = "k", .idempotency_key = "a"});
    submit("b", {.key = "k", .idempotency_key = "b"});
    store->fail_always(StoreFailure::full);
    auto answer = cancel({"a"});
    EXPECT_FALSE(answer->is_ready());
    tell(Resume{});
    return answer;
  }

  Strings had; // in order
  std::shared_ptr<testing::Answer<std::string>> a;
};

TEST_P(CancelOrderTest, of_what_waits_brings_nothing_back_behind_younger_ones) {
  begin();
  cancel_a_while_the_disk_is_full();
  EXPECT_THAT(had, IsEmpty()) << "the store does not know yet that a is cancelled";
  const auto before = store;
  store = store->copy(); // the process is killed
  begin();
  EXPECT_THAT(had, ElementsAre("a", "b"));
  before->fail_always({}); // lets the first sender end
}

TEST_P(CancelOrderTest, of_what_waits_lets_younger_ones_go_once_that_is_stored) {
  begin();
  const auto answer = cancel_a_while_the_disk_is_full();
  EXPECT_FALSE(a->is_ready()) << "nor does its client hear of it";
  store->fail_always({});
  time.advance(1min);
  ASSERT_TRUE(answer->value);
  EXPECT_EQ(answer->value->found, CancelFound::waiting);
  EXPECT_THAT(text_of(a->error), HasSubstr("cancelled"));
  EXPECT_THAT(had, ElementsAre("b"));
}

TEST_P(CancelOrderTest, holds_up_younger_ones_in_the_next_sender_of_the_process_too) {
  begin();
  const auto answer = cancel_a_while_the_disk_is_full();
  tell(Pause{});
  stop_sender();
  EXPECT_THAT(text_of(a->error), HasSubstr("cancelled"));
  EXPECT_THAT(text_of(answer->error), HasSubstr("stopped"));
  begin_another();
  EXPECT_THAT(had, IsEmpty());
  store->fail_always({});
  time.advance(1min);
  EXPECT_THAT(had, ElementsAre("b"));
}

INSTANTIATE_TEST_SUITE_P(of, CancelOrderTest,
                         ::testing::Values(Ordering::strict, Ordering::per_key));

TEST_F(CancelTest, of_what_waits_holds_beyond_the_life_of_the_process) {
  start_cancellable_durably();
  submit_as("first");
  submit_as("second");
  EXPECT_EQ(found({"second"}), "waiting");
  kill_and_start_cancellable();
  EXPECT_EQ(status().owed, 1u);
  EXPECT_EQ(found({"second"}), "unknown");
}

TEST_F(CancelTest, of_what_is_in_work_holds_beyond_the_life_of_the_process) {
  told->answers = false;
  start_cancellable_durably();
  submit_as("first");
  EXPECT_EQ(found({"first"}), "in_work");
  EXPECT_EQ(owed().at(0).context, "cancelled: gone");
  kill_and_start_cancellable();
  EXPECT_THAT(told->given, ::testing::SizeIs(1)) << "nobody begins it again";
  EXPECT_EQ(status().owed, 0u);
  EXPECT_EQ(status().counters.cancelled, 1u);
  EXPECT_THAT(owed(), IsEmpty());
}

TEST_F(CancelTest, holds_beyond_a_sender_that_is_told_to_stop) {
  told->answers = false;
  start_cancellable_durably();
  submit_as("first");
  EXPECT_EQ(found({"first"}), "in_work");
  stop_sender();
  EXPECT_THAT(owed(), IsEmpty());
}

TEST_F(CancelTest, leaves_a_dead_letter_that_can_be_resubmitted) {
  told->answers = false;
  start_cancellable_durably();
  submit_as("first");
  EXPECT_EQ(found({.idempotency_key = "first", .wants_letter = true}), "in_work");
  EXPECT_EQ(owed().at(0).context, "cancelled: letter");
  kill_and_start_cancellable();
  const auto letter = store->dead_letter(1);
  ASSERT_TRUE(letter);
  EXPECT_EQ(letter->reason, DeadLetterReason::cancelled);
  EXPECT_EQ(letter->delivery.context, "") << "the next sender must not cancel it again";
}

TEST_F(CancelTest, comes_before_a_child_is_given_what_is_being_written_down) {
  auto options = one_at_a_time();
  options.rare.max_hand_overs = 3;
  start_cancellable_durably(std::move(options));
  tell(Pause{});
  submit_as("first");
  store->fail_always(StoreFailure::full);
  tell(Resume{});
  EXPECT_EQ(status().in_flight, 1u) << "it is handed over once that is stored";
  const auto answer = cancel({"first"});
  store->fail_always({});
  time.advance(1min);
  EXPECT_EQ(answer->value->found, CancelFound::in_work);
  EXPECT_THAT(told->given, IsEmpty());
  EXPECT_THAT(told->cancelled, IsEmpty());
  EXPECT_EQ(status().counters.cancelled, 1u);
  EXPECT_THAT(owed(), IsEmpty());
}

} // namespace backoff_actor::actor_test
