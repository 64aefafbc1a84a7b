// Workers that answer what an HTTP service answered them.

#include "fixture.hpp"

#include <caf/sec.hpp>

#include <deque>

namespace backoff_actor::actor_test {

class HttpAnswers : public SenderTest {
protected:
  /// What the service answers, call by call; then 200.
  std::deque<HttpAnswer> answers;
  std::vector<Duration> calls;

  void start_caller(SenderOptions options = default_options()) {
    began = time.now();
    start_with(
      [this](caf::event_based_actor* self) {
        return self->spawn<Behaving>([this](caf::event_based_actor*) -> caf::behavior {
          return {[this](const std::string& text) -> caf::result<std::string> {
            if (auto error = error_of_http(call()))
              return error;
            return text + " done";
          }};
        });
      },
      std::move(options));
  }

  HttpAnswer call() {
    calls.push_back(time.now() - began);
    if (answers.empty())
      return answer_of_http(200);
    const auto answer = answers.front();
    answers.pop_front();
    return answer;
  }

  Instant began;
};

TEST_F(HttpAnswers, that_say_when_to_come_back_are_followed_to_the_nanosecond) {
  answers = {answer_of_http(503, 30s, "down"), answer_of_http(429, 2s)};
  start_caller();
  const auto answer = ask("a");
  time.advance(32s);

  EXPECT_EQ(answer->value, "a done");
  EXPECT_EQ(calls, (std::vector<Duration>{0s, 30s, 32s}));
  EXPECT_EQ(crashes(), 0u);
}

TEST_F(HttpAnswers, that_do_not_say_when_leave_it_to_the_backoff) {
  answers = {answer_of_http(500), answer_of_http(401), answer_of_http(0, {}, "timeout")};
  start_caller();
  const auto answer = ask("a");
  time.advance(110ms);

  EXPECT_EQ(answer->value, "a done");
  EXPECT_EQ(calls, (std::vector<Duration>{0ms, 10ms, 40ms, 110ms}));
  EXPECT_EQ(crashes(), 0u);
}

TEST_F(HttpAnswers, that_are_final_make_dead_letters_with_the_text_of_the_service) {
  answers = {answer_of_http(422, {}, "no such card")};
  start_caller();
  const auto a = ask("a");
  const auto b = ask("b");

  EXPECT_EQ(text_of(a->error), text_of(caf::make_error(caf::sec::unexpected_message,
                                                       std::string{"HTTP 422: no such card"})));
  EXPECT_EQ(b->value, "b done");
  ASSERT_EQ(log.count<event::DeadLettered>(), 1u);
  EXPECT_EQ(log.all<event::DeadLettered>()[0].reason, DeadLetterReason::rejected);
  EXPECT_THAT(log.all<event::DeadLettered>()[0].cause.text, HasSubstr("HTTP 422: no such card"));
}

TEST_F(HttpAnswers, that_ask_for_more_than_the_ceiling_make_dead_letters_unless_all_messages_wait) {
  answers = {answer_of_http(503, 1h), answer_of_http(200), answer_of_http(423, 1h)};
  start_caller();
  const auto down = ask("a");
  time.advance(5min);
  const auto locked = ask("b");

  EXPECT_TRUE(down->value) << "the wait for a service that is down is cut to the ceiling";
  ASSERT_EQ(log.count<event::DeadLettered>(), 1u);
  EXPECT_EQ(log.all<event::DeadLettered>()[0].reason, DeadLetterReason::retry_after_too_long);
  EXPECT_EQ(log.all<event::DeadLettered>()[0].delivery, 2u);
}

TEST_F(HttpAnswers, may_be_given_by_a_worker_that_acknowledges_explicitly) {
  answers = {answer_of_http(503, 2s), answer_of_http(200), answer_of_http(404)};
  start_hand_made([this](auto*, const TrackedMsg& delivery) {
    const auto answer = call();
    const auto error = error_of_http(answer);
    return answer.is_done() ? caf::make_message(sent(delivery, std::string{"ok"}))
           : answer.outcome == HttpOutcome::refused ? caf::make_message(Reject{delivery.id, error})
                                                    : caf::make_message(Nack{delivery.id, error});
  });
  const auto a = ask("a");
  EXPECT_FALSE(a->is_ready());
  time.advance(2s);
  const auto b = ask("b");

  EXPECT_EQ(a->value, "ok");
  EXPECT_THAT(text_of(b->error), HasSubstr("HTTP 404"));
}

TEST(ErrorOfHttp, is_assessed_as_the_answer_is) {
  EXPECT_FALSE(error_of_http(answer_of_http(204)));
  const auto later = error_of_http(answer_of_http(503, 30s));
  EXPECT_EQ(assess_error(later).kind, Assessment::Kind::retryable);
  EXPECT_EQ(retry_after_of(later), 30s);
  EXPECT_EQ(retry_after_of(error_of_http(answer_of_http(500))), 0s);
  EXPECT_EQ(blame_of(later), Blame::service);
  EXPECT_EQ(blame_of(error_of_http(answer_of_http(500))), Blame::unknown);
  const auto refused = error_of_http(answer_of_http(404));
  EXPECT_EQ(assess_error(refused).kind, Assessment::Kind::final);
  EXPECT_EQ(retry_after_of(refused), std::nullopt);
}

namespace {

// What the how-to shows: five retries, full jitter, a cap of ten minutes, Retry-After obeyed.
SenderOptions as_celery(SenderOptions options) {
  // [celery_sender]
  options.backoff = like("celery");
  options.backoff_by = BackoffBy::message;      // a job that fails waits alone
  options.ordering = Ordering::unordered;       // and the others go on
  options.max_attempts = 6;                     // max_retries=5
  options.charging = Charging::every_failure(); // an outage uses them up, too
  options.retry_after = RetryAfterReading::up_to(10min);
  // [celery_sender]
  return options;
}

// In Celery, no failure is the service's fault.
HttpAnswer charged(HttpAnswer answer) {
  // [celery_charges]
  if (answer.speaks_of == HttpSubject::service)
    answer.speaks_of = HttpSubject::either;
  // [celery_charges]
  return answer;
}

} // namespace

class CeleryTask : public HttpAnswers {
protected:
  void start_task() { start_caller(as_celery(default_options())); }

