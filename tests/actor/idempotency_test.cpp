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
  options.idempotency_retention = 10min;
  start({}, options);
  EXPECT_EQ(submit("a", once)->value, "a");
  time.advance(10min);

  EXPECT_EQ(text_of(submit("a", once)->error),
            "already_acknowledged: a delivery with this idempotency key was acknowledged before");
  EXPECT_EQ(status().counters.refused, 1u);
  time.advance(1ns);
  EXPECT_EQ(submit("b", once)->value, "b");
}

TEST_F(Idempotency, a_key_that_was_given_up_may_be_submitted_again) {
  auto options = default_options();
  options.max_attempts = 1;
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

TEST_F(Idempotency, whoever_joins_before_it_is_stored_learns_of_it_when_it_is) {
  auto slow = durable_options();
  slow.max_wait = 1s;
  outbox = {store, durable<std::string>(), slow};
  start({{testing::silence()}}, with(outbox));
  const auto first = submit_durably("a", once);
  const auto second = submit_durably("a", once);
  EXPECT_FALSE(first->value || second->value);
  time.advance(1s);

  EXPECT_EQ(first->value->id, 1u);
  EXPECT_EQ(second->value->id, 1u);
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

TEST_F(Idempotency, keys_are_forgotten_in_the_store_too) {
  auto options = default_options();
  options.idempotency_retention = 1min;
  start_durable({}, options);
  submit("a", once);
  time.advance(2min);
  submit("b", {.idempotency_key = "another"});

  std::vector<std::string> keys;
  store->for_each_acknowledged_key(
    [&](const AcknowledgedKey& x) { keys.push_back(x.idempotency_key); });
  EXPECT_EQ(keys, Strings{"another"});
}

TEST_F(Idempotency, is_not_promised_where_nothing_is_tracked) {
  auto options = default_options();
  options.delivery = Guarantee::at_most_once;
  start({}, options);

  EXPECT_THAT(text_of(submit("a", once)->error),
              HasSubstr("idempotency_key: got 'order 7', allowed nothing, for delivery is "
                        "at_most_once"));
}

TEST_F(Idempotency, the_retention_is_above_zero) {
  auto options = default_options();
  options.idempotency_retention = 0ns;

  EXPECT_EQ(to_string(check(options)), "idempotency_retention: got 0ns, allowed more than 0ns");
}

} // namespace backoff_actor::actor_test
