// What a durable outbox promises: accepted is stored, and what is stored ends.

#include "durable_fixture.hpp"

namespace backoff_actor::actor_test {

class Durable : public DurableTest {};

// -- accepted -------------------------------------------------------------------------

TEST_F(Durable, deliveries_are_stored_before_they_are_handed_over_and_forgotten_when_acknowledged) {
  std::vector<std::uint64_t> stored_at_hand_over;
  auto options = default_options();
  outbox = open(store);
  options = with(outbox, std::move(options));
  options.on_event = [&, hook = log.hook()](const Event& event) {
    hook(event);
    if (std::holds_alternative<event::HandedOver>(event))
      stored_at_hand_over = store->owed();
  };
  start({}, std::move(options));

  EXPECT_EQ(ask("a")->value, "a");

  EXPECT_THAT(stored_at_hand_over, ElementsAre(1));
  EXPECT_THAT(store->owed(), IsEmpty());
  EXPECT_EQ(store->commits(), 2u) << "the submission, the acknowledgement";
}

TEST_F(Durable, the_client_learns_of_its_delivery_when_that_is_stored) {
  start_durable({{testing::silence()}});
  store->fail_next(1);

  EXPECT_EQ(
    text_of(submit_durably("a")->error),
    "not_stored: the message was not accepted, because the durable outbox could not store it "
    "(orders.db: told to fail, full)");
  EXPECT_EQ(submit_durably("b")->value->id, 2u);
  EXPECT_THAT(store->owed(), ElementsAre(2));
  EXPECT_EQ(danger.texts(), Strings{"b"});
}

TEST_F(Durable, a_request_that_cannot_be_stored_is_refused_and_those_behind_it_go_on) {
  start_durable({});
  store->fail_next(1, StoreFailure::read_only);
  const auto first = time.ask<std::string>(sender, std::string{"a"});
  time.run();
  const auto second = ask("b");

  EXPECT_THAT(text_of(first->error), HasSubstr("not_stored"));
  EXPECT_EQ(second->value, "b");
  EXPECT_EQ(status().counters.refused, 1u);
  EXPECT_EQ(status().counters.accepted, 1u);
}

TEST_F(Durable, a_type_that_is_not_durable_is_refused_by_its_name) {
  start_durable({});

  const auto answer = time.ask<std::string>(sender, std::int32_t{7});
  time.run();

  EXPECT_THAT(text_of(answer->error), HasSubstr("not_storable"));
  EXPECT_THAT(text_of(answer->error), HasSubstr("is not one of the durable types"));
  EXPECT_THAT(store->owed(), IsEmpty());
  EXPECT_EQ(status().counters.refused, 1u);
}

// -- the end of a sender ----------------------------------------------------------------

TEST_F(Durable, what_is_owed_when_the_sender_stops_stays_owed_and_its_clients_are_told) {
  start_durable({{testing::silence(), testing::silence()}});
  const auto first = ask("a");
  const auto second = ask("b");

  stop_sender();

  EXPECT_EQ(text_of(first->error),
            "suspended: the sender ended, and this delivery stays owed in its durable outbox");
  EXPECT_THAT(text_of(second->error), HasSubstr("suspended"));
  EXPECT_THAT(store->owed(), ElementsAre(1, 2));
  EXPECT_EQ(outbox.suspended(), 2u);
}

TEST_F(Durable, a_new_process_resends_what_is_owed_in_order) {
  start_durable({{testing::silence(), testing::silence()}});
  ask("a");
  ask("b");

  kill_and_start({});

  EXPECT_EQ(danger.texts(), (Strings{"a", "b"}));
  EXPECT_THAT(store->owed(), IsEmpty());
}

TEST_F(Durable, a_delivery_whose_acknowledgement_was_not_written_is_made_once_more) {
  auto slow = durable_options();
  slow.max_wait = 1s;
  outbox = {store, durable<std::string>(), slow};
  start({}, with(outbox));
  const auto answer = time.ask<std::string>(sender, std::string{"a"});
  time.advance(1s);
  ASSERT_EQ(answer->value, "a");

  kill_and_start({});

  EXPECT_EQ(danger.texts(), Strings{"a"});
}

TEST_F(Durable, failed_attempts_are_counted_on_in_a_new_process) {
  auto options = default_options();
  options.max_attempts = 3;
  options.charging = Charging::every_failure();
  start_durable({{testing::crash(), testing::crash(), testing::silence()}}, options);
  ask("poison");
  time.advance(1s);
  EXPECT_EQ(store->find(1)->attempts, 2u);

  kill_and_start({{testing::crash()}}, options);

  EXPECT_EQ(danger.texts(), Strings{"poison"});
  EXPECT_THAT(store->owed(), IsEmpty());
  const auto letters = outbox.dead_letters();
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters[0].reason, DeadLetterReason::attempts_exhausted);
  EXPECT_EQ(letters[0].attempts, 3u);
}

