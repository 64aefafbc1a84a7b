// `Replace`: what clients, children and stores are told.

#include "durable_fixture.hpp"

namespace backoff_actor::actor_test {

class ReplaceTest : public DurableTest {
protected:
  static SenderOptions one_at_a_time() {
    auto options = default_options();
    options.max_in_flight = 1;
    return options;
  }

  std::shared_ptr<testing::Answer<std::string>> submit_as(const std::string& key) {
    return submit("old " + key, {.idempotency_key = key});
  }

  static Replace by_key(const std::string& key, const std::string& text) {
    return {.idempotency_key = key, .payload = caf::make_message(text)};
  }

  std::shared_ptr<testing::Answer<CancelAnswer>> replace(Replace what) {
    return time.ask<CancelAnswer>(sender, std::move(what));
  }

  std::string said(const std::shared_ptr<testing::Answer<CancelAnswer>>& answer) {
    if (!answer->is_ready())
      return "nothing yet";
    return answer->value ? std::string{to_string(answer->value->found)} : text_of(answer->error);
  }

  std::string found(Replace what) {
    const auto answer = replace(std::move(what));
    time.run();
    return said(answer);
  }

  std::string stored_text(std::uint64_t delivery) {
    const auto found = store->find(delivery);
    if (!found)
      return "none";
    const auto& bytes = found->message.bytes;
    const std::string all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (const auto* text : {"old", "newer", "new"})
      if (all.find(text) != all.npos)
        return text;
    return "another";
  }

