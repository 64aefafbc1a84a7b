// A store that fails for long, writers that end, and clocks that are set: nobody hangs, and nothing
// grows without bound.

#include "durable_fixture.hpp"

namespace backoff_actor::actor_test {

// Throws what is no exception of the standard library, once.
class Rude : public StoreInFront {
public:
  using StoreInFront::StoreInFront;
  void commit(std::span<const StoreChange> changes) override {
    if (!std::exchange(was_rude_, true))
      throw 7;
    StoreInFront::commit(changes);
  }

private:
  bool was_rude_ = false;
};

// Takes no dead letters.
class Undertaken : public StoreInFront {
public:
  using StoreInFront::StoreInFront;
  void commit(std::span<const StoreChange> changes) override {
    for (const auto& x : changes)
      if (std::holds_alternative<change::Bury>(x))
        throw StoreError(StoreFailure::too_large, "too large");
    StoreInFront::commit(changes);
  }
};

class DurableFailures : public DurableTest {
protected:
  DurableOptions counting_options() {
    auto options = durable_options();
    options.on_error = [this](const StoreError&) { ++failures; };
    return options;
  }

  void start_writing(FaultPlan faults, DurableOptions options,
                     SenderOptions sender_options = default_options()) {
    outbox = {store, durable<std::string>(), std::move(options)};
    start(std::move(faults), with(outbox, std::move(sender_options)));
    time.run();
  }

  int failures = 0;
};

TEST_F(DurableFailures,
       a_submission_behind_a_batch_that_cannot_be_written_is_refused_and_not_spun_on) {
  auto options = counting_options();
  options.max_batch = 1;
  start_writing({{testing::slow(1s)}}, options);
  ask("a");
  store->fail_next(1000);
  time.advance(1s);
  EXPECT_EQ(failures, 1) << "the acknowledgement";

  const auto behind = ask("b");

  EXPECT_EQ(failures, 2);
  EXPECT_THAT(text_of(behind->error), HasSubstr("not_stored"));
}

TEST_F(DurableFailures, dead_letters_that_cannot_be_stored_do_not_pile_up) {
  auto options = counting_options();
  options.max_batch = 10;
  start_writing({}, options);
  store->fail_always(StoreFailure::full);
  for (int i = 0; i < 100; ++i)
    submit("late", {.time_to_live = 0s});
  EXPECT_LE(failures, 101);

  store->fail_always({});
  EXPECT_EQ(ask("b")->value, "b");
  time.advance(10s);

  EXPECT_GE(outbox.dead_letters().size(), 1u);
  EXPECT_LE(outbox.dead_letters().size(), 10u);
  EXPECT_EQ(outbox.count_dead_letters().count, outbox.dead_letters().size());
}

TEST_F(DurableFailures, what_will_be_too_large_for_ever_is_let_go) {
  outbox = {std::make_shared<Undertaken>(store), durable<std::string>(), counting_options()};
  start({}, with(outbox));
  submit("late", {.time_to_live = 0s});
  time.advance(1min);

  EXPECT_EQ(failures, 1);
  EXPECT_EQ(ask("b")->value, "b");
}

TEST_F(DurableFailures, whatever_a_store_throws_nobody_hangs) {
  outbox = {std::make_shared<Rude>(store), durable<std::string>(), durable_options()};
  start({}, with(outbox));

  EXPECT_EQ(
    text_of(ask("a")->error),
    "not_stored: the message was not accepted, because the durable outbox could not store it "
    "(orders.db: an exception of unknown type)");
  EXPECT_EQ(ask("b")->value, "b");
}

TEST_F(DurableFailures, what_is_tried_again_does_not_wait_for_company_too) {
  auto options = counting_options();
  options.max_wait = 1h;
  start_writing({}, options);
  const auto answer = time.ask<std::string>(sender, std::string{"a"});
  time.advance(1h);
  ASSERT_EQ(answer->value, "a");
  store->fail_next(1);
  time.advance(1h);
  EXPECT_EQ(failures, 1);
  time.advance(100ms);

  EXPECT_THAT(store->owed(), IsEmpty());
}

TEST_F(DurableFailures, a_sender_that_ended_leaves_no_writer_behind_that_holds_the_store) {
  auto options = durable_options();
  options.max_wait = 1h;
  start_writing({{testing::silence()}}, options);
  ask("a");
  const std::weak_ptr<MemoryStore> held{store};

  stop_sender();
  EXPECT_EQ(outbox.dead_letters().size(), 1u) << "all is written";
  outbox = {};
  store = nullptr;

  EXPECT_TRUE(held.expired());
}

TEST_F(DurableFailures, a_deadline_in_two_hundred_and_eighty_years_is_one) {
  start_durable({{testing::silence()}});
  submit("a", {.time_to_live = 24h * 365 * 280});
  EXPECT_GT(store->find(1)->deadline->since_epoch, midnight);

  kill_and_start({{testing::silence()}});
  time.advance(1s);

  EXPECT_EQ(danger.texts(), Strings{"a"});
  EXPECT_THAT(store->owed(), ElementsAre(1));
}

TEST_F(DurableFailures, a_message_that_ends_every_sender_is_a_dead_letter_after_its_attempts) {
  auto options = default_options();
  options.max_attempts = 2;
  options.charging = Charging::every_failure();
  options.decider = [](FailureKind, const caf::error&) { return Decision{Verdict::escalate}; };
  start_durable({{testing::crash()}}, options);
  EXPECT_THAT(text_of(ask("poison")->error), HasSubstr("suspended"));
  time.advance(1s);
  EXPECT_EQ(store->find(1)->attempts, 1u);

  for (int i = 0; i < 2; ++i) {
    start({{testing::crash()}}, with(outbox, options));
    time.advance(1s);
  }

  EXPECT_THAT(store->owed(), IsEmpty());
  const auto letters = outbox.dead_letters();
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters[0].reason, DeadLetterReason::attempts_exhausted);
  EXPECT_EQ(letters[0].attempts, 2u);
  EXPECT_THAT(danger.texts(), IsEmpty()) << "it was not tried a third time";
}

