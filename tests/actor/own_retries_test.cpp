// `Submit::retries`: how one message is retried, in memory and in a durable outbox.

#include "durable_fixture.hpp"

namespace backoff_actor::actor_test {

class OwnRetriesTest : public DurableTest {
protected:
  static SenderOptions unordered() {
    auto options = default_options();
    options.ordering = Ordering::unordered;
    options.charging = Charging::every_failure();
    return options;
  }

  std::shared_ptr<testing::Answer<std::string>> submit_with(const std::string& text,
                                                            const std::string& retries) {
    return submit(text, {.retries = retries});
  }
};

TEST_F(OwnRetriesTest, limit_how_often_this_message_is_tried_and_no_other) {
  start({testing::times(9, testing::crash())}, unordered());
  const auto limited = submit_with("a", "max_attempts 2");
  time.advance(1min);
  EXPECT_EQ(crashes(), 2u);
  EXPECT_EQ(text_of(limited->error).substr(0, 18), "attempts_exhausted");

  const auto other = ask("b");
  time.advance(1min);

  EXPECT_EQ(crashes(), 9u);
  EXPECT_EQ(other->value, "b");
}

TEST_F(OwnRetriesTest, say_how_long_this_message_waits) {
  start({testing::times(3, testing::crash())}, unordered());
  const auto answer = submit_with("a", "backoff fixed(5s)");
  for (std::size_t failures = 1; failures <= 3; ++failures) {
    time.advance(5s - 1ns);
    EXPECT_EQ(crashes(), failures);
    time.advance(1ns);
  }
  EXPECT_EQ(answer->value, "a");
  const auto delays = log.all<event::RetryScheduled>();
  ASSERT_EQ(delays.size(), 3u);
  EXPECT_EQ(delays.at(0).delivery, 1u);
  EXPECT_EQ(delays.at(2).delay, 5s);
}

TEST_F(OwnRetriesTest, that_cannot_be_read_are_refused_with_what_is_wrong) {
  start({}, unordered());
  EXPECT_THAT(text_of(submit_with("a", "max_attempts 0")->error),
              HasSubstr("max_attempts: got 0, allowed 1..1000000000"));
  EXPECT_THAT(text_of(submit_with("a", "backoff soon")->error), HasSubstr("soon"));
  EXPECT_EQ(status().counters.refused, 2u);
  EXPECT_EQ(status().owed, 0u);
}

TEST_F(OwnRetriesTest, go_with_a_letter_and_with_what_is_submitted_again) {
  auto options = unordered();
  std::vector<DeadLetter> letters;
  options.on_dead_letter = [&](const DeadLetter& letter) { letters.push_back(letter); };
  start({testing::times(1, testing::crash())}, options);
  submit_with("a", "max_attempts 1, backoff fixed(5s)");
  time.advance(1s);

  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters.at(0).retries, "max_attempts 1, backoff fixed(5s)");
  EXPECT_EQ(resubmit(letters.at(0)).retries, "max_attempts 1, backoff fixed(5s)");
}

TEST_F(OwnRetriesTest, outlive_the_process_in_a_durable_outbox) {
  start_durable({testing::times(1, testing::crash())}, unordered());
  submit_durably("a", {.retries = "max_attempts 3, backoff fixed(5s)"});
  time.advance(1s);
  kill_and_start({testing::times(9, testing::crash())}, unordered());
  time.advance(1ms);
  EXPECT_EQ(crashes(), 2u) << "one in each process";
  time.advance(5s - 1ms);
  EXPECT_EQ(crashes(), 3u);
  EXPECT_THAT(store->owed(), IsEmpty());
  const auto letters = outbox.dead_letters();
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters.at(0).attempts, 3u);
  EXPECT_EQ(letters.at(0).retries, "max_attempts 3, backoff fixed(5s)");
}

} // namespace backoff_actor::actor_test
