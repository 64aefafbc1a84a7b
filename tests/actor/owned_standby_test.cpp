// What is submitted to a process that stands by: the owner does it.

#include "owned_fixture.hpp"

#include "backoff_actor/caf/offered/offer_workers.hpp"
#include "backoff_actor/caf/owned/internal/standby_hand.hpp"

#include <utility>

namespace backoff_actor::actor_test {

class OwnedStandby : public OwnedTest {
protected:
  static Submit submission(const std::string& text) {
    return {.message = caf::make_message(text), .answer_when_accepted = true};
  }

  std::shared_ptr<testing::Answer<Accepted>> submit_to(const Process& process, Submit x) {
    auto answer = time.ask<Accepted>(process.sender, std::move(x));
    time.run();
    return answer;
  }
};

TEST_F(OwnedStandby, a_submission_is_accepted_once_its_row_is_committed_and_the_owner_does_it) {
  const auto& a = start_process("node-a");
  const auto& b = start_process("node-b");

  const auto answer = submit_to(b, submission("x"));
  EXPECT_EQ(answer->get().id, 0u) << "the owner numbers the delivery";
  EXPECT_THAT(server.incoming(), ElementsAre(1u));
  time.advance(2s);

  EXPECT_THAT(a.danger.texts(), ElementsAre("x"));
  EXPECT_THAT(b.danger.texts(), IsEmpty());
  EXPECT_THAT(server.incoming(), IsEmpty());
}

// A process that offers workers asks one after the other.
TEST_F(OwnedStandby, offered_workers_are_refused_and_the_owner_takes_them_also_after_a_takeover) {
  auto options = default_options();
  options.ordering = Ordering::unordered;
  options.pool.workers = {0, 0};
  options.pool.offered.most = 8;
  const auto& a = start_process("node-a", {}, options);
  const auto& b = start_process("node-b", {}, options);
  const DangerousActor worker{FaultPlan{}};
  Strings notices_of_offer;
  const auto offer = offer_workers(
    time.system(),
    {.find_owner =
       [&, turn = 0](caf::event_based_actor*) mutable {
         return ++turn % 2 == 1 ? b.sender : a.sender;
       },
     .make_child = worker.factory(),
     .on_notice = [&](const std::string& text) { notices_of_offer.push_back(text); }});
  time.advance(1s);
  EXPECT_THAT(notices_of_offer, ElementsAre(HasSubstr("not_owner"), HasSubstr("has taken")));
  EXPECT_EQ(log.count<event::NotAccepted>(), 0u) << "no message was refused";
  const auto x = ask_process(a, "x");
  EXPECT_TRUE(x->value);
  EXPECT_THAT(worker.texts(), ElementsAre("x"));

  die("node-a");
  time.advance(8s); // the lease, and a look
  EXPECT_EQ(owner(), "node-b, epoch 2");
  EXPECT_TRUE(ask_process(b, "y")->value);
  EXPECT_THAT(worker.texts(), ElementsAre("x", "y"));
  time.tell(offer, Stop{});
  time.run();
}

TEST_F(OwnedStandby, a_submission_for_later_waits_for_its_time_at_the_owner_and_at_the_next_one) {
  const auto& a = start_process("node-a");
  const auto& b = start_process("node-b");
  auto later = submission("later");
  later.delay = 1h;
  later.time_to_live = 10s; // from its time
  EXPECT_TRUE(submit_to(b, later)->value);
  time.advance(30min);
  EXPECT_THAT(server.incoming(), IsEmpty()) << "it is a delivery of the owner";

  die("node-a");
  time.advance(30min - 1ns);
  EXPECT_EQ(owner(), "node-b, epoch 2");
  EXPECT_THAT(b.danger.texts(), IsEmpty());
  time.advance(1s);

  EXPECT_THAT(b.danger.texts(), ElementsAre("later"));
  EXPECT_THAT(a.danger.texts(), IsEmpty());
}

TEST_F(OwnedStandby, a_submission_with_a_delay_that_cannot_be_is_refused_with_what_is_wrong) {
  start_process("node-a");
  const auto& b = start_process("node-b");
  auto odd = submission("x");
  odd.delay = -1s;
  EXPECT_THAT(submit_to(b, odd)->error_text, HasSubstr("delay: got -1s, allowed 0ns and more"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

TEST_F(OwnedStandby, submissions_that_nobody_waits_for_are_handed_over_in_order) {
  const auto& a = start_process("node-a");
  const auto& b = start_process("node-b");
  for (const auto* text : {"1", "2", "3"})
    time.tell(b.sender, Submit{.message = caf::make_message(std::string{text})});
  time.advance(2s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("1", "2", "3"));
  EXPECT_THAT(log.of("node-b").all<event::NotAccepted>(), IsEmpty());
}

TEST_F(OwnedStandby, a_submission_that_wants_the_childs_answer_is_refused) {
  start_process("node-a");
  const auto& b = start_process("node-b");
  const auto answer =
    time.ask<std::string>(b.sender, Submit{.message = caf::make_message(std::string{"x"})});
  time.run();
  EXPECT_THAT(answer->error_text, HasSubstr("not_owner"));
  EXPECT_THAT(answer->error_text, HasSubstr("node-a owns memory"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

TEST_F(OwnedStandby, a_process_that_takes_over_does_what_it_has_handed_over_itself) {
  const auto& a = start_process("node-a");
  const auto& b = start_process("node-b");
  server.fail_commits(StoreFailure::unreachable);
  EXPECT_TRUE(submit_to(b, submission("x"))->value);
  time.advance(2s);
  EXPECT_THAT(a.danger.texts(), IsEmpty());

  die("node-a");
  server.fail_commits({});
  time.advance(3s);

  EXPECT_EQ(owner(), "node-b, epoch 2");
  EXPECT_THAT(b.danger.texts(), ElementsAre("x"));
  EXPECT_EQ(submit_to(b, submission("y"))->get().id, 2u) << "the owner's own number";
}

TEST_F(OwnedStandby, a_submission_keeps_its_keys_and_its_time_to_live) {
  auto options = default_options();
  options.max_in_flight = 1;
  const auto& a = start_process("node-a", {testing::slow(10s)}, options);
  const auto& b = start_process("node-b");
  auto twin = submission("twin");
  twin.idempotency_key = "once";
  twin.key = "customer";
  EXPECT_TRUE(submit_to(b, twin)->value);
  EXPECT_TRUE(submit_to(b, twin)->value);
  time.advance(2s);
  const auto owed = server.content()->find(1);
  ASSERT_TRUE(owed);
  EXPECT_EQ(owed->key, "customer");
  EXPECT_EQ(owed->idempotency_key, "once");

  auto late = submission("late");
  late.time_to_live = 3s;
  EXPECT_TRUE(submit_to(b, late)->value);
  time.advance(1min);
  EXPECT_THAT(a.danger.texts(), ElementsAre("twin"));
  const auto dead = log.of("node-a").all<event::DeadLettered>();
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].reason, DeadLetterReason::expired);
}

TEST_F(OwnedStandby, what_the_server_does_not_take_is_refused) {
  const auto& a = start_process("node-a");
  const auto& b = start_process("node-b");
  server.cut_off("node-b");
  const auto answer = submit_to(b, submission("x"));
  EXPECT_THAT(answer->error_text, HasSubstr("not_stored"));
  EXPECT_THAT(answer->error_text, HasSubstr("the server does not answer"));
  const auto events = log.of("node-b").all<event::NotAccepted>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].refusal, Refusal::not_stored);

  server.connect_again("node-b");
  EXPECT_TRUE(submit_to(b, submission("y"))->value);
  time.advance(2s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("y"));
}

// A message without parts has no type, and the server takes no such row.
TEST_F(OwnedStandby, one_message_that_the_server_refuses_is_no_reason_to_refuse_others) {
  const auto& a = start_process("node-a");
  const auto& b = start_process("node-b");
  const auto first = time.ask<Accepted>(b.sender, submission("1"));
  const auto empty =
    time.ask<Accepted>(b.sender, Submit{.message = caf::message{}, .answer_when_accepted = true});
  const auto last = time.ask<Accepted>(b.sender, submission("2"));
  time.run();
  EXPECT_TRUE(first->value);
  EXPECT_THAT(empty->error_text, HasSubstr("not_stored"));
  EXPECT_TRUE(last->value);
  time.advance(2s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("1", "2"));
}

TEST_F(OwnedStandby, a_message_that_cannot_be_stored_is_refused) {
  start_process("node-a");
  const auto& b = start_process("node-b");
  const auto answer =
    submit_to(b, Submit{.message = caf::make_message(1.5), .answer_when_accepted = true});
  EXPECT_THAT(answer->error_text, HasSubstr("not_storable"));
  EXPECT_THAT(server.incoming(), IsEmpty());
}

// Whichever process gets it.
TEST_F(OwnedStandby, a_key_that_is_no_text_is_refused_before_anything_is_sent) {
  const auto& a = start_process("node-a");
  const auto& b = start_process("node-b");
  for (const auto* const process : {&a, &b})
    for (const auto& bytes :
         {std::string{"M\xfcller"}, std::string{"a\0b", 3}, std::string{"\xe2\x82"}}) {
      auto keyed = submission("x");
      keyed.key = bytes;
      EXPECT_THAT(submit_to(*process, keyed)->error_text, HasSubstr("not_storable"));
      keyed.key = "";
      keyed.idempotency_key = bytes;
      EXPECT_THAT(submit_to(*process, keyed)->error_text, HasSubstr("idempotency_key: got \""));
    }
  EXPECT_THAT(server.incoming(), IsEmpty());
  auto keyed = submission("y");
  keyed.key = "M\xc3\xbcller \xf0\x9f\x98\x80";
  EXPECT_TRUE(submit_to(b, keyed)->value);
  time.advance(2s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("y"));
}

TEST_F(OwnedStandby, a_key_that_is_no_text_is_refused_although_the_options_have_made_it) {
  auto options = default_options();
  options.ordering = Ordering::per_key;
  options.rare.key_of = [](const caf::message&) { return std::string{"\xff"}; };
  const auto& a = start_process("node-a", {}, options);
  const auto& b = start_process("node-b", {}, options);
  for (const auto* const process : {&a, &b})
    EXPECT_THAT(submit_to(*process, submission("x"))->error_text,
                HasSubstr("key: got \"\xef\xbf\xbd\", allowed"));
}

TEST_F(OwnedStandby, what_waits_for_the_server_is_bounded_by_the_capacity) {
  start_process("node-a");
  auto options = default_options();
  options.capacity = 2;
  const auto& b = start_process("node-b", {}, options);
  for (auto i = 0; i < 100; ++i)
    time.tell(b.sender, submission(std::to_string(i)));
  time.run();
  const auto refused = log.of("node-b").all<event::NotAccepted>();
  EXPECT_EQ(server.incoming().size() + refused.size(), 100u);
  for (const auto& x : refused)
    EXPECT_EQ(x.refusal, Refusal::outbox_full);
  EXPECT_FALSE(refused.empty());
}

TEST_F(OwnedStandby, believes_no_stranger_what_became_of_its_outbox_or_its_rows) {
  start_process("node-a");
  const auto& b = start_process("node-b");
  MemoryServer other{[this] { return time.now(); }, 5s, "other"};
  const DurableOutbox foreign{other.store("node-c")->own(Duration::zero()), durable<std::string>(),
                              writing()};
  for (auto is_busy : {false, true}) {
    if (is_busy)
      time.tell(b.sender, submission("x"));
    time.tell(b.sender, LookedForOwnership{.outbox = foreign});
    time.tell(b.sender, LookedForOwnership{.failure = StoreFailure::full});
    time.tell(b.sender, RowsWritten{{std::nullopt, "lost"}});
    time.run();
  }
  EXPECT_EQ(owner(), "node-a, epoch 1");
  EXPECT_THAT(notices("node-b"), IsEmpty());
  EXPECT_THAT(server.incoming(), ElementsAre(1u));
  EXPECT_TRUE(submit_to(b, submission("y"))->value);
  die("node-a");
  time.advance(3s);
  EXPECT_EQ(owner(), "node-b, epoch 2");
  EXPECT_THAT(b.danger.texts(), ElementsAre("x", "y"));
}

TEST_F(OwnedStandby, what_waits_when_the_process_stops_is_still_handed_over) {
  const auto& a = start_process("node-a");
  const auto& b = start_process("node-b");
  time.tell(b.sender, submission("x"));
  time.tell(b.sender, Stop{});
  time.run();
  time.advance(2s);
  EXPECT_THAT(a.danger.texts(), ElementsAre("x"));
}

TEST_F(OwnedStandby,
       an_entry_of_a_calendar_is_refused_by_who_stands_by_and_passes_to_the_next_owner) {
  const auto& a = start_process("node-a");
  const auto& b = start_process("node-b");
  const Repeat entry{
    .name = "pulse", .schedule = "every(1h)", .message = caf::make_message(std::string{"pulse"})};
  const auto refused = time.ask<RepeatAnswer>(b.sender, entry);
  const auto put = time.ask<RepeatAnswer>(a.sender, entry);
  time.run();
  EXPECT_THAT(refused->error_text, HasSubstr("not_owner"));
  EXPECT_THAT(refused->error_text, HasSubstr("node-a"));
  ASSERT_TRUE(put->value);
  EXPECT_EQ(put->value->change, CalendarChange::added);
  time.advance(1h);
  EXPECT_THAT(a.danger.texts(), ElementsAre("pulse"));

  die("node-a");
  time.advance(1h);
  EXPECT_EQ(owner(), "node-b, epoch 2");
  EXPECT_THAT(b.danger.texts(), ElementsAre("pulse"));

  const auto cancelled =
    time.ask<CancelAnswer>(b.sender, Cancel{.idempotency_key = entry_key("pulse")});
  time.run();
  ASSERT_TRUE(cancelled->value);
  EXPECT_EQ(cancelled->value->found, CancelFound::waiting);
  EXPECT_THAT(server.content()->owed(), IsEmpty());
}

} // namespace backoff_actor::actor_test
