// `Ask`: what a sender says has become of a message.

#include "owned_fixture.hpp"

#include <functional>
#include <optional>

namespace backoff_actor::actor_test {

namespace {

// What an answer says, in one line: what is not said is left out.
std::string line_of(const AskAnswer& x) {
  std::string result{to_string(x.state)};
  const auto add = [&](const char* name, const std::string& value) {
    result.append(", ").append(name).append(" ").append(value);
  };
  if (x.delivery != 0)
    add("delivery", std::to_string(x.delivery));
  if (x.age != Duration::zero())
    add("for", to_string(x.age));
  if (x.attempts != 0)
    add("attempts", std::to_string(x.attempts));
  if (x.next_try_in)
    add("next try in", to_string(*x.next_try_in));
  if (x.incarnation != 0)
    add("child", std::to_string(x.incarnation));
  if (!x.note.empty())
    add("note", x.note);
  if (!x.why.empty())
    add("why", x.why);
  return result;
}

// A store that counts who looks for a message, and cannot be read if it is told so.
class AskedStore final : public StoreInFront {
public:
  using StoreInFront::StoreInFront;

  FoundMessage find_message(const std::string& idempotency_key, std::uint64_t delivery) override {
    ++looks;
    if (is_unreadable)
      throw StoreError(StoreFailure::unreachable, "nobody there");
    return StoreInFront::find_message(idempotency_key, delivery);
  }

  int looks = 0;
  bool is_unreadable = false;
};

} // namespace

class AskTest : public DurableTest {
protected:
  static SenderOptions one_at_a_time() {
    auto options = by_sent();
    options.max_in_flight = 1;
    options.charging = Charging::every_failure();
    return options;
  }

  static SenderOptions keeping_answers(std::uint32_t bytes) {
    auto options = one_at_a_time();
    options.rare.largest_kept_answer = bytes;
    return options;
  }

  // Of the answer "a", which has another size with another version of CAF.
  std::uint32_t size_of_a() {
    return static_cast<std::uint32_t>(
      compat::serialized_size(time.system(), caf::make_message(std::string{"a"})));
  }

  // A child that does nothing by itself: the test says what it would say.
  void start_silent(SenderOptions options = one_at_a_time()) {
    start_hand_made(
      [given = given](caf::event_based_actor*, const TrackedMsg& x) {
        given->push_back(x.id);
        return caf::message{};
      },
      std::move(options));
  }

  void start_silent_durably(SenderOptions options = one_at_a_time()) {
    outbox = open(store);
    start_silent(with(outbox, std::move(options)));
    time.run();
  }

  std::shared_ptr<testing::Answer<std::string>> submit_as(const std::string& key) {
    return submit("text", {.idempotency_key = key});
  }

  std::shared_ptr<testing::Answer<AskAnswer>> ask_within(const std::string& key, Duration span) {
    auto answer = time.ask<AskAnswer>(sender, Ask{.idempotency_key = key, .within = span});
    time.run();
    return answer;
  }

  AskAnswer answer_to(Ask what) {
    const auto answer = time.ask<AskAnswer>(sender, std::move(what));
    time.run();
    EXPECT_TRUE(answer->value.has_value()) << text_of(answer->error);
    return answer->value.value_or(AskAnswer{});
  }

  std::string says(Ask what) { return line_of(answer_to(std::move(what))); }

  std::string refusal_of(Ask what) {
    const auto answer = time.ask<AskAnswer>(sender, std::move(what));
    time.run();
    return text_of(answer->error);
  }

  // A client that asks by a plain send, and keeps what it hears.
  caf::actor ask_plainly(Ask what) {
    const auto client = time.keep(time.system().spawn<Behaving>(
      [receiver = sender, what, heard = heard](caf::event_based_actor* self) -> caf::behavior {
        self->send(receiver, what);
        return {[heard](const AskAnswer& x) { heard->push_back(line_of(x)); }};
      }));
    time.keep(time.system().spawn<Watcher>(client, end_of_client));
    time.run();
    return client;
  }

