// Requests that are made again, at exact instants of virtual time.

#include "retry_request_fixture.hpp"

#include <stdexcept>

namespace backoff_actor::actor_test {

// -- attempts and delays ----------------------------------------------------------------

TEST_F(RetryRequest, that_succeeds_at_once_is_one_attempt_without_a_delay) {
  const auto got = call(Fixed{100ms}, {});

  EXPECT_EQ(outcome(got), "answered after 0ns, 1 attempt");
  EXPECT_EQ(text_in(got), "job done");
  EXPECT_FALSE(got->reply->error);
  EXPECT_EQ(time.timers(), 0u);
  EXPECT_EQ(helpers(), 0u);
}

TEST_F(RetryRequest, tries_again_after_each_error_when_the_policy_says_and_no_nanosecond_earlier) {
  acts = {fails("1"), fails("2"), fails("3")};
  const auto got = call(Exponential{.first = 10ms, .factor = 2}, {});

  time.advance(70ms - 1ns);
  EXPECT_THAT(asked(), ElementsAre(0ms, 10ms, 30ms));
  time.advance(1ns);

  EXPECT_THAT(asked(), ElementsAre(0ms, 10ms, 30ms, 70ms));
  EXPECT_EQ(outcome(got), "answered after 70ms, 4 attempts");
  EXPECT_EQ(helpers(), 0u);
}

TEST_F(RetryRequest, with_a_delay_of_zero_neither_sets_a_timer_nor_recurses) {
  acts.assign(10'000, fails("no"));
  const auto got = call(Fixed{0ms}, {});

  EXPECT_EQ(outcome(got), "answered after 0ns, 10001 attempts");
  EXPECT_EQ(time.timers(), 0u);
}

TEST_F(RetryRequest, takes_a_silent_attempt_for_failed_at_its_timeout) {
  acts = {stays_silent()};
  const auto got = call(Fixed{10ms}, {.attempt_timeout = 50ms});
  time.advance(1h);

  EXPECT_THAT(asked(), ElementsAre(0ms, 60ms));
  EXPECT_EQ(outcome(got), "answered after 60ms, 2 attempts");
}

TEST_F(RetryRequest, does_not_take_a_late_answer_for_that_of_the_next_attempt) {
  acts = {answers_after(65ms, "late"), answers_after(20ms, "in time")};
  const auto got = call(Fixed{10ms}, {.attempt_timeout = 50ms});
  time.advance(1h);

  EXPECT_EQ(outcome(got), "answered after 80ms, 2 attempts");
  EXPECT_EQ(text_in(got), "in time");
}

TEST_F(RetryRequest, does_not_take_a_late_error_for_that_of_the_next_attempt) {
  acts = {fails_after(65ms), answers_after(20ms, "in time")};
  const auto got = call(Fixed{10ms}, {.attempt_timeout = 50ms});
  time.advance(1h);

  EXPECT_EQ(outcome(got), "answered after 80ms, 2 attempts");
}

// -- limits -------------------------------------------------------------------------------

TEST_F(RetryRequest, does_not_wait_for_a_retry_that_could_begin_only_when_the_time_is_over) {
  acts.assign(9, fails("no"));
  const auto got = call(Fixed{40ms}, {.max_elapsed = 100ms});
  time.advance(1h);

  EXPECT_THAT(asked(), ElementsAre(0ms, 40ms, 80ms));
  EXPECT_EQ(outcome(got), "out_of_time after 80ms, 3 attempts");
  EXPECT_EQ(got->at, 80ms);
}

TEST_F(RetryRequest, cuts_the_last_attempt_to_the_time_that_is_left) {
  acts = {fails("no"), fails("no"), stays_silent()};
  const auto got = call(Fixed{40ms}, {.max_elapsed = 100ms, .attempt_timeout = 50ms});
  time.advance(1h);

  EXPECT_EQ(outcome(got), "out_of_time after 100ms, 3 attempts");
  EXPECT_EQ(got->at, 100ms);
  EXPECT_TRUE(got->reply->error == caf::sec::request_timeout);
}

TEST_F(RetryRequest, does_not_begin_an_attempt_for_which_it_gets_the_floor_too_late) {
  acts = {fails("no")};
  const auto got = call(Fixed{90ms}, {.max_elapsed = 100ms});
  const auto helper = *last_sender;
  time.freeze(caf::actor_cast<caf::actor>(helper));
  time.advance(101ms);
  time.thaw(caf::actor_cast<caf::actor>(helper));
  time.run();

  EXPECT_THAT(asked(), ElementsAre(0ms));
  EXPECT_EQ(outcome(got), "out_of_time after 101ms, 1 attempt");
  EXPECT_THAT(error_in(got), HasSubstr("no"));
}

// -- what errors say ------------------------------------------------------------------------

TEST_F(RetryRequest, comes_no_earlier_than_an_error_asks_for) {
  acts = {asks_for(500ms), asks_for(5ms)};
  const auto got = call(Fixed{10ms}, {});
  time.advance(1h);

  EXPECT_THAT(asked(), ElementsAre(0ms, 500ms, 510ms));
  EXPECT_EQ(outcome(got), "answered after 510ms, 3 attempts");
}

TEST_F(RetryRequest, heeds_what_an_error_asks_for_whatever_form_the_predicate_has) {
  acts = {asks_for(500ms), asks_for(500ms), asks_for(500ms)};
  int calls = 0;
  const auto got = call(Fixed{10ms}, {}, [&](const caf::error&) {
    return ++calls == 2 ? retryable_after(20ms) : retryable;
  });
  time.advance(1h);
  EXPECT_THAT(asked(), ElementsAre(0ms, 500ms, 520ms, 1020ms)) << "what it says itself comes first";
  EXPECT_TRUE(got->reply->is_answered());

  acts = {asks_for(500ms)};
  const auto second = call(Fixed{10ms}, {}, [](const caf::error&) { return true; });
  time.advance(1h);
  EXPECT_EQ(outcome(second), "answered after 500ms, 2 attempts");
}

TEST_F(RetryRequest, waits_and_ends_as_the_class_of_its_error_says) {
  acts = {fails("1"), fails("2"), fails("3")};
  RetryRequestOptions options;
  options.policy = Fixed{10ms};
  options.limits.max_attempts = 10;
  options.predicate = [](const caf::error&) { return retryable_as("slow"); };
  options.by_reason = "slow: max_attempts 3, backoff linear(1s, +1s, cap 1min)";
  const auto got = call_with_options(options);
  time.advance(1h);

  EXPECT_THAT(asked(), ElementsAre(0s, 1s, 3s));
  EXPECT_EQ(got->reply->gave_up, GaveUp::attempts_exhausted);
}

TEST_F(RetryRequest, ends_at_an_error_that_the_predicate_calls_final) {
  for (const ErrorPredicate& predicate :
       {ErrorPredicate{[](const caf::error& x) { return x == caf::sec::request_timeout; }},
        ErrorPredicate{[](const caf::error& x) {
          return x == caf::sec::request_timeout ? retryable : not_retryable;
        }},
        ErrorPredicate{[](const caf::error& x) {
          return x == caf::sec::request_timeout ? retryable : success; // which an error cannot be
        }}}) {
    acts = {stays_silent(), asks_for(1ms)};
    const auto got = call(Fixed{10ms}, {.attempt_timeout = 50ms}, predicate);
    time.advance(1h);

    EXPECT_EQ(outcome(got), "not_retryable after 60ms, 2 attempts");
    EXPECT_TRUE(got->reply->error == caf::sec::runtime_error);
  }
}

TEST_F(RetryRequest, whose_predicate_throws_or_is_empty_is_assessed_by_default) {
  const std::function<bool(const caf::error&)> empty;
  for (const ErrorPredicate& predicate :
       {ErrorPredicate{[](const caf::error&) -> bool { throw std::runtime_error("no opinion"); }},
        ErrorPredicate{empty}, ErrorPredicate{std::function<Assessment(const caf::error&)>{}}}) {
    acts = {fails("no")};
    const auto got = call(Fixed{10ms}, {}, predicate);
    time.advance(1h);
    EXPECT_EQ(outcome(got), "answered after 10ms, 2 attempts");
  }
}

TEST_F(RetryRequest, that_the_target_does_not_understand_is_not_made_again) {
  const auto got = call_with(Fixed{10ms}, {}, {}, 1.5);

  EXPECT_EQ(outcome(got), "not_retryable after 0ns, 1 attempt");
  EXPECT_TRUE(got->reply->error == caf::sec::unexpected_message);
}

TEST_F(RetryRequest, error_by_default_is_final_for_what_cannot_get_better) {
  const auto kind = [](caf::error error) { return assess_error(error).kind; };
  using Kind = Assessment::Kind;
  EXPECT_EQ(kind(caf::make_error(caf::sec::unexpected_message)), Kind::final);
  EXPECT_EQ(kind(caf::make_error(caf::sec::unexpected_response)), Kind::final);
  EXPECT_EQ(kind(caf::make_error(caf::sec::request_receiver_down)), Kind::final);
  EXPECT_EQ(kind(retry_after(caf::sec::unexpected_message, 1s)), Kind::retryable);
  EXPECT_EQ(kind(caf::make_error(caf::sec::request_timeout)), Kind::retryable);
  EXPECT_EQ(kind(caf::make_error(caf::sec::runtime_error)), Kind::retryable);
  EXPECT_EQ(kind(make_error(SenderError::outbox_full)), Kind::retryable);
}

// -- arguments --------------------------------------------------------------------------------

TEST_F(RetryRequest, refuses_all_bad_arguments_together_before_anything_is_started) {
  const auto before = time.system().registry().running();
  Strings fields;
  time.keep(time.system().spawn<Caller>([&](caf::event_based_actor* self) {
    try {
      retry_request(self, caf::actor{}, Fixed{10ms}, {.max_elapsed = 0s, .attempt_timeout = -1ns},
                    {}, std::string{"job"});
    } catch (const InvalidArgument& refusal) {
      for (const auto& problem : refusal.problems().list())
        fields.push_back(problem.field);
    }
  }));
  time.run();

  EXPECT_THAT(fields, ElementsAre("limits.max_elapsed", "limits.attempt_timeout", "target"));
  EXPECT_EQ(time.system().registry().running(), before);
}

TEST_F(RetryRequest, draws_the_same_delays_from_the_same_seed_and_stream) {
  const auto delays = [&](std::optional<std::uint64_t> seed, std::optional<std::uint64_t> stream) {
    acts.assign(5, fails("no"));
    call_with_options({.policy = Fixed{1s} | full_jitter, .seed = seed, .stream = stream});
    time.advance(1h);
    return asked();
  };
  const auto first = delays(1, 2);
  EXPECT_EQ(first, delays(1, 2));
  EXPECT_NE(first, delays(1, 3));
  EXPECT_NE(first, delays(2, 2));
  EXPECT_NE(delays(1, {}), delays(1, {})) << "each call has a stream of its own";
  EXPECT_NE(delays({}, {}), delays({}, {}));
}

TEST_F(RetryRequest, makes_each_attempt_with_the_very_same_message) {
  acts = {fails("1"), fails("2")};
  call(Fixed{10ms}, {});
  time.advance(1h);

  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0], places[1]);
  EXPECT_EQ(places[0], places[2]);
}

TEST_F(RetryRequest, takes_a_message_that_is_ready) {
  const auto got = call_with(Fixed{10ms}, {}, {}, caf::make_message(std::string{"ready"}));
  EXPECT_EQ(text_in(got), "ready done");
}

} // namespace backoff_actor::actor_test
