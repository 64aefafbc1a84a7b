// Submissions with an idempotency key are one delivery.

#include "durable_fixture.hpp"

namespace backoff_actor::actor_test {

class Idempotency : public DurableTest {};

const Submit once{.idempotency_key = "order 7"};

TEST_F(Idempotency, a_submission_with_a_key_that_is_owed_joins_it_and_gets_its_answer) {
  start({{testing::slow(1s)}});
  const auto first = submit("a", once);
  const auto second = submit("a", once);
  time.advance(1s);

  EXPECT_EQ(first->value, "a");
  EXPECT_EQ(second->value, "a");
  EXPECT_EQ(danger.texts(), Strings{"a"});
  EXPECT_EQ(status().counters.accepted, 1u);
}

TEST_F(Idempotency, a_submission_with_a_key_that_was_acknowledged_is_refused_for_the_retention) {
  auto options = default_options();
  options.rare.idempotency_retention = 10min;
  start({}, options);
  EXPECT_EQ(submit("a", once)->value, "a");
  time.advance(10min);

  EXPECT_EQ(text_of(submit("a", once)->error),
            "already_acknowledged: a delivery with this idempotency key was acknowledged before");
  EXPECT_EQ(status().counters.refused, 1u);
  time.advance(1ns);
  EXPECT_EQ(submit("b", once)->value, "b");
}

TEST_F(Idempotency, a_key_is_forgotten_in_time_however_many_were_acknowledged_with_it) {
  start({});
  Submit last;
  for (int i = 0; i < 300; ++i) {
    last.idempotency_key = std::to_string(i);
    submit("a", last);
  }
  time.advance(1h + 1ns);

  EXPECT_EQ(submit("b", last)->value, "b");
}

TEST_F(Idempotency, a_key_that_was_given_up_may_be_submitted_again) {
  auto options = default_options();
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  start({{testing::crash()}}, options);
  EXPECT_THAT(text_of(submit("a", once)->error), HasSubstr("attempts_exhausted"));
  time.advance(1s);

  EXPECT_EQ(submit("a", once)->value, "a");
}

TEST_F(Idempotency, whoever_has_joined_is_told_how_it_ended) {
  start({{testing::silence()}});
  const auto first = submit("a", once);
  const auto second = submit("a", once);
  time.stop(sender);
  time.run();

  EXPECT_THAT(text_of(first->error), HasSubstr("stopped"));
  EXPECT_THAT(text_of(second->error), HasSubstr("stopped"));
}

TEST_F(Idempotency, whoever_only_wants_acceptance_gets_the_number_of_the_first) {
  start({{testing::silence()}});
  submit("a", once);

  EXPECT_EQ(submit_durably("a", once)->value->id, 1u);
  EXPECT_EQ(submit_durably("b", {.idempotency_key = "order 8"})->value->id, 2u);
}

TEST_F(Idempotency, whoever_joins_what_cannot_be_stored_is_told_so) {
  auto slow = durable_options();
  slow.max_wait = 1s;
  outbox = {store, durable<std::string>(), slow};
  start({}, with(outbox));
  const auto first = submit_durably("a", once);
  const auto second = submit("a", once);
  store->fail_next(1);
  time.advance(1s);

  EXPECT_THAT(text_of(first->error), HasSubstr("not_stored"));
  EXPECT_THAT(text_of(second->error), HasSubstr("not_stored"));
}

TEST_F(Idempotency, keys_hold_beyond_the_process) {
  start_durable({{testing::ok(), testing::silence()}});
  submit("a", {.idempotency_key = "done"});
  submit("b", {.idempotency_key = "owed"});

  kill_and_start({{testing::slow(1s)}});

  EXPECT_THAT(text_of(submit("a", {.idempotency_key = "done"})->error),
              HasSubstr("already_acknowledged"));
  const auto joined = submit("b", {.idempotency_key = "owed"});
  time.advance(1s);
  EXPECT_EQ(joined->value, "b");
  EXPECT_EQ(danger.texts(), Strings{"b"});
}

TEST_F(Idempotency, keys_hold_beyond_the_sender) {
  start_durable({{testing::ok(), testing::silence()}});
  submit("a", {.idempotency_key = "done"});
  submit("b", {.idempotency_key = "owed"});

  restart({{testing::slow(1s)}});

  EXPECT_THAT(text_of(submit("a", {.idempotency_key = "done"})->error),
              HasSubstr("already_acknowledged"));
  const auto joined = submit("b", {.idempotency_key = "owed"});
  time.advance(1s);
  EXPECT_EQ(joined->value, "b");
  EXPECT_THAT(danger.texts(), ElementsAre("b")) << "it was one delivery";
}

// -- bounds ---------------------------------------------------------------------------------------

class JoinedSubmissions : public DurableTest {
protected:
  static SenderOptions holding(std::size_t capacity) {
    auto options = default_options();
    options.capacity = capacity;
    return options;
  }