  std::shared_ptr<AskedStore> start_on_asked_store() {
    auto front = std::make_shared<AskedStore>(store);
    outbox = {front, durable<std::string>(), durable_options()};
    start_silent(with(outbox, one_at_a_time()));
    time.run();
    return front;
  }

  std::shared_ptr<std::vector<std::uint64_t>> given =
    std::make_shared<std::vector<std::uint64_t>>();
  std::shared_ptr<Strings> heard = std::make_shared<Strings>();
  std::shared_ptr<std::optional<caf::error>> end_of_client =
    std::make_shared<std::optional<caf::error>>();
};

// -- in memory ------------------------------------------------------------------------------

TEST_F(AskTest, of_what_a_child_has_says_which_child_since_when_and_its_last_note) {
  start_silent();
  submit_as("first");
  time.advance(3s);
  EXPECT_EQ(says({"first"}), "in_work, delivery 1, for 3s, child 1");
  tell(Working{given->at(0), "row 17"});
  time.advance(2s);
  EXPECT_EQ(says({"first"}), "in_work, delivery 1, for 5s, child 1, note row 17");
  EXPECT_EQ(says({.delivery = 1}), says({"first"}));
  const auto child = time.ask<ChildHandle>(sender, CurrentChild{});
  time.run();
  EXPECT_EQ(answer_to({"first"}).child, to_string(child->value->child));
}

TEST_F(AskTest, of_what_waits_says_since_when_how_often_it_has_failed_and_until_when) {
  start_silent();
  submit_as("first");
  submit_as("second");
  time.advance(1s);
  EXPECT_EQ(says({"second"}), "waiting, delivery 2, for 1s");
  tell(Nack{given->at(0), make_error(SenderError::ack_timeout)});
  time.advance(4ms);
  EXPECT_EQ(says({"first"}),
            "waiting, delivery 1, for 1.004s, attempts 1, next try in 6ms, child 1");
  EXPECT_EQ(says({"second"}), "waiting, delivery 2, for 1.004s, next try in 6ms");
}

TEST_F(AskTest, of_what_waits_for_its_time_says_until_when) {
  auto options = by_sent();
  options.ordering = Ordering::unordered;
  start_silent(options);
  submit("later", {.delay = 1h, .idempotency_key = "later"});
  time.advance(10min);
  EXPECT_EQ(says({"later"}), "waiting, delivery 1, for 10min, next try in 50min");
}

TEST_F(AskTest, of_what_is_done_says_since_when_until_its_key_is_forgotten) {
  auto options = one_at_a_time();
  options.rare.idempotency_retention = 10min;
  start_silent(options);
  submit_as("first");
  tell(Sent{given->at(0)});
  time.advance(5min);
  EXPECT_EQ(says({"first"}), "done, for 5min");
  EXPECT_EQ(says({.delivery = 1}), "unknown") << "the number of what is done is not kept";
  time.advance(5min + 1ns);
  EXPECT_EQ(says({"first"}), "unknown");
}

TEST_F(AskTest, of_what_nobody_has_submitted_or_what_is_cancelled_knows_nothing) {
  start_silent();
  EXPECT_EQ(says({"first"}), "unknown");
  submit_as("first");
  submit_as("second");
  tell(Cancel{.idempotency_key = "second"});
  EXPECT_EQ(says({"second"}), "unknown");
  EXPECT_EQ(says({.delivery = 2}), "unknown");
  tell(Cancel{.idempotency_key = "first"});
  EXPECT_EQ(says({"first"}), "in_work, delivery 1, child 1") << "its child has not answered";
}

TEST_F(AskTest, of_what_was_replaced_says_the_same_without_its_failures) {
  start_silent();
  submit_as("first");
  tell(Nack{given->at(0), make_error(SenderError::ack_timeout)});
  EXPECT_EQ(says({"first"}), "waiting, delivery 1, attempts 1, next try in 10ms, child 1");
  tell(Replace{.idempotency_key = "first", .payload = caf::make_message(std::string{"other"})});
  EXPECT_EQ(says({"first"}), "waiting, delivery 1, next try in 10ms");
}

TEST_F(AskTest, changes_nothing) {
  start_silent();
  submit_as("first");
  const auto before = to_string(status());
  says({"first"});
  says({"other"});
  says({.delivery = 1});
  EXPECT_EQ(to_string(status()), before);
}

TEST_F(AskTest, that_names_no_message_or_both_ways_is_refused) {
  start_silent();
  EXPECT_THAT(refusal_of({}), HasSubstr("Ask: idempotency_key: got none, allowed one, or the "
                                        "number of a delivery"));
  EXPECT_THAT(refusal_of({"first", 1}), HasSubstr("and a delivery, allowed one, or the number of "
                                                  "a delivery"));
}

// -- an answer that waits -------------------------------------------------------------------

TEST_F(AskTest, may_wait_until_the_message_is_done) {
  start_silent(keeping_answers(100));
  submit_as("first");
  const auto answer = ask_within("first", 1h);
  time.advance(10s);
  EXPECT_FALSE(answer->is_ready());
  tell(Sent{given->at(0), caf::make_message(std::string{"yes"})});
  time.advance(1s);
  ASSERT_TRUE(answer->value.has_value());
  EXPECT_EQ(to_string(answer->value->state), "done");
  EXPECT_EQ(to_string(answer->value->answer), to_string(caf::make_message(std::string{"yes"})));
}

TEST_F(AskTest, may_wait_for_a_message_that_is_not_submitted_yet) {
  start_silent();
  const auto answer = ask_within("first", 1h);
  time.advance(10s);
  submit_as("first");
  tell(Sent{given->at(0)});
  time.advance(1s);
  ASSERT_TRUE(answer->value.has_value());
  EXPECT_EQ(to_string(answer->value->state), "done");
}

TEST_F(AskTest, that_has_waited_long_enough_is_answered_with_what_is_known) {
  start_silent();
  submit_as("first");
  const auto answer = ask_within("first", 10s);
  time.advance(10s - 1ns);
  EXPECT_FALSE(answer->is_ready());
  time.advance(1ns);
  ASSERT_TRUE(answer->value.has_value());
  EXPECT_EQ(line_of(*answer->value), "in_work, delivery 1, for 10s, child 1");
}

TEST_F(AskTest, that_waits_when_the_sender_ends_is_answered_with_an_error) {
  start_silent();
  submit_as("first");
  const auto answer = ask_within("first", 1h);
  time.stop(sender);
  time.advance(1s);
  EXPECT_THAT(text_of(answer->error), HasSubstr("stopped"));
}

TEST_F(AskTest, that_is_no_request_ends_no_client_when_the_sender_ends) {
  start_silent();
  ask_plainly({.idempotency_key = "first", .within = 1h});
  time.stop(sender);
  time.advance(1s);
  EXPECT_FALSE(*end_of_client) << text_of(*end_of_client);
  EXPECT_THAT(*heard, IsEmpty());
}

TEST_F(AskTest, that_is_no_request_is_answered_and_ends_no_client_when_the_rows_cannot_be_read) {
  const auto front = start_on_asked_store();
  ask_plainly({"first"});
  ask_plainly({.idempotency_key = "first", .within = 1s});
  time.advance(1s);
  EXPECT_THAT(*heard, ElementsAre("unknown", "unknown"));
  front->is_unreadable = true;
  const auto looks = front->looks;
  ask_plainly({"first"});
  EXPECT_EQ(front->looks, looks + 1);
  EXPECT_FALSE(*end_of_client) << text_of(*end_of_client);
  EXPECT_THAT(refusal_of({"first"}), HasSubstr("nobody there"));
}

TEST_F(AskTest, that_waits_ends_with_its_client) {
  const auto front = start_on_asked_store();
  const auto client = ask_plainly({.idempotency_key = "first", .within = 1h});
  time.advance(3s);
  time.stop(client);
  time.run();
  const auto looks = front->looks;
  EXPECT_GT(looks, 5);
  time.advance(1min);
  EXPECT_EQ(front->looks, looks);
}

TEST_F(AskTest, that_waits_less_than_no_time_is_refused) {
  start_silent();
  EXPECT_THAT(refusal_of({"first", 0, -1ns}),
              HasSubstr("Ask: within: got -1ns, allowed 0 or more"));
}

// -- answers that are kept ------------------------------------------------------------------

TEST_F(AskTest, returns_the_answer_of_what_is_done_as_long_as_its_key_is_known) {
  auto options = keeping_answers(size_of_a());
  options.rare.idempotency_retention = 10min;
  start_silent(options);
  submit_as("first");
  tell(Sent{given->at(0), caf::make_message(std::string{"a"})});
  const auto kept = answer_to({"first"});
  EXPECT_EQ(to_string(kept.answer), to_string(caf::make_message(std::string{"a"})));
  EXPECT_EQ(kept.answer_bytes, size_of_a());
  time.advance(10min);
  EXPECT_EQ(answer_to({"first"}).answer_bytes, size_of_a());
  time.advance(1ns);
  EXPECT_EQ(says({"first"}), "unknown");
}

TEST_F(AskTest, returns_no_answer_unless_it_is_to_be_kept) {
  start_silent();
  submit_as("first");
  tell(Sent{given->at(0), caf::make_message(std::string{"a"})});
  EXPECT_TRUE(answer_to({"first"}).answer.empty());
  EXPECT_EQ(answer_to({"first"}).answer_bytes, 0u);
}

TEST_F(AskTest, of_an_answer_that_was_too_large_says_how_large_it_was) {
  start_silent(keeping_answers(size_of_a() - 1));
  submit_as("first");
  tell(Sent{given->at(0), caf::make_message(std::string{"a"})});
  EXPECT_TRUE(answer_to({"first"}).answer.empty());
  EXPECT_EQ(answer_to({"first"}).answer_bytes, size_of_a());
}

TEST_F(AskTest, returns_the_last_answer_of_a_key_that_is_used_again) {
  auto options = keeping_answers(100);
  options.rare.idempotency_retention = 10min;
  start_silent(options);
  submit_as("first");
  tell(Sent{given->at(0), caf::make_message(std::string{"a"})});
  time.advance(11min);
  submit_as("first");
  tell(Sent{given->at(1)});
  EXPECT_EQ(says({"first"}), "done");
  EXPECT_TRUE(answer_to({"first"}).answer.empty()) << "the second has none";
}

TEST_F(AskTest, returns_an_answer_beyond_the_end_of_the_sender_and_of_the_process) {
  start_silent_durably(keeping_answers(100));
  submit_as("first");
  tell(Sent{given->at(0), caf::make_message(std::string{"yes"})});
  time.run();
  stop_sender();
  start_silent(with(outbox, keeping_answers(100)));
  time.run();
  EXPECT_EQ(to_string(answer_to({"first"}).answer),
            to_string(caf::make_message(std::string{"yes"})));
  store = store->copy();
  start_silent_durably(keeping_answers(100));
  EXPECT_EQ(to_string(answer_to({"first"}).answer),
            to_string(caf::make_message(std::string{"yes"})));
  EXPECT_EQ(says({"first"}), "done");
}

TEST_F(AskTest, an_answer_is_stored_in_the_commit_of_the_acknowledgement) {
  start_silent_durably(keeping_answers(100));
  submit_as("first");
  const auto before = store->commits();
  tell(Sent{given->at(0), caf::make_message(std::string{"yes"})});
  EXPECT_EQ(store->commits(), before + 1);
  const auto found = store->copy()->find_message("first", 0);
  EXPECT_EQ(found.state, MessageState::done);
  ASSERT_TRUE(found.answer.has_value());
  EXPECT_EQ(durable<std::string>().load(found.answer->message).get_as<std::string>(0), "yes");
}

TEST_F(AskTest, an_answer_of_no_durable_type_is_not_kept_and_the_sender_says_so) {
  start_silent_durably(keeping_answers(100));
  submit_as("first");
  tell(Sent{given->at(0), caf::make_message(std::int32_t{7})});
  EXPECT_EQ(says({"first"}), "done");
  EXPECT_EQ(answer_to({"first"}).answer_bytes, 0u);
  ASSERT_EQ(log.count<event::StoreNotice>(), 1u);
  EXPECT_THAT(log.all<event::StoreNotice>().at(0).text,
              HasSubstr("the answer to \"first\" is not kept: "));
}

TEST_F(AskTest, knows_what_is_done_although_the_store_has_not_heard_of_it) {
  start_silent_durably(keeping_answers(100));
  submit_as("first");
  store->fail_always(StoreFailure::full);
  tell(Sent{given->at(0)});
  EXPECT_EQ(says({"first"}), "done") << "the rows say that it is owed";
}

// -- with a durable outbox ------------------------------------------------------------------

TEST_F(AskTest, of_a_dead_letter_says_why_by_its_key_and_by_its_number) {
  start_silent_durably();
  submit_as("first");
  tell(Reject{given->at(0), make_error(SenderError::no_child)});
  time.advance(2s);
  EXPECT_THAT(says({"first"}),
              ::testing::StartsWith("dead, delivery 1, for 2s, attempts 1, why rejected: "));
  EXPECT_EQ(says({"first"}), says({.delivery = 1}));
  kill_and_start({});
  EXPECT_THAT(says({"first"}), HasSubstr("dead, delivery 1, for 2s, attempts 1, why rejected: "));
}

TEST_F(AskTest, after_a_restart_says_what_is_owed_and_what_is_done) {
  start_silent_durably();
  submit_as("first");
  submit_as("second");
  tell(Sent{given->at(0)});
  tell(Working{given->at(1), "row 17"});
  time.advance(1s);
  store = store->copy();
  start_silent_durably();
  time.advance(1s);
  EXPECT_EQ(says({"first"}), "done, for 2s");
  EXPECT_EQ(says({"second"}), "in_work, delivery 2, for 1s, child 1, note row 17");
}

TEST_F(AskTest, is_answered_while_the_store_fails) {
  start_silent_durably();
  submit_as("first");
  store->fail_always(StoreFailure::full);
  tell(Sent{given->at(0)});
  EXPECT_EQ(says({"first"}), "done");
}

// -- by a process that stands by ------------------------------------------------------------

class AskOwnedTest : public OwnedTest {
protected:
  std::string says(const std::string& node, Ask what) {
    const auto answer = time.ask<AskAnswer>(processes.at(node).sender, std::move(what));
    time.run();
    return answer->value ? line_of(*answer->value) : text_of(answer->error);
  }