  std::shared_ptr<testing::Answer<std::string>> submit_paused(const std::string& key = "a") {
    tell(Pause{});
    return submit_as(key);
  }
};

TEST_F(ReplaceTest, gives_the_child_the_new_payload_and_the_client_the_answer_to_it) {
  start({});
  const auto answer = submit_paused();
  const auto again = submit("again", {.idempotency_key = "a"});
  EXPECT_EQ(found(by_key("a", "new")), "waiting");
  tell(Resume{});
  EXPECT_THAT(danger.texts(), ElementsAre("new"));
  EXPECT_EQ(answer->value, "new");
  EXPECT_EQ(again->value, "new") << "who has joined";
  EXPECT_EQ(log.all<event::Replaced>().at(0).delivery, 1u);
}

TEST_F(ReplaceTest, changes_nothing_of_what_a_child_has) {
  auto options = one_at_a_time();
  options.ack_timeout = 1s;
  start({testing::hang()}, options);
  submit_as("a");
  submit_as("b");
  EXPECT_EQ(found(by_key("a", "new a")), "in_work");
  EXPECT_EQ(found(by_key("b", "new b")), "waiting");
  time.advance(1min);
  EXPECT_THAT(danger.texts(), ElementsAre("old a", "old a", "new b"));
}

TEST_F(ReplaceTest, says_what_was_done_before_and_what_is_not_known) {
  start({});
  submit_as("a");
  EXPECT_EQ(found(by_key("a", "new")), "done");
  EXPECT_EQ(found(by_key("never", "new")), "unknown");
  EXPECT_EQ(found({.delivery = 1, .payload = caf::make_message(1)}), "done");
  EXPECT_EQ(found({.delivery = 2, .payload = caf::make_message(1)}), "unknown");
  EXPECT_THAT(danger.texts(), ElementsAre("old a"));
}

TEST_F(ReplaceTest, finds_a_message_by_its_number) {
  start({});
  submit_paused();
  EXPECT_EQ(found({.delivery = 1, .payload = caf::make_message(std::string{"new"})}), "waiting");
  tell(Resume{});
  EXPECT_THAT(danger.texts(), ElementsAre("new"));
}

TEST_F(ReplaceTest, is_refused_if_it_names_no_message_or_two) {
  start({});
  EXPECT_THAT(found({}), HasSubstr("Replace: idempotency_key: got none, allowed one, or the"));
  EXPECT_THAT(found({"key", 7}), HasSubstr("and a delivery, allowed one, or the number of"));
}

TEST_F(ReplaceTest, refuses_a_payload_that_is_larger_than_the_outbox) {
  auto options = default_options();
  options.rare.capacity_bytes = 100;
  options.rare.weight_of = [](const caf::message& x) { return x.get_as<std::string>(0).size(); };
  start({}, options);
  submit_paused();
  submit_as("b");
  EXPECT_THAT(found(by_key("a", std::string(101, 'x'))),
              HasSubstr("Replace: payload: got one that weighs 101, allowed 0..100"));
  EXPECT_THAT(found(by_key("a", std::string(96, 'x'))), HasSubstr("outbox_full"));
  EXPECT_EQ(found(by_key("a", std::string(95, 'x'))), "waiting");
  EXPECT_EQ(status().owed_bytes, 100u);
}

TEST_F(ReplaceTest, lets_the_message_keep_its_key_and_its_place) {
  start({}, one_at_a_time());
  submit_paused("a");
  submit_as("b");
  found(by_key("a", "new"));
  tell(Resume{});
  EXPECT_THAT(danger.texts(), ElementsAre("new", "old b"));
  EXPECT_EQ(found(by_key("a", "newer")), "done");
}

// -- with a durable outbox ----------------------------------------------------------------------

TEST_F(ReplaceTest, lets_no_child_have_the_new_payload_before_it_is_stored) {
  Strings had;
  outbox = open(store);
  start_hand_made(
    [&](caf::event_based_actor*, const TrackedMsg& x) {
      had.push_back(x.payload.get_as<std::string>(0) + " while the store has "
                    + stored_text(x.delivery));
      return caf::make_message(Sent{x.id});
    },
    with(outbox, by_sent()));
  time.run();
  submit_paused();
  const auto answer = replace(by_key("a", "new"));
  time.ask<SenderStatus>(sender, Resume{}); // comes before the store has said anything
  time.run();
  EXPECT_EQ(said(answer), "waiting");
  EXPECT_THAT(had, ElementsAre("new while the store has new"));
}

TEST_F(ReplaceTest, holds_beyond_the_life_of_the_process) {
  start_durable({});
  submit_paused();
  EXPECT_EQ(found(by_key("a", "new")), "waiting");
  kill_and_start({});
  EXPECT_THAT(danger.texts(), ElementsAre("new"));
}

TEST_F(ReplaceTest, leaves_the_old_payload_if_the_store_takes_no_new_one) {
  start_durable({});
  submit_paused();
  store->fail_always(StoreFailure::full);
  EXPECT_THAT(found(by_key("a", "new")), HasSubstr("not_stored"));
  EXPECT_EQ(log.count<event::Replaced>(), 0u);
  store->fail_always({});
  tell(Resume{});
  time.advance(1min);
  EXPECT_THAT(danger.texts(), ElementsAre("old a"));
}

TEST_F(ReplaceTest, twice_in_a_row_leaves_the_last_payload) {
  start_durable({});
  submit_paused();
  const auto first = replace(by_key("a", "new"));
  const auto second = replace(by_key("a", "newer"));
  time.run();
  EXPECT_EQ(said(first), "waiting");
  EXPECT_EQ(said(second), "waiting");
  EXPECT_EQ(stored_text(1), "newer");
  tell(Resume{});
  EXPECT_THAT(danger.texts(), ElementsAre("newer"));
}

TEST_F(ReplaceTest, twice_in_a_row_leaves_the_payload_that_the_store_has) {
  start_durable({});
  submit_paused();
  store->fail_next(2, StoreFailure::too_large); // of both together, and then of the first
  const auto first = replace(by_key("a", "new"));
  const auto second = replace(by_key("a", "newer"));
  time.run();
  EXPECT_THAT(said(first), HasSubstr("not_stored"));
  EXPECT_EQ(said(second), "waiting");
  EXPECT_EQ(stored_text(1), "newer");
  store->fail_next(2, StoreFailure::too_large);
  replace(by_key("a", "new"));
  store->fail_always(StoreFailure::too_large);
  const auto last = replace(by_key("a", "new"));
  time.run();
  EXPECT_THAT(said(last), HasSubstr("not_stored"));
  store->fail_always({});
  tell(Resume{});
  time.advance(1min);
  EXPECT_THAT(danger.texts(), ElementsAre("newer"));
}

TEST_F(ReplaceTest, comes_to_nothing_with_a_message_that_is_not_stored) {
  start_durable({});
  tell(Pause{});
  store->fail_next(1, StoreFailure::full);
  auto first = time.ask<std::string>(
    sender, Submit{.message = caf::make_message(std::string{"old"}), .idempotency_key = "a"});
  const auto answer = replace(by_key("a", "new"));
  time.run();
  EXPECT_THAT(text_of(first->error), HasSubstr("not_stored"));
  EXPECT_THAT(said(answer), HasSubstr("not_stored"));
  time.advance(1min);
  EXPECT_EQ(status().owed, 0u);
  EXPECT_THAT(store->owed(), IsEmpty());
}

TEST_F(ReplaceTest, of_a_message_that_is_not_stored_yet_is_stored_with_it) {
  start_durable({});
  tell(Pause{});
  time.tell(sender,
            Submit{.message = caf::make_message(std::string{"old"}), .idempotency_key = "a"});
  const auto answer = replace(by_key("a", "new"));
  time.run();
  EXPECT_EQ(said(answer), "waiting");
  kill_and_start({});
  EXPECT_THAT(danger.texts(), ElementsAre("new"));
}

TEST_F(ReplaceTest, that_a_sender_has_not_heard_of_is_stored_before_the_next_hands_it_over) {
  start_durable({});
  submit_paused();
  const auto answer = replace(by_key("a", "new"));
  time.stop(sender);
  time.run();
  EXPECT_NE(said(answer), "nothing yet");
  start({}, with(outbox, default_options()));
  time.run();
  EXPECT_THAT(danger.texts(), ElementsAre("new"));
  EXPECT_THAT(store->owed(), IsEmpty());
}

TEST_F(ReplaceTest, that_the_store_has_not_taken_is_not_handed_over_by_the_next_sender) {
  start_durable({});
  submit_paused();
  store->fail_always(StoreFailure::unreachable);
  const auto answer = replace(by_key("a", "new"));
  time.stop(sender);
  time.run();
  start({}, with(outbox, default_options()));
  time.run();
  EXPECT_THAT(danger.texts(), IsEmpty());
  store->fail_always({});
  time.advance(1min);
  EXPECT_THAT(danger.texts(), ElementsAre("new"));
}

TEST_F(ReplaceTest, lets_the_new_payload_begin_without_failed_attempts) {
  auto options = default_options();
  options.max_attempts = 2;
  options.charging = Charging::every_failure();
  options.ordering = Ordering::unordered;
  start_durable({testing::crash(), testing::crash()}, options);
  const auto answer = submit_as("a");
  tell(Pause{});
  time.advance(1min);
  EXPECT_EQ(store->find(1)->attempts, 1u);
  EXPECT_EQ(found(by_key("a", "new")), "waiting");
  EXPECT_EQ(store->find(1)->attempts, 0u);
  tell(Resume{});
  time.advance(1min);
  EXPECT_EQ(answer->value, "new");
  EXPECT_EQ(log.all<event::Replaced>().at(0).attempts, 1u);
}

TEST_F(ReplaceTest, forgets_how_often_a_process_has_ended_over_the_old_payload) {
  auto options = default_options();
  options.rare.max_hand_overs = 2;
  start_durable({testing::hang()}, options);
  submit_as("a");
  EXPECT_EQ(store->find(1)->hand_overs, 1u);
  store = store->copy(); // the process is killed
  outbox = open(store);
  start({testing::hang()}, {testing::Birth::factory_throws}, with(outbox, options));
  time.run();
  EXPECT_EQ(found(by_key("a", "new")), "waiting");
  EXPECT_EQ(store->find(1)->hand_overs, 0u);
  time.advance(1s);
  EXPECT_EQ(store->find(1)->hand_overs, 1u) << "a child has the new payload, for the first time";
}

TEST_F(ReplaceTest, is_refused_if_the_payload_cannot_be_stored) {
  start_durable({});
  submit_paused();
  EXPECT_THAT(found({.idempotency_key = "a", .payload = caf::make_message(7)}),
              HasSubstr("not_storable"));
  EXPECT_EQ(stored_text(1), "old");
}

TEST_F(ReplaceTest, before_the_deadline_gives_the_dead_letter_the_new_payload) {
  start_durable({});
  tell(Pause{});
  submit("old", {.time_to_live = 10s, .idempotency_key = "a"});
  EXPECT_EQ(found(by_key("a", "new")), "waiting");
  time.advance(10s);
  const auto letter = store->dead_letter(1);
  ASSERT_TRUE(letter);
  EXPECT_EQ(letter->reason, DeadLetterReason::expired);
  EXPECT_THAT(letter->text, HasSubstr("new"));
}

} // namespace backoff_actor::actor_test
