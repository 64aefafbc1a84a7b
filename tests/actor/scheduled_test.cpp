// `Submit::delay` and `Submit::not_before`: a message waits for its time, in memory and in a
// durable outbox.

#include "durable_fixture.hpp"

namespace backoff_actor::actor_test {

class ScheduledTest : public DurableTest {
protected:
  static SenderOptions unordered() {
    auto options = default_options();
    options.ordering = Ordering::unordered;
    return options;
  }

  std::shared_ptr<testing::Answer<std::string>> submit_for(const std::string& text,
                                                           Duration delay) {
    return submit(text, {.delay = delay});
  }
};

TEST_F(ScheduledTest, is_given_to_the_child_at_its_time_to_the_nanosecond) {
  start({}, unordered());
  const auto later = submit_for("later", 1h);
  EXPECT_EQ(ask("now")->value, "now");
  time.advance(1h - 1ns);
  EXPECT_FALSE(later->is_ready());
  EXPECT_EQ(status().scheduled, 1u);

  time.advance(1ns);

  EXPECT_EQ(later->value, "later");
  EXPECT_EQ(status().scheduled, 0u);
  const auto told = log.all<event::Scheduled>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.at(0).delivery, 1u);
  EXPECT_EQ(told.at(0).not_before - told.at(0).at, 1h);
}

TEST_F(ScheduledTest, may_live_as_long_from_its_time_as_it_says) {
  start({testing::times(9, testing::hang())}, unordered());
  const auto answer = submit("a", {.time_to_live = 10s, .delay = 1h});
  time.advance(1h + 10s - 1ns);
  EXPECT_FALSE(answer->is_ready());
  time.advance(1ns);
  EXPECT_EQ(text_of(answer->error).substr(0, 7), "expired");
}

TEST_F(ScheduledTest, goes_by_the_wall_clock_if_it_names_an_instant) {
  start_durable({}, unordered());
  const WallTime at{midnight + (time.now().since_origin + 2h).count()};
  const auto later = submit("later", {.not_before = at});
  const auto past = submit("past", {.not_before = WallTime{0}});
  EXPECT_EQ(past->value, "past");
  time.advance(2h - 1ns);
  EXPECT_FALSE(later->is_ready());
  time.advance(1ns);
  EXPECT_EQ(later->value, "later");
}

TEST_F(ScheduledTest, goes_by_the_clock_of_the_computer_in_memory) {
  start({}, unordered());
  const auto clock = std::chrono::system_clock::now().time_since_epoch();
  const auto later = submit("later", {.not_before = WallTime{Duration{clock + 1h}.count()}});
  EXPECT_EQ(submit("past", {.not_before = WallTime{1}})->value, "past");
  time.advance(59min);
  EXPECT_FALSE(later->is_ready());
  time.advance(1min);
  EXPECT_EQ(later->value, "later");
}

TEST_F(ScheduledTest, goes_by_the_clock_at_that_time_if_it_was_set_while_the_sender_ran) {
  start_durable({}, unordered());
  clock_step = 3h;
  const WallTime at{midnight + (time.now().since_origin + clock_step + 1h).count()};
  const auto later = submit("later", {.not_before = at});
  time.advance(1h - 1ns);
  EXPECT_FALSE(later->is_ready());
  time.advance(1ns);
  EXPECT_EQ(later->value, "later");
}

TEST_F(ScheduledTest, keeps_its_time_beside_retries_that_another_version_has_written) {
  start_durable({}, unordered());
  submit_durably("a", {.delay = 1h, .retries = "max_attempts 3"});
  StoredDelivery owed;
  store->for_each_owed([&](StoredDelivery x) { owed = std::move(x); });
  const std::string known = "retries: max_attempts 3";
  ASSERT_EQ(owed.context.substr(0, known.size()), known);
  owed.context.replace(0, known.size(), "retries: in the words of tomorrow");
  owed.id = 2;
  store->commit(std::vector<StoreChange>{change::Acknowledge{1, WallTime{midnight}},
                                         change::Insert{std::move(owed)}});
  kill_and_start({}, unordered());
  time.advance(1h - 1ns);
  EXPECT_EQ(status().scheduled, 1u);
  time.advance(1ns);
  EXPECT_EQ(status().scheduled, 0u);
}

TEST_F(ScheduledTest, is_refused_with_all_that_is_wrong) {
  start({}, unordered());
  EXPECT_THAT(text_of(submit_for("a", -5s)->error),
              HasSubstr("delay: got -5s, allowed 0ns and more"));
  const auto both = submit("a", {.delay = -1ns, .not_before = WallTime{7}});
  EXPECT_THAT(text_of(both->error), HasSubstr("delay: got -1ns, allowed 0ns and more"));
  EXPECT_THAT(text_of(both->error),
              HasSubstr("not_before: got one, and a delay, allowed one of the two"));
  EXPECT_EQ(status().counters.refused, 2u);
  EXPECT_EQ(status().owed, 0u);
}

TEST_F(ScheduledTest, keeps_its_time_in_a_durable_outbox) {
  start_durable({}, unordered());
  submit_durably("a", {.delay = 1h, .retries = "max_attempts 3"});
  time.advance(20min);
  kill_and_start({}, unordered());
  time.advance(40min - 1ns);
  EXPECT_EQ(status().scheduled, 1u);
  EXPECT_EQ(status().oldest_age, 0s);
  time.advance(1ns);
  EXPECT_EQ(status().owed, 0u);
  EXPECT_EQ(status().counters.acknowledged, 1u);
}

TEST_F(ScheduledTest, waits_no_longer_than_it_was_to_wait_if_the_clock_is_set_back) {
  start_durable({}, unordered());
  submit_durably("a", {.delay = 1h});
  clock_step = -2h;
  time.advance(30min);
  EXPECT_EQ(status().scheduled, 1u);
  kill_and_start({}, unordered());
  time.advance(1h - 1ns);
  EXPECT_EQ(status().scheduled, 1u);
  time.advance(1ns);
  EXPECT_EQ(status().scheduled, 0u);
}

TEST_F(ScheduledTest, costs_a_sender_that_is_told_to_stop_nothing) {
  start_durable({}, unordered());
  submit_durably("a", {.delay = 1h});
  restart({}, unordered());
  EXPECT_EQ(status().scheduled, 1u);
  time.advance(1h);
  EXPECT_EQ(status().counters.acknowledged, 1u);
}

// The next sender takes what is owed by number, whatever comes first by time.
TEST_F(ScheduledTest, lives_on_with_the_next_sender_of_the_process_in_whatever_order_they_are_due) {
  start_durable({}, unordered());
  submit_durably("a", {.delay = 2h});
  submit_durably("b", {.delay = 1h});
  restart({}, unordered());
  EXPECT_EQ(status().scheduled, 2u);
  time.advance(2h);
  EXPECT_THAT(danger.texts(), ElementsAre("b", "a"));
}

} // namespace backoff_actor::actor_test