// -- idempotency keys -------------------------------------------------------------------

TEST_F(DurableFailures, a_clock_that_was_set_back_does_not_keep_keys_beyond_the_retention) {
  auto ahead = std::make_shared<Duration>(10h);
  auto options = durable_options();
  options.wall_clock = [this, ahead] {
    return WallTime{midnight + (*ahead + time.now().since_origin).count()};
  };
  auto sender_options = default_options();
  sender_options.rare.idempotency_retention = 10min;
  start_writing({}, options, sender_options);
  submit("a", {.idempotency_key = "a"});
  stop_sender();
  *ahead = 0h;
  start({}, with(outbox, sender_options));
  EXPECT_EQ(submit("b", {.idempotency_key = "b"})->value, "b");
  EXPECT_THAT(text_of(submit("a", {.idempotency_key = "a"})->error),
              HasSubstr("already_acknowledged"));
  time.advance(11min);

  EXPECT_EQ(submit("b", {.idempotency_key = "b"})->value, "b");
  EXPECT_EQ(submit("a", {.idempotency_key = "a"})->value, "a");
}

// A delivery is given up, then its key is acknowledged for another, and then it is owed again.
class KeysOwedAgain : public DurableFailures {
protected:
  void acknowledge_and_owe_again(testing::FaultPlan plan) {
    auto options = default_options();
    options.max_attempts = 1;
    options.charging = Charging::every_failure();
    options.rare.idempotency_retention = 1min;
    start_durable({{testing::crash()}}, options);
    submit("a", {.idempotency_key = "a"});
    time.advance(1s);
    EXPECT_EQ(submit("a", {.idempotency_key = "a"})->value, "a");

    store = store->copy();
    const std::vector<std::uint64_t> letter{1};
    ASSERT_EQ(store->resubmit_dead_letters(letter), 1u);
    start_durable(std::move(plan), options);
  }
};

TEST_F(KeysOwedAgain, outlive_the_acknowledgement_of_a_dead_letter) {
  acknowledge_and_owe_again({{testing::slow(10min)}});
  time.advance(2min);
  const auto other = submit("b", {.idempotency_key = "b"});
  const auto joined = submit("a", {.idempotency_key = "a"});

  EXPECT_EQ(other->value, "b");
  EXPECT_FALSE(joined->value) << "it joined";
  EXPECT_EQ(status().owed, 1u);
}

TEST_F(KeysOwedAgain, are_kept_from_the_second_acknowledgement_on) {
  acknowledge_and_owe_again({{testing::slow(30s)}});
  time.advance(70s);

  EXPECT_THAT(text_of(submit("a", {.idempotency_key = "a"})->error),
              HasSubstr("already_acknowledged"));
  time.advance(30s);
  EXPECT_EQ(submit("a", {.idempotency_key = "a"})->value, "a");
}

// Two messages with one key are given up, one after the other, and both are owed again.
class KeysOwedTwice : public DurableFailures {
protected:
  static SenderOptions one_attempt() {
    auto result = default_options();
    result.max_attempts = 1;
    result.charging = Charging::every_failure();
    return result;
  }

  void owe_both_again(testing::FaultPlan plan) {
    start_durable({{testing::crash(), testing::crash()}}, one_attempt());
    submit("a", {.idempotency_key = "order 7"});
    time.advance(1s);
    submit("b", {.idempotency_key = "order 7"});
    time.advance(1s);
    store = store->copy();
    const std::vector<std::uint64_t> letters{1, 2};
    ASSERT_EQ(store->resubmit_dead_letters(letters), 2u);
    start_durable(std::move(plan), one_attempt());
    time.advance(1s);
  }

  std::size_t owed() {
    std::size_t result = 0;
    store->for_each_owed([&](const StoredDelivery&) { ++result; });
    return result;
  }
};

TEST_F(KeysOwedTwice, are_one_delivery) {
  owe_both_again({});

  EXPECT_EQ(status().counters.restored, 1u);
  EXPECT_EQ(status().counters.acknowledged, 1u);
  EXPECT_EQ(status().owed, 0u);
  EXPECT_THAT(log.timeline(), HasSubstr("store notice: delivery 4 has joined delivery 3, which has "
                                        "the same idempotency key"));
  EXPECT_EQ(owed(), 0u) << "and both are gone from the store";
  EXPECT_EQ(outbox.count_dead_letters().count, 0u);
  EXPECT_THAT(text_of(submit("c", {.idempotency_key = "order 7"})->error),
              HasSubstr("already_acknowledged"));
}

TEST_F(KeysOwedTwice, are_given_up_together_and_then_free) {
  owe_both_again({{testing::crash()}});

  EXPECT_EQ(outbox.count_dead_letters().count, 1u);
  kill_and_start({}, one_attempt());
  EXPECT_EQ(submit("c", {.idempotency_key = "order 7"})->value, "c");
}

} // namespace backoff_actor::actor_test
