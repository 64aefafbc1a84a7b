#include "engine_driver.hpp"

#include "backoff_actor/testing/record/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

input::Submit weighing(std::uint32_t weight) {
  input::Submit result;
  result.weight = weight;
  return result;
}

// -- who joined ----------------------------------------------------------------

TEST(sender_bounds, whoever_joins_a_delivery_counts_until_that_ends) {
  testing::EventLog log;
  EngineDriver sender{{.capacity = 3, .on_event = log.hook()}};
  sender.start();
  sender.submit();
  EXPECT_THAT(sender.take(input::Join{0, 1}), ElementsAre("join 1"));
  EXPECT_THAT(sender.take(input::Join{0, 1}), ElementsAre("join 1"));
  EXPECT_THAT(sender.take(input::Join{0, 1}), ElementsAre("refuse: full"));
  EXPECT_THAT(sender.submit(), ElementsAre("refuse: full"));
  EXPECT_EQ(log.count<event::NotAccepted>(), 2u);
  const auto status = sender.engine->status(sender.now);
  EXPECT_EQ(status.counters.refused, 2u);
  EXPECT_EQ(status.counters.accepted, 1u);
  EXPECT_EQ(status.owed, 1u) << "who joined is no delivery";
  sender.ack(1);

  EXPECT_THAT(sender.take(input::Join{0, 1}), IsEmpty()) << "it has ended";
  for (std::uint64_t i = 2; i <= 4; ++i)
    EXPECT_THAT(sender.submit(),
                ElementsAre("accept " + std::to_string(i), "hand over " + std::to_string(i)));
}

TEST(sender_bounds, whoever_joins_until_it_is_stored_counts_until_then) {
  EngineDriver sender{{.capacity = 2, .persist = true}};
  sender.start();
  sender.submit();
  EXPECT_THAT(sender.take(input::Join{0, 1, true}), ElementsAre("join 1 until it is stored"));
  EXPECT_THAT(sender.take(input::Join{0, 1}), ElementsAre("refuse: full"));
  sender.take(input::Persisted{0, 1});

  EXPECT_THAT(sender.take(input::Join{0, 1}), ElementsAre("join 1"));
  EXPECT_THAT(sender.take(input::Join{0, 1}), ElementsAre("refuse: full"));
}

TEST(sender_bounds, the_newest_is_dropped_for_those_who_joined) {
  EngineDriver sender{{.overflow = Overflow::drop_newest, .capacity = 2}};
  sender.start();
  sender.submit();
  sender.take(input::Join{0, 1});

  EXPECT_THAT(sender.take(input::Join{0, 1}), ElementsAre("refuse: full"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "dead letter 2 dropped"));
}

TEST(sender_bounds, whoever_joins_what_expires_with_the_child_counts_no_more) {
  EngineDriver sender{{.capacity = 2}};
  sender.start();
  sender.submit_within(50ms);
  sender.take(input::Join{0, 1});
  sender.wake_after(50ms);

  EXPECT_THAT(sender.take(input::Join{0, 1}), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "hand over 2"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 3", "hand over 3"));
}

TEST(sender_bounds, a_sender_that_was_stopped_refuses_who_joins) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.take(input::Stop{});

  EXPECT_THAT(sender.take(input::Join{0, 1}), ElementsAre("refuse: draining"));
}

// -- capacity -------------------------------------------------------------------

TEST(sender_bounds, refuses_what_comes_when_the_outbox_is_full) {
  EngineDriver sender{{.capacity = 2}};
  sender.start();
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.submit(), ElementsAre("refuse: full"));
  sender.ack(1);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 3", "hand over 3"));
  EXPECT_EQ(sender.engine->status(sender.now).counters.refused, 1u);
}

TEST(sender_bounds, drops_the_oldest_that_no_child_holds) {
  EngineDriver sender{{.overflow = Overflow::drop_oldest, .max_in_flight = 1, .capacity = 3}};
  sender.start();
  for (int i = 0; i < 3; ++i)
    sender.submit();

  EXPECT_THAT(sender.submit(), ElementsAre("dead letter 2 dropped", "accept 4"));
  EXPECT_THAT(sender.submit(), ElementsAre("dead letter 3 dropped", "accept 5"));
  EXPECT_EQ(sender.engine->owed(), 3u);
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 4"));
}

TEST(sender_bounds, drops_what_came_back_from_a_child_before_those_that_waited_behind_it) {
  EngineDriver sender{{.overflow = Overflow::drop_oldest, .max_in_flight = 1, .capacity = 3}};
  sender.start();
  for (int i = 0; i < 3; ++i)
    sender.submit();
  EXPECT_THAT(sender.submit(), ElementsAre("dead letter 2 dropped", "accept 4"));
  sender.crash();

  EXPECT_THAT(sender.submit(), ElementsAre("dead letter 1 dropped", "accept 5"));
  EXPECT_THAT(sender.submit(), ElementsAre("dead letter 3 dropped", "accept 6"));
}

TEST(sender_bounds, refuses_if_a_child_holds_everything) {
  EngineDriver sender{{.overflow = Overflow::drop_oldest, .capacity = 2}};
  sender.start();
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.submit(), ElementsAre("refuse: full"));
}

