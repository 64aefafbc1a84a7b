#include "engine_driver.hpp"

#include "backoff_actor/testing/record/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Cause full{5, "no room on the disk"};

// -- stored -------------------------------------------------------------------------

TEST(sender_storing, does_not_hand_over_what_is_not_stored_nor_anything_behind_it) {
  EngineDriver sender{{.persist = true}};
  sender.start();
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1", "persist 1"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "persist 2"));

  EXPECT_THAT(sender.take(input::Persisted{1, 2}), ElementsAre("confirm 2"));
  EXPECT_THAT(sender.take(input::Persisted{0, 1}),
              ElementsAre("confirm 1", "hand over 1", "hand over 2"));
  EXPECT_THAT(sender.take(input::Persisted{0, 1}), IsEmpty()) << "the second time";
}

TEST(sender_storing, the_news_that_one_that_has_ended_is_stored_does_not_count_for_the_next) {
  EngineDriver sender{{.persist = true}};
  sender.start();
  sender.take(input::Submit{.deadline = Instant{10ms}});
  EXPECT_THAT(sender.wake_after(10ms), ElementsAre("dead letter 1 expired"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "persist 2")) << "in the slot of 1";

  EXPECT_THAT(sender.take(input::Persisted{0, 1}), IsEmpty());
  EXPECT_THAT(sender.take(input::NotPersisted{0, 1, full}), IsEmpty());
  EXPECT_THAT(sender.take(input::Persisted{0, 2}), ElementsAre("confirm 2", "hand over 2"));
}

TEST(sender_storing, a_number_that_the_driver_takes_is_no_deliverys) {
  EngineDriver sender{{.persist = true}};
  sender.start();
  EXPECT_EQ(sender.engine->take_number(), 1u);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "persist 2"));
  EXPECT_EQ(sender.engine->take_number(), 3u);
  EXPECT_THAT(sender.take(input::Persisted{0, 3}), IsEmpty());
  EXPECT_THAT(sender.submit(), ElementsAre("accept 4", "persist 4"));
  EXPECT_EQ(sender.engine->owed(), 2u);
}

TEST(sender_storing, what_is_given_up_at_once_is_stored_for_the_dead_letters) {
  EngineDriver sender{{.overflow = Overflow::drop_newest, .capacity = 1, .persist = true}};
  sender.start();
  EXPECT_THAT(sender.submit_within(0s),
              ElementsAre("accept 1", "persist 1", "dead letter 1 expired"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2", "persist 2"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 3", "persist 3", "dead letter 3 dropped"));
}

TEST(sender_storing, what_the_store_does_not_take_ends_and_what_is_behind_it_goes_on) {
  testing::EventLog log;
  EngineDriver sender{{.persist = true, .on_event = log.hook()}};
  sender.start();
  sender.submit();
  sender.submit();
  sender.take(input::Persisted{1, 2});

  EXPECT_THAT(sender.take(input::NotPersisted{0, 1, full}),
              ElementsAre("dead letter 1 not_stored", "hand over 2"));
  EXPECT_THAT(sender.take(input::NotPersisted{1, 2, full}), IsEmpty()) << "which is stored";
  EXPECT_EQ(sender.engine->owed(), 1U);
  const auto counters = sender.engine->status(sender.now).counters;
  EXPECT_EQ(counters.accepted, 1U);
  EXPECT_EQ(counters.refused, 1U);
  EXPECT_EQ(counters.dead_lettered, 0U);
  EXPECT_EQ(log.count<event::NotAccepted>(), 1U);
  EXPECT_EQ(log.count<event::DeadLettered>(), 0U);
}

TEST(sender_storing, what_is_stored_or_ends_before_is_accepted_then) {
  testing::EventLog log;
  EngineDriver sender{{.persist = true, .on_event = log.hook()}};
  sender.start();
  sender.submit();
  sender.submit_within(5ms);
  const auto status = [&] { return sender.engine->status(sender.now); };
  EXPECT_EQ(status().counters.accepted, 0U);
  EXPECT_EQ(status().unstored, 2U);
  sender.take(input::Persisted{0, 1});
  EXPECT_EQ(status().counters.accepted, 1U);
  EXPECT_EQ(status().unstored, 1U);
  sender.wake_after(5ms);
  EXPECT_EQ(status().counters.accepted, 2U) << "it is a dead letter in the store";
  EXPECT_EQ(status().counters.dead_lettered, 1U);
  EXPECT_EQ(status().unstored, 0U);
  EXPECT_EQ(log.count<event::Accepted>(), 2U);
}

// -- a store that fails ---------------------------------------------------------------