  // Submits by a plain send of an actor, which would get the answer.
  void send_once() {
    time.keep(time.system().spawn<Caller>([this](caf::event_based_actor* self) {
      auto how = once;
      how.message = caf::make_message(std::string{"a"});
      self->send(sender, how);
    }));
    time.run();
  }

  void submit_anonymously() {
    auto how = once;
    how.message = caf::make_message(std::string{"a"});
    tell(how);
  }

  std::vector<Refusal> refusals() const {
    std::vector<Refusal> result;
    for (const auto& x : log.all<event::NotAccepted>())
      result.push_back(x.refusal);
    return result;
  }
};

TEST_F(JoinedSubmissions, by_plain_sends_count_if_somebody_waits_for_the_answer) {
  start({{testing::slow(1s)}}, holding(2));
  send_once();
  for (int i = 0; i < 3; ++i)
    send_once();
  for (int i = 0; i < 3; ++i)
    submit_anonymously();

  EXPECT_EQ(status().counters.refused, 2u);
  EXPECT_EQ(refusals().size(), 2u);
}

TEST_F(JoinedSubmissions, that_wait_for_acceptance_count_until_it_is_stored) {
  auto slow = durable_options();
  slow.max_wait = 1s;
  outbox = {store, durable<std::string>(), slow};
  start({{testing::silence()}}, with(outbox, holding(2)));
  const auto first = submit_durably("a", once);
  const auto second = submit_durably("a", once);
  EXPECT_THAT(text_of(submit_durably("a", once)->error), HasSubstr("outbox_full"));
  time.advance(1s);
  EXPECT_EQ(second->value->id, 1u);

  EXPECT_EQ(submit_durably("a", once)->value->id, 1u) << "answered at once, it takes up nothing";
  EXPECT_FALSE(submit("a", once)->is_ready());
  EXPECT_THAT(text_of(submit("a", once)->error), HasSubstr("outbox_full"));
}

TEST_F(JoinedSubmissions, drop_nothing_and_make_room_with_the_delivery_that_is_dropped) {
  auto options = holding(3);
  options.max_in_flight = 1;
  options.rare.overflow = Overflow::drop_oldest;
  start({{testing::silence()}}, options);
  submit("held by the child");
  const auto first = submit("a", once);
  const auto second = submit("a", once);
  EXPECT_THAT(text_of(submit("a", once)->error), HasSubstr("outbox_full"));
  EXPECT_FALSE(first->is_ready());

  EXPECT_FALSE(submit("b")->is_ready());
  EXPECT_THAT(text_of(first->error), HasSubstr("dropped"));
  EXPECT_THAT(text_of(second->error), HasSubstr("dropped"));
  EXPECT_FALSE(submit("c")->is_ready()) << "there is room for one more";
  EXPECT_EQ(status().counters.dead_lettered, 1u);
}

TEST_F(JoinedSubmissions, are_no_reason_to_drop_what_a_child_holds) {
  auto options = holding(2);
  options.rare.overflow = Overflow::drop_oldest;
  start({{testing::slow(1s)}}, options);
  const auto first = submit("a", once);
  submit("a", once);

  EXPECT_THAT(text_of(submit("b")->error), HasSubstr("outbox_full"));
  time.advance(1s);
  EXPECT_EQ(first->value, "a");
}

TEST_F(JoinedSubmissions, weigh_nothing) {
  auto options = default_options();
  options.rare.capacity_bytes = 10;
  options.rare.weight_of = [](const caf::message&) { return std::size_t{10}; };
  start({{testing::slow(1s)}}, options);
  submit("a", once);
  const auto second = submit("a", once);
  time.advance(1s);

  EXPECT_EQ(second->value, "a");
}

} // namespace backoff_actor::actor_test
