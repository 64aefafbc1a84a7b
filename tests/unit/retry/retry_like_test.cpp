#include "retry_fixture.hpp"

#include "backoff_actor/backoff/like.hpp"
#include "backoff_actor/core/unit_random.hpp"

namespace backoff_actor::retry_test {

namespace {

// Answers 429 and wishes for `wish`, as often as it is called.
struct Overloaded {
  Duration wish;

  Assessment operator()(const int&) const { return retryable_after(wish); }
};

// What the how-to shows: five retries, full jitter, a cap of ten minutes, Retry-After obeyed.
template <class Call>
RetryResult<int> call_as_celery(const Overloaded& assess, Call call, testing::VirtualClock& clock) {
  // [celery]
  const auto celery = like("celery");
  auto limits = celery.limits; // 4 attempts
  limits.max_attempts = 6;     // max_retries=5
  limits.retry_after = 10min;  // obey a Retry-After up to that, else give up
  const auto result = retry(celery.policy, limits, assess, call, clock);
  // [celery]
  return result;
}

} // namespace

TEST_F(retry_call, like_celery_waits_whole_seconds_and_gives_up_after_its_retries) {
  const auto result = call_as_celery(
    {0s}, [](const Attempt&) { return 429; }, clock);

  EXPECT_EQ(result.reason, GaveUp::attempts_exhausted);
  EXPECT_EQ(result.attempts, 6u);
  EXPECT_LE(clock.sleeps.size(), 5u) << "a wait of 0 s is no sleep";
  for (const auto sleep : clock.sleeps) {
    EXPECT_EQ(sleep % 1s, 0s);
    EXPECT_LE(sleep, 16s);
  }
}

TEST_F(retry_call, like_celery_waits_as_long_as_the_server_asked) {
  const auto result = call_as_celery(
    {10min}, [](const Attempt&) { return 429; }, clock);

  EXPECT_THAT(clock.sleeps, ElementsAre(10min, 10min, 10min, 10min, 10min));
  EXPECT_EQ(result.attempts, 6u);
}

TEST_F(retry_call, like_celery_gives_up_if_the_server_asks_for_more) {
  const auto result = call_as_celery(
    {601s}, [](const Attempt&) { return 429; }, clock);

  EXPECT_EQ(result.reason, GaveUp::retry_after_too_long);
  EXPECT_EQ(result.attempts, 1u);
}

} // namespace backoff_actor::retry_test