TEST(sender_storing, nothing_is_handed_over_while_the_store_is_behind) {
  testing::EventLog log;
  EngineDriver sender{{.persist = true, .on_event = log.hook()}};
  sender.start();
  sender.submit();
  sender.take(input::StoreBehind{true, full});
  EXPECT_THAT(sender.take(input::Persisted{0, 1}), ElementsAre("confirm 1"));
  EXPECT_TRUE(sender.engine->status(sender.now).is_store_behind);
  EXPECT_THAT(sender.take(input::StoreBehind{true, full}), IsEmpty()) << "the second time";

  EXPECT_THAT(sender.take(input::StoreBehind{false}), ElementsAre("hand over 1"));
  EXPECT_FALSE(sender.engine->status(sender.now).is_store_behind);
  EXPECT_EQ(log.count<event::StoreFellBehind>(), 1U);
  EXPECT_EQ(log.count<event::StoreCaughtUp>(), 1U);
}

TEST(sender_storing, a_store_that_is_slow_stops_hand_overs_without_an_event_until_it_fails) {
  testing::EventLog log;
  EngineDriver sender{{.persist = true, .on_event = log.hook()}};
  sender.start();
  sender.submit();
  sender.take(input::StoreBehind{true});
  EXPECT_THAT(sender.take(input::Persisted{0, 1}), ElementsAre("confirm 1"));
  EXPECT_TRUE(sender.engine->status(sender.now).is_store_behind);
  EXPECT_THAT(sender.take(input::StoreBehind{false}), ElementsAre("hand over 1"));
  EXPECT_EQ(log.count<event::StoreFellBehind>(), 0U);
  EXPECT_EQ(log.count<event::StoreCaughtUp>(), 0U);

  sender.take(input::StoreBehind{true});
  sender.take(input::StoreBehind{true, full});
  EXPECT_EQ(log.count<event::StoreFellBehind>(), 1U);
  sender.take(input::StoreBehind{true});
  EXPECT_EQ(log.count<event::StoreCaughtUp>(), 0U) << "it is behind, although it works again";
  sender.take(input::StoreBehind{false});
  EXPECT_EQ(log.count<event::StoreCaughtUp>(), 1U);
}

TEST(sender_storing, what_the_store_tells_is_an_event) {
  testing::EventLog log;
  EngineDriver sender{{.persist = true, .on_event = log.hook()}};
  sender.start();
  EXPECT_THAT(sender.take(input::StoreNotice{"others may read it"}), IsEmpty());
  ASSERT_EQ(log.count<event::StoreNotice>(), 1U);
  EXPECT_EQ(log.all<event::StoreNotice>()[0].text, "others may read it");
}

// -- hand-overs that are limited ------------------------------------------------------

TEST(sender_storing, what_the_process_ended_of_too_often_is_given_up_when_it_is_restored) {
  EngineDriver sender{{.persist = true, .max_hand_overs = 2}};
  EXPECT_THAT(sender.take(input::Restore{.delivery = 1, .hand_overs = 2}),
              ElementsAre("accept 1", "dead letter 1 hand_overs_exhausted"));
  EXPECT_THAT(sender.take(input::Restore{.delivery = 2, .hand_overs = 1}), ElementsAre("accept 2"));
  EXPECT_EQ(sender.engine->owed(), 1U);
}