TEST(sender_bounds, drops_the_newest_as_a_dead_letter) {
  EngineDriver sender{{.overflow = Overflow::drop_newest, .capacity = 1}};
  sender.start();
  sender.submit();

  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "dead letter 2 dropped"));
  EXPECT_EQ(sender.engine->status(sender.now).counters.accepted, 2u);
  EXPECT_EQ(sender.engine->status(sender.now).counters.refused, 0u);
  EXPECT_EQ(sender.engine->status(sender.now).counters.dead_lettered, 1u);
}

TEST(sender_bounds, drops_nothing_for_one_that_is_past_its_deadline) {
  EngineDriver sender{{.overflow = Overflow::drop_oldest, .max_in_flight = 1, .capacity = 2}};
  sender.start();
  sender.submit();
  sender.submit();

  EXPECT_THAT(sender.take(input::Submit{.deadline = Instant{}}),
              ElementsAre("accept 3", "dead letter 3 expired"));
}

// -- bytes ----------------------------------------------------------------------

TEST(sender_bounds, counts_bytes_as_well) {
  EngineDriver sender{{.capacity_bytes = 100}};
  sender.start();
  sender.take(weighing(60));
  sender.take(weighing(40));

  EXPECT_THAT(sender.take(weighing(1)), ElementsAre("refuse: full"));
  EXPECT_EQ(sender.engine->status(sender.now).owed_bytes, 100u);
  sender.ack(2);
  EXPECT_THAT(sender.take(weighing(40)), ElementsAre("accept 3", "hand over 3"));
}

TEST(sender_bounds, drops_as_many_as_the_newcomer_needs) {
  EngineDriver sender{
    {.overflow = Overflow::drop_oldest, .max_in_flight = 1, .capacity_bytes = 100}};
  sender.start();
  for (int i = 0; i < 4; ++i)
    sender.take(weighing(25));

  EXPECT_THAT(sender.take(weighing(50)),
              ElementsAre("dead letter 2 dropped", "dead letter 3 dropped", "accept 5"));
}

TEST(sender_bounds, drops_nothing_for_a_newcomer_that_would_not_fit_even_so) {
  EngineDriver sender{
    {.overflow = Overflow::drop_oldest, .max_in_flight = 1, .capacity_bytes = 100}};
  sender.start();
  sender.take(weighing(60));
  sender.take(weighing(20));

  EXPECT_THAT(sender.take(weighing(50)), ElementsAre("refuse: full"));
  EXPECT_EQ(sender.engine->owed(), 2u);
}

TEST(sender_bounds, what_cannot_be_weighed_is_refused_and_counted) {
  testing::EventLog log;
  EngineDriver sender{{.on_event = log.hook()}};
  sender.start();

  EXPECT_THAT(sender.take(input::Submit{.refused = Refusal::unusable}),
              ElementsAre("refuse: unusable"));
  EXPECT_EQ(log.count<event::NotAccepted>(), 1u);
  EXPECT_EQ(sender.engine->status(sender.now).counters.refused, 1u);
}

// -- deadlines -------------------------------------------------------------------

TEST(sender_bounds, a_delivery_whose_deadline_passes_while_it_waits_is_given_up) {
  EngineDriver sender{{.max_in_flight = 1}};
  sender.start();
  sender.submit();
  EXPECT_THAT(sender.take(input::Submit{.deadline = Instant{50ms}}),
              ElementsAre("accept 2", "wake at 50ms"));
  sender.submit();

  EXPECT_THAT(sender.wake_after(50ms), ElementsAre("dead letter 2 expired"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "hand over 3"));
}

TEST(sender_bounds, is_not_handed_over_past_its_deadline_though_nobody_woke_the_sender) {
  EngineDriver sender{{.max_in_flight = 1}};
  sender.start();
  sender.submit();
  sender.take(input::Submit{.deadline = Instant{50ms}});
  sender.now = Instant{50ms};

  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "dead letter 2 expired"));
}

TEST(sender_bounds, an_answer_after_the_deadline_finds_nobody) {
  testing::EventLog log;
  EngineDriver sender{{.on_event = log.hook()}};
  sender.start();
  sender.take(input::Submit{.deadline = Instant{50ms}});
  sender.wake_after(50ms);

  EXPECT_EQ(sender.engine->status(sender.now).ghosts, 1u);

  EXPECT_THAT(sender.ack(1), IsEmpty());
  EXPECT_EQ(sender.engine->status(sender.now).ghosts, 0u);
  EXPECT_EQ(log.count<event::UnknownAcknowledgement>(), 1u);
  EXPECT_EQ(log.count<event::Acknowledged>(), 0u);
  EXPECT_EQ(sender.engine->status(sender.now).counters.late_answers, 1u);
}

TEST(sender_bounds, deadlines_run_on_while_the_child_is_down_or_the_sender_pauses) {
  EngineDriver sender{{.restart = RestartTiming::at_tick}};
  sender.start();
  sender.take(input::Submit{.deadline = Instant{5ms}});
  sender.crash();
  sender.take(input::Pause{});

  EXPECT_THAT(sender.wake_after(5ms), ElementsAre("dead letter 1 expired", "wake at 10ms"));
}

} // namespace backoff_actor::engine_test