  DeadLetterReason reason_of_end() {
    return log.count<event::DeadLettered>() == 1 ? log.all<event::DeadLettered>()[0].reason
                                                 : DeadLetterReason{};
  }

  // The service gives this answer for ever.
  void expect_six_calls_if_each_gets(const HttpAnswer& one) {
    answers.assign(100, one);
    start_task();
    const auto answer = ask("a");
    time.advance(1h);

    EXPECT_EQ(calls.size(), 6u);
    EXPECT_EQ(reason_of_end(), DeadLetterReason::attempts_exhausted);
    EXPECT_TRUE(answer->error);
  }
};

TEST_F(CeleryTask, is_given_up_after_five_retries_in_whole_seconds) {
  expect_six_calls_if_each_gets(answer_of_http(500));

  for (const auto at : calls)
    EXPECT_EQ(at % 1s, 0s);
  EXPECT_LE(calls.back(), 31s) << "1 + 2 + 4 + 8 + 16";
}

TEST_F(CeleryTask, is_kept_while_the_worker_blames_the_service) {
  answers.assign(1000, answer_of_http(503));
  start_task();
  const auto answer = ask("a");
  time.advance(1h);

  EXPECT_GT(calls.size(), 6u);
  EXPECT_EQ(log.count<event::DeadLettered>(), 0u);
  EXPECT_FALSE(answer->error);
}

TEST_F(CeleryTask, is_given_up_after_five_retries_of_a_service_that_is_down_if_nobody_blames_it) {
  expect_six_calls_if_each_gets(charged(answer_of_http(503)));
}

TEST_F(CeleryTask, waits_as_long_as_the_service_asks_and_is_given_up_if_it_asks_for_more) {
  answers = {charged(answer_of_http(429, 10min)), charged(answer_of_http(429, 601s))};
  start_task();
  const auto answer = ask("a");
  time.advance(1h);

  EXPECT_EQ(calls, (std::vector<Duration>{0s, 10min}));
  EXPECT_EQ(reason_of_end(), DeadLetterReason::retry_after_too_long);
  EXPECT_TRUE(answer->error);
}

} // namespace backoff_actor::actor_test