TEST(sender_storing, what_the_process_ended_of_before_goes_alone) {
  EngineDriver sender{{.persist = true, .max_hand_overs = 2}};
  sender.take(input::Restore{.delivery = 1, .hand_overs = 1});
  sender.take(input::Restore{.delivery = 2, .hand_overs = 1});
  sender.take(input::Restore{.delivery = 3});
  sender.take(input::Start{3});
  EXPECT_THAT(sender.take(input::ChildStarted{1}), ElementsAre("hand over 1"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1", "give back 1", "hand over 2"));
}

TEST(sender_storing, what_the_process_ended_of_before_goes_alone_to_the_fallback_too) {
  EngineDriver sender{{.restart_limit = RestartLimit{0, 1s},
                       .has_fallback = true,
                       .persist = true,
                       .max_hand_overs = 2}};
  sender.take(input::Restore{.delivery = 1, .hand_overs = 1});
  sender.take(input::Restore{.delivery = 2});
  sender.take(input::Start{2});
  EXPECT_THAT(sender.take(input::ChildStarted{1}), ElementsAre("hand over 1"));
  sender.crash();
  EXPECT_THAT(sender.take(input::ChildStarted{2}), ElementsAre("hand over 1"));
}

TEST(sender_storing, without_that_limit_hand_overs_are_not_looked_at) {
  EngineDriver sender{{.persist = true}};
  sender.take(input::Restore{.delivery = 1, .hand_overs = 9});
  sender.take(input::Restore{.delivery = 2});
  sender.take(input::Start{2});
  EXPECT_THAT(sender.take(input::ChildStarted{1}), ElementsAre("hand over 1", "hand over 2"));
}

TEST(sender_storing, who_asked_is_told_when_no_child_has_a_delivery_any_more) {
  EngineDriver sender{{.persist = true, .max_hand_overs = 2}};
  sender.start();
  sender.submit();
  sender.take(input::Persisted{0, 1});
  EXPECT_THAT(sender.crash(), ::testing::Contains("give back 1"));
}

// -- attempts -----------------------------------------------------------------------

TEST(sender_storing, attempts_are_kept_where_the_delivery_stays_owed) {
  EngineDriver sender{{.max_attempts = 3, .charging = Charging::every_failure(), .persist = true}};
  sender.start();
  sender.submit();
  sender.take(input::Persisted{0, 1});

  EXPECT_THAT(sender.nack(1), ::testing::Contains("count 1 of 1"));
  sender.wake_after(1s);
  EXPECT_THAT(sender.crash(), ::testing::Contains("count 2 of 1"));
  sender.child_started();
  sender.wake_after(1s);
  const auto last = sender.crash();
  EXPECT_THAT(last, ::testing::Contains("dead letter 1 attempts_exhausted"));
  EXPECT_THAT(last, ::testing::Not(::testing::Contains("count 3 of 1")));
}

TEST(sender_storing, a_refusal_that_charges_nothing_keeps_nothing) {
  EngineDriver sender{{.persist = true}};
  sender.start();
  sender.submit();
  sender.take(input::Persisted{0, 1});

  EXPECT_THAT(sender.take(input::Nacked{sender.hand_overs.at(1).back(), full, {}, Blame::nobody}),
              ElementsAre("wake at 10ms"));
}

// -- the end ------------------------------------------------------------------------

TEST(sender_storing, what_is_stored_stays_owed_when_the_sender_ends) {
  testing::EventLog log;
  EngineDriver sender{{.persist = true, .on_event = log.hook()}};
  sender.start();
  sender.submit();
  sender.submit_within(5s);
  sender.submit();
  sender.take(input::Persisted{0, 1});
  sender.take(input::Persisted{1, 2});
  sender.nack(1);
  sender.now = Instant{1s};

  EXPECT_THAT(sender.take(input::Kill{}),
              ElementsAre("stop child 1", "suspend 1", "suspend 2", "dead letter 3 stopped"));
  ASSERT_EQ(sender.suspended.size(), 2U);
  EXPECT_EQ(sender.suspended[0].attempts, 1U);
  EXPECT_EQ(sender.suspended[0].submitted_at, Instant{});
  EXPECT_EQ(sender.suspended[0].deadline, Instant::never());
  EXPECT_EQ(sender.suspended[1].attempts, 0U);
  EXPECT_EQ(sender.suspended[1].deadline, Instant{5s});
  const auto counters = sender.engine->status(sender.now).counters;
  EXPECT_EQ(counters.suspended, 2U);
  EXPECT_EQ(counters.dead_lettered, 1U);
  EXPECT_THAT(sender.take(input::Persisted{2, 3}), IsEmpty());
}

TEST(sender_storing, what_stays_where_it_came_from_stays_owed_when_the_sender_ends) {
  testing::EventLog log;
  EngineDriver sender{{.persist = true, .on_event = log.hook()}};
  sender.start();
  EXPECT_THAT(sender.take(input::Submit{.deadline = Instant{5s}, .has_source = true}),
              ElementsAre("accept 1", "persist 1", "wake at 5s"));

  EXPECT_THAT(sender.take(input::Kill{}), ElementsAre("stop child 1", "suspend 1"));
  EXPECT_EQ(sender.suspended.at(0).deadline, Instant{5s});
  EXPECT_THAT(log.all<event::DeadLettered>(), IsEmpty());
  EXPECT_EQ(log.all<event::Accepted>().size(), 1U);
  EXPECT_EQ(log.all<event::Suspended>().size(), 1U);
  const auto counters = sender.engine->status(sender.now).counters;
  EXPECT_EQ(counters.accepted, 1U);
  EXPECT_EQ(counters.suspended, 1U);
  EXPECT_EQ(counters.dead_lettered, 0U);
}

TEST(sender_storing, what_nobody_can_read_is_a_dead_letter_and_is_handed_to_no_child) {
  EngineDriver sender{{.persist = true}};
  sender.start();
  EXPECT_THAT(sender.take(input::Unreadable{Cause{7, "no decoder"}}),
              ElementsAre("accept 1", "persist 1", "dead letter 1 unreadable"));
  EXPECT_THAT(sender.take(input::Persisted{0, 1}), IsEmpty());
  EXPECT_EQ(sender.engine->owed(), 0U);
}

TEST(sender_storing, what_is_stored_stays_owed_when_the_sender_gives_up) {
  EngineDriver sender{{.restart_limit = RestartLimit{0, 1s}, .persist = true}};
  sender.start();
  sender.submit();
  sender.take(input::Persisted{0, 1});

  EXPECT_THAT(sender.crash(), ElementsAre("count 1 of 1", "give up", "suspend 1"));
}

TEST(sender_storing, an_error_that_ends_the_sender_is_charged) {
  EngineDriver sender{{.persist = true}};
  sender.start();
  sender.submit();
  sender.take(input::Persisted{0, 1});

  EXPECT_THAT(sender.take(input::ChildDown{1, full, Verdict::give_up}),
              ElementsAre("count 1 of 1", "give up", "suspend 1"));
  EXPECT_EQ(sender.suspended.at(0).attempts, 1U);
}

TEST(sender_storing, an_error_answer_that_ends_the_sender_is_charged_before_it_ends) {
  EngineDriver sender{{.persist = true}};
  sender.start();
  sender.submit();
  sender.take(input::Persisted{0, 1});

  EXPECT_THAT(sender.take(input::ErrorAnswer{sender.hand_overs.at(1).back(), full, false, true,
                                             Verdict::give_up}),
              ElementsAre("hold 1", "count 1 of 1", "give up", "ask to end 1", "wake at 5s"));
  EXPECT_THAT(sender.stop_normally(), ElementsAre("suspend 1"));
}

// -- restored -----------------------------------------------------------------------

TEST(sender_storing, what_is_restored_is_handed_over_before_what_comes_new_and_numbered_before_it) {
  testing::EventLog log;
  EngineDriver sender{{.persist = true, .on_event = log.hook()}};
  EXPECT_THAT(sender.take(input::Restore{.delivery = 4}), ElementsAre("accept 4"));
  EXPECT_THAT(sender.take(input::Restore{.delivery = 9, .attempts = 2}), ElementsAre("accept 9"));
  EXPECT_THAT(sender.take(input::Start{12}), ElementsAre("start child 1"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 13", "persist 13"));

  EXPECT_THAT(sender.take(input::ChildStarted{1}), ElementsAre("hand over 4", "hand over 9"));
  const auto counters = sender.engine->status(sender.now).counters;
  EXPECT_EQ(counters.restored, 2U);
  EXPECT_EQ(counters.accepted, 0U) << "it is not stored yet";
}

TEST(sender_storing, numbers_go_on_where_nothing_is_owed_any_more) {
  EngineDriver sender{{.persist = true}};
  EXPECT_THAT(sender.take(input::Start{12}), ElementsAre("start child 1"));
  sender.take(input::ChildStarted{1});

  EXPECT_THAT(sender.submit(), ElementsAre("accept 13", "persist 13"));
}

TEST(sender_storing, attempts_age_and_deadline_go_on_where_they_were) {
  EngineDriver sender{{.max_attempts = 3, .charging = Charging::every_failure(), .persist = true}};
  sender.now = Instant{10s};
  sender.take(input::Restore{.delivery = 1, .attempts = 2, .submitted_at = Instant{-5s}});
  sender.take(input::Restore{.delivery = 2, .deadline = Instant{9s}});
  sender.take(input::Start{2});

  EXPECT_EQ(sender.engine->status(sender.now).oldest_age, 15s);
  EXPECT_THAT(sender.take(input::ChildStarted{1}),
              ElementsAre("hand over 1", "dead letter 2 expired"));
  EXPECT_THAT(sender.nack(1), ::testing::Contains("dead letter 1 attempts_exhausted"));
}

TEST(sender_storing, more_is_restored_than_would_be_accepted) {
  EngineDriver sender{{.capacity = 1, .persist = true}};
  sender.take(input::Restore{.delivery = 1});
  sender.take(input::Restore{.delivery = 2});
  sender.take(input::Start{2});

  EXPECT_EQ(sender.engine->owed(), 2U);
  EXPECT_THAT(sender.submit(), ElementsAre("refuse: full"));
}

TEST(sender_storing, what_is_out_of_order_is_not_restored) {
  EngineDriver sender{{.persist = true}};
  sender.take(input::Restore{.delivery = 2});

  EXPECT_THAT(sender.take(input::Restore{.delivery = 2}), IsEmpty());
  EXPECT_THAT(sender.take(input::Restore{.delivery = 1}), IsEmpty());
}

TEST(sender_storing, what_is_restored_after_the_child_has_stopped_for_want_of_work_is_worked_off) {
  EngineDriver sender{{.persist = true}};
  sender.start();
  EXPECT_THAT(sender.stop_normally(), IsEmpty());

  EXPECT_THAT(sender.take(input::Restore{.delivery = 1}), ElementsAre("accept 1", "start child 2"));
  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1"));
}

} // namespace backoff_actor::engine_test
