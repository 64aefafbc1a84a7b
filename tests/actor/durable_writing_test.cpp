// How a durable outbox writes: batches, failures, and what nobody waits for.

#include "durable_fixture.hpp"

namespace backoff_actor::actor_test {

// Takes no message of more than a hundred bytes.
class Picky : public StoreInFront {
public:
  using StoreInFront::StoreInFront;
  void commit(std::span<const StoreChange> changes) override {
    for (const auto& x : changes)
      if (const auto* insertion = std::get_if<change::Insert>(&x);
          insertion != nullptr && insertion->delivery.message.bytes.size() > 100)
        throw StoreError(StoreFailure::too_large, "too large");
    StoreInFront::commit(changes);
  }
};

class DurableWriting : public DurableTest {
protected:
  void start_writing(FaultPlan faults, DurableOptions options) {
    outbox = {store, durable<std::string>(), std::move(options)};
    start(std::move(faults), with(outbox));
    time.run();
  }

  void tell_many(int count) {
    for (int i = 0; i < count; ++i)
      time.tell(sender, std::to_string(i));
  }
};

TEST_F(DurableWriting, a_change_waits_for_company_no_longer_than_it_may) {
  auto options = durable_options();
  options.max_wait = 20ms;
  start_writing({{testing::silence()}}, options);

  time.tell(sender, std::string{"a"});
  time.advance(10ms);
  time.tell(sender, std::string{"b"});
  time.advance(9ms);
  EXPECT_EQ(store->commits(), 0u);
  time.advance(1ms);

  EXPECT_EQ(store->commits(), 1u);
  EXPECT_THAT(store->owed(), ElementsAre(1, 2));
}

TEST_F(DurableWriting, an_acknowledgement_that_could_not_be_written_is_written_later) {
  std::vector<std::string> failures;
  auto options = durable_options();
  options.on_error = [&](const StoreError& error) { failures.emplace_back(error.what()); };
  start_writing({{testing::slow(1s)}}, options);
  const auto answer = ask("a");
  store->fail_next(3);
  time.advance(1001ms);

  EXPECT_EQ(answer->value, "a");
  EXPECT_THAT(store->owed(), ElementsAre(1)) << "it is not written yet";
  time.advance(10s);
  EXPECT_THAT(store->owed(), IsEmpty());
  EXPECT_EQ(failures, (Strings{"orders.db: told to fail, full", "orders.db: told to fail, full",
                               "orders.db: told to fail, full"}));
}

TEST_F(DurableWriting, a_store_that_fails_is_tried_with_a_backoff_that_ends_at_ten_seconds) {
  std::vector<Duration> at;
  auto options = durable_options();
  options.on_error = [&](const StoreError&) { at.push_back(time.now().since_origin); };
  start_writing({{testing::slow(1s)}}, options);
  ask("a");
  store->fail_always(StoreFailure::full);
  time.advance(1min);

  ASSERT_GE(at.size(), 10u);
  std::vector<Duration> first;
  for (std::size_t i = 0; i < 10; ++i)
    first.push_back(at[i] - at[0]);
  EXPECT_THAT(first, ElementsAre(0ms, 100ms, 300ms, 700ms, 1500ms, 3100ms, 6300ms, 12700ms, 22700ms,
                                 32700ms));
  store->fail_always({});
  time.advance(10s);
}

TEST_F(DurableWriting, one_message_that_is_too_large_is_refused_alone) {
  auto options = durable_options();
  options.max_wait = 1s;
  outbox = {std::make_shared<Picky>(store), durable<std::string>(), options};
  start({}, with(outbox));
  const auto first = time.ask<std::string>(sender, std::string{"a"});
  const auto large = time.ask<std::string>(sender, std::string(1000, 'x'));
  const auto third = time.ask<std::string>(sender, std::string{"c"});
  time.advance(2s);

  EXPECT_EQ(first->value, "a");
  EXPECT_THAT(text_of(large->error), HasSubstr("too large"));
  EXPECT_EQ(third->value, "c");
}

TEST_F(DurableWriting, one_that_is_too_large_and_given_up_at_once_holds_up_nobody) {
  auto options = durable_options();
  options.max_wait = 1s;
  outbox = {std::make_shared<Picky>(store), durable<std::string>(), options};
  start({}, with(outbox));
  const auto large = submit(std::string(1000, 'x'), {.time_to_live = 0s});
  const auto second = time.ask<std::string>(sender, std::string{"b"});
  time.advance(10s);

  EXPECT_THAT(text_of(large->error), HasSubstr("expired"));
  EXPECT_EQ(second->value, "b");
  EXPECT_EQ(time.timers(), 0u) << "nothing is tried again";
  EXPECT_THAT(store->owed(), IsEmpty());
}

TEST_F(DurableWriting,
       a_writer_without_a_sender_gives_way_after_three_failures_and_the_next_goes_on) {
  auto failures = 0;
  auto options = durable_options();
  options.on_error = [&](const StoreError&) { ++failures; };
  start_writing({{testing::slow(1s)}}, options);
  ask("a");
  store->fail_always(StoreFailure::full);
  time.advance(1s);
  failures = 0;
  stop_sender();
  while (time.advance_to_next_timer())
    ;
  EXPECT_THAT(store->owed(), ElementsAre(1));
  EXPECT_EQ(failures, 3);

  store->fail_always({});
  start({}, with(outbox));
  time.run();

  EXPECT_THAT(danger.texts(), IsEmpty()) << "it was acknowledged";
  EXPECT_THAT(store->owed(), IsEmpty());
}

TEST_F(DurableWriting, what_waits_for_company_when_the_sender_ends_is_written_at_once) {
  auto options = durable_options();
  options.max_wait = 1h;
  options.max_batch = 2;
  start_writing({}, options);
  tell(Pause{});
  tell_many(2);
  time.run();
  tell_many(1);
  time.run();

  stop_sender();

  EXPECT_THAT(store->owed(), ElementsAre(1, 2));
  EXPECT_EQ(outbox.dead_letters().size(), 1u) << "the third was not stored when the sender ended";
}

} // namespace backoff_actor::actor_test