  // What the child has answered: it returns the text that it gets.
  std::string answer_of(const std::string& node, const std::string& key) {
    const auto answer = time.ask<AskAnswer>(processes.at(node).sender, Ask{key});
    time.run();
    if (!answer->value || !answer->value->answer.match_elements<std::string>())
      return "none";
    return answer->value->answer.get_as<std::string>(0);
  }

  void submit_as(const std::string& key, Submit how = {}) {
    how.message = caf::make_message(key);
    how.idempotency_key = key;
    how.answer_when_accepted = true;
    time.ask<Accepted>(processes.at("node-a").sender, std::move(how));
    time.run();
  }
};

TEST_F(AskOwnedTest, one_that_stands_by_answers_by_the_rows) {
  auto options = default_options();
  options.ordering = Ordering::unordered;
  options.max_in_flight = 2;
  start_process("node-a", {testing::ok(), testing::error("no voltage"), testing::hang()}, options);
  start_process("node-b");
  for (const auto* key : {"done", "dead", "owed"})
    submit_as(key);
  submit_as("later", {.delay = 1h});
  IncomingMessage row;
  row.type = "text";
  row.idempotency_key = "row";
  server.hand_over(row, time.now() + 2h);
  time.advance(2s);
  EXPECT_EQ(says("node-b", {"done"}), "done, for 2s");
  EXPECT_THAT(says("node-b", {"dead"}),
              HasSubstr("dead, delivery 2, for 2s, attempts 1, why rejected: "));
  EXPECT_EQ(says("node-b", {"owed"}), "owed, delivery 3, for 2s");
  EXPECT_EQ(says("node-b", {"later"}), "owed, delivery 4, for 2s, next try in 3598s");
  EXPECT_THAT(says("node-b", {"row"}), ::testing::StartsWith("waiting, for "));
  EXPECT_EQ(says("node-b", {"other"}), "unknown");
  EXPECT_EQ(says("node-b", {.delivery = 3}), "owed, delivery 3, for 2s");
  EXPECT_THAT(says("node-b", {}), HasSubstr("Ask: idempotency_key: got none"));
}

TEST_F(AskOwnedTest, the_owner_says_of_a_row_that_waits_for_its_time_what_one_that_stands_by_says) {
  start_process("node-a");
  IncomingMessage row;
  row.type = "text";
  row.idempotency_key = "row";
  server.hand_over(row, time.now() + 2h);
  EXPECT_THAT(says("node-a", {"row"}), ::testing::StartsWith("waiting, for "));
}

TEST_F(AskOwnedTest, after_a_takeover_the_new_owner_knows_what_is_done) {
  start_process("node-a", {testing::ok(), testing::hang()});
  start_process("node-b", {testing::hang()});
  submit_as("done");
  submit_as("owed");
  time.advance(1s);
  die("node-a");
  time.advance(2s);
  EXPECT_EQ(owner(), "node-b, epoch 2");
  EXPECT_EQ(says("node-b", {"done"}), "done, for 3s");
  EXPECT_THAT(says("node-b", {"owed"}), HasSubstr("in_work, delivery 2"));
}

TEST_F(AskOwnedTest, one_that_stands_by_and_the_next_owner_return_the_answer) {
  auto options = default_options();
  options.rare.largest_kept_answer = 100;
  start_process("node-a", {}, options);
  start_process("node-b", {}, options);
  submit_as("done");
  EXPECT_EQ(answer_of("node-b", "done"), "done");
  die("node-a");
  time.advance(2s);
  EXPECT_EQ(owner(), "node-b, epoch 2");
  EXPECT_EQ(answer_of("node-b", "done"), "done");
}

TEST_F(AskOwnedTest, one_that_stands_by_waits_for_what_the_owner_works_on) {
  auto options = default_options();
  options.rare.largest_kept_answer = 100;
  start_process("node-a", {testing::slow(10s)}, options);
  start_process("node-b", {}, options);
  submit_as("slow");
  const auto answer = time.ask<AskAnswer>(processes.at("node-b").sender,
                                          Ask{.idempotency_key = "slow", .within = 1min});
  time.advance(9s);
  EXPECT_FALSE(answer->is_ready());
  time.advance(2s);
  ASSERT_TRUE(answer->value.has_value());
  EXPECT_EQ(to_string(answer->value->state), "done");
  EXPECT_EQ(to_string(answer->value->answer), to_string(caf::make_message(std::string{"slow"})));
}

TEST_F(AskOwnedTest, a_server_that_does_not_answer_is_an_error_that_says_so) {
  start_process("node-a");
  start_process("node-b");
  server.cut_off("node-b");
  EXPECT_THAT(says("node-b", {"done"}), HasSubstr("the server does not answer"));
}

} // namespace backoff_actor::actor_test