TEST_F(Durable, deadlines_and_ages_go_on_in_wall_clock_time) {
  start_durable({{testing::silence(), testing::silence()}});
  submit("a", {.time_to_live = 10s});
  submit("b", {.time_to_live = 60s});
  time.advance(5s);
  stop_sender();
  time.advance(6s);

  start({{testing::silence()}}, with(outbox));
  time.run();

  EXPECT_EQ(danger.texts(), Strings{"b"}) << "a has expired meanwhile";
  EXPECT_EQ(status().oldest_age, 11s);
  EXPECT_EQ(outbox.dead_letters().at(0).age, 11s);
}

TEST_F(Durable, deadlines_are_those_of_a_wall_clock_that_was_set_while_the_sender_lived) {
  start_durable({{testing::silence(), testing::silence()}});
  clock_step = 2h;
  submit("a", {.time_to_live = 1h});
  kill_and_start({{testing::silence(), testing::silence()}});
  EXPECT_EQ(danger.texts(), Strings{"a"}) << "it is not older than it was";

  clock_step = 0h;
  submit("b", {.time_to_live = 1s});
  time.advance(5s);
  kill_and_start({{testing::silence(), testing::silence()}});
  EXPECT_EQ(danger.texts(), Strings{"a"}) << "b has expired";
}

// Whoever wrote it had a clock that was ahead.
TEST_F(Durable, a_message_of_the_future_lives_no_longer_than_it_was_to_live) {
  clock_step = 87'600h;
  start_durable({{testing::silence()}});
  submit("a", {.time_to_live = 10s});
  clock_step = 0h;
  kill_and_start({{testing::silence()}});
  EXPECT_EQ(status().oldest_age, 0s);
  time.advance(10s - 1ns);
  EXPECT_EQ(store->owed().size(), 1u);
  time.advance(1ns);
  EXPECT_EQ(store->owed().size(), 0u);
}

TEST_F(Durable, keys_are_forgotten_in_time_although_a_clock_was_years_ahead) {
  auto options = default_options();
  options.rare.idempotency_retention = 300ms;
  const auto submit_some = [&](const std::string& of) {
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(submit("a", {.idempotency_key = of + std::to_string(i)})->value, "a");
      time.advance(100ms);
    }
  };
  const auto count_keys = [&] {
    auto count = 0;
    store->for_each_acknowledged_key([&](const AcknowledgedKey&) { ++count; });
    return count;
  };
  clock_step = 87'600h;
  start_durable({}, options);
  submit_some("first ");
  clock_step = 0h;
  for (const auto* const life : {"second ", "third ", "fourth "}) {
    kill_and_start({}, options);
    submit_some(life);
    EXPECT_LE(count_keys(), 5);
  }
  EXPECT_EQ(submit("a", {.idempotency_key = "first 19"})->value, "a");
}

