// Messages that kill their process: they come back until `max_hand_overs` is reached, and nobody
// else pays for them.

#include "durable_fixture.hpp"

namespace backoff_actor::actor_test {

class DurableHandOvers : public DurableTest {
protected:
  static SenderOptions limited(std::uint32_t most) {
    auto options = default_options();
    options.rare.max_hand_overs = most;
    return options;
  }

  std::vector<std::uint32_t> counts() const {
    std::vector<std::uint32_t> result;
    for (const auto id : store->owed())
      result.push_back(store->find(id)->hand_overs);
    return result;
  }
};

TEST_F(DurableHandOvers, are_counted_in_the_store_before_the_child_has_the_message) {
  auto options = durable_options();
  options.max_wait = 1s;
  outbox = {store, durable<std::string>(), options};
  start({{testing::silence()}}, with(outbox, limited(3)));
  ask("a");
  time.advance(1s);
  EXPECT_THAT(store->owed(), ElementsAre(1));
  EXPECT_THAT(danger.texts(), IsEmpty()) << "the count is not written yet";
  time.advance(1s);
  EXPECT_THAT(counts(), ElementsAre(1));
  EXPECT_EQ(danger.texts(), Strings{"a"});
}

TEST_F(DurableHandOvers, are_charged_only_while_a_child_has_the_message) {
  auto options = limited(3);
  options.backoff = Fixed{1s};
  start_durable({{testing::crash(), testing::silence()}}, options);
  ask("a");
  EXPECT_THAT(counts(), ElementsAre(0)) << "the child has crashed, the process lives";
  time.advance(1s);
  EXPECT_THAT(counts(), ElementsAre(1));

  kill_and_start({}, options);
  EXPECT_EQ(log.count<event::Acknowledged>(), 1u);
  EXPECT_THAT(store->owed(), IsEmpty());
}

TEST_F(DurableHandOvers, of_a_sender_that_ends_in_order_are_charged_to_nobody) {
  start_durable({{testing::silence()}}, limited(3));
  ask("a");
  EXPECT_THAT(counts(), ElementsAre(1));
  stop_sender();
  EXPECT_THAT(counts(), ElementsAre(0));
}

TEST_F(DurableHandOvers,
       of_a_message_that_kills_its_process_end_as_a_dead_letter_and_cost_no_other) {
  constexpr int behind = 10'000;
  const auto options = limited(3);
  const FaultPlan nothing_is_done{{testing::times(behind, testing::silence())}};
  start_durable(nothing_is_done, options);
  tell(Pause{});
  time.tell(sender, std::string{"poison"});
  for (int i = 0; i < behind; ++i)
    time.tell(sender, std::string{"a"});
  time.run();
  ASSERT_EQ(store->owed().size(), behind + 1u);
  tell(Resume{});
  time.run();
  EXPECT_EQ(danger.texts().front(), "poison");
  EXPECT_GT(danger.texts().size(), 1u) << "a child holds more than one";
  for (int life = 2; life <= 3; ++life) {
    kill_and_start(nothing_is_done, options);
    ASSERT_EQ(danger.texts(), Strings{"poison"}) << "alone in life " << life;
  }
  kill_and_start(nothing_is_done, options);

  EXPECT_EQ(store->find(1), std::nullopt);
  const auto letters = outbox.dead_letters();
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters[0].id, 1u);
  EXPECT_EQ(letters[0].reason, DeadLetterReason::hand_overs_exhausted);
  EXPECT_EQ(letters[0].cause, "the process ended 3 times while a child had it");

  kill_and_start({}, options);
  time.advance(1h);
  EXPECT_THAT(store->owed(), IsEmpty());
  EXPECT_EQ(outbox.dead_letters().size(), 1u);
}

TEST_F(DurableHandOvers, that_wait_for_their_count_end_with_the_deadline) {
  auto options = durable_options();
  options.max_wait = 1s;
  outbox = {store, durable<std::string>(), options};
  auto sender_options = limited(3);
  sender_options.max_in_flight = 1;
  start({}, with(outbox, sender_options));
  const auto late = submit("late", {.time_to_live = 1500ms});
  const auto next = ask("next");
  time.advance(10s);
  EXPECT_THAT(text_of(late->error), HasSubstr("expired"));
  EXPECT_EQ(danger.texts(), Strings{"next"});
  EXPECT_EQ(next->value, "next");
}

} // namespace backoff_actor::actor_test