TEST_F(Durable, keys_are_kept_for_their_time_although_the_clock_is_set_meanwhile) {
  auto options = default_options();
  options.rare.idempotency_retention = 1h;
  start_durable({}, options);
  submit("a", {.idempotency_key = "one"});
  for (const auto step : {2h, -2h, 87'600h, 0h}) {
    clock_step = step;
    submit("b", {.idempotency_key = "two " + std::to_string(step.count())});
    time.advance(10min);
  }
  kill_and_start({}, options);
  EXPECT_THAT(text_of(submit("a", {.idempotency_key = "one"})->error),
              HasSubstr("already_acknowledged"));
}

TEST_F(Durable, keys_keep_their_order_beyond_a_restart) {
  auto options = default_options();
  options.ordering = Ordering::per_key;
  start_durable({{testing::silence(), testing::silence()}}, options);
  submit("a1", {.key = "a"});
  submit("a2", {.key = "a"});
  submit("b1", {.key = "b"});

  restart({{testing::silence(), testing::ok()}}, options);

  EXPECT_EQ(danger.texts(), (Strings{"a1", "b1"})) << "a2 waits for a1";
}

TEST_F(Durable, a_sender_that_gives_up_leaves_what_it_owes_to_the_next) {
  auto options = default_options();
  options.restart_limit = RestartLimit{0, 1min};
  start_durable({{testing::crash()}}, options);
  const auto answer = ask("a");
  time.advance(1s);
  EXPECT_THAT(text_of(answer->error), HasSubstr("suspended"));

  start({}, with(outbox, options));
  time.run();

  EXPECT_EQ(danger.texts(), Strings{"a"});
  EXPECT_THAT(store->owed(), IsEmpty());
}

TEST_F(Durable, a_supervisor_that_restarts_the_sender_loses_nothing) {
  auto sender_options = default_options();
  sender_options.restart_limit = RestartLimit{1, 1min};
  outbox = open(store);
  sender_options.outbox = outbox;
  danger = DangerousActor{{{testing::crash(), testing::crash(), testing::crash()}}};
  auto made = std::make_shared<caf::actor>();
  const auto make = [=, factory = danger.factory()](caf::event_based_actor* self) {
    return *made = spawn_back_off_sender(self->system(), factory, sender_options);
  };
  time.keep(spawn_supervisor(time.system(), {{.id = "orders", .make = make}}));
  time.run();
  time.tell(*made, std::string{"a"});
  time.advance(1min);

  EXPECT_EQ(danger.texts(), (Strings{"a", "a", "a", "a"}));
  EXPECT_THAT(store->owed(), IsEmpty());
  *made = nullptr;
}

TEST_F(Durable, two_senders_cannot_use_an_outbox_at_a_time) {
  start_durable({});

  try {
    start_sender(danger.factory(), with(outbox));
    FAIL();
  } catch (const StoreError& error) {
    EXPECT_EQ(error.failure(), StoreFailure::in_use);
    EXPECT_STREQ(
      error.what(),
      "orders.db: another sender of this process uses it; give each sender its own store");
  }
}

// -- dead letters -----------------------------------------------------------------------

TEST_F(Durable, dead_letters_stay_until_they_are_taken) {
  start_durable({{testing::crash()}}, [] {
    auto options = default_options();
    options.max_attempts = 1;
    options.charging = Charging::every_failure();
    return options;
  }());
  submit("a", {.key = "k", .idempotency_key = "once"});

  kill_and_start({});
  const auto letters = outbox.dead_letters();
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters[0].id, 1u);
  EXPECT_EQ(letters[0].message.get_as<std::string>(0), "a");
  EXPECT_EQ(letters[0].key, "k");
  EXPECT_EQ(letters[0].idempotency_key, "once");
  EXPECT_THAT(letters[0].cause, HasSubstr("Danger"));

  auto again = resubmit(letters[0]);
  again.answer_when_accepted = true;
  const auto accepted = time.ask<Accepted>(sender, again);
  time.run();
  EXPECT_EQ(accepted->value->id, 2u);
  const std::vector<std::uint64_t> taken{1};
  EXPECT_EQ(outbox.remove_dead_letters(taken), 1u);
  EXPECT_THAT(outbox.dead_letters(), IsEmpty());
}

TEST_F(Durable, what_is_dropped_as_it_comes_is_among_the_dead_letters) {
  auto options = default_options();
  options.capacity = 1;
  options.rare.overflow = Overflow::drop_newest;
  start_durable({{testing::silence()}}, options);
  ask("a");
  EXPECT_THAT(text_of(ask("b")->error), HasSubstr("dropped"));

  EXPECT_THAT(store->owed(), ElementsAre(1));
  EXPECT_EQ(outbox.dead_letters().at(0).reason, DeadLetterReason::dropped);
}

// -- options ----------------------------------------------------------------------------

TEST_F(Durable, wrong_options_are_named_all_at_once) {
  DurableOptions options;
  options.max_batch = 0;
  options.max_wait = -1ns;

  try {
    DurableOutbox{nullptr, durable<std::string>(), options};
    FAIL();
  } catch (const InvalidArgument& problem) {
    EXPECT_STREQ(problem.what(), "DurableOptions: max_batch: got 0, allowed 1..1000000000\n"
                                 "DurableOptions: max_wait: got -1ns, allowed 0ns or more\n"
                                 "DurableOptions: store: got none, allowed a store");
  }
}

} // namespace backoff_actor::actor_test
