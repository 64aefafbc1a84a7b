// A child that lives and cannot do it now, or never: Nack, Reject, errors that say when to come
// back.

#include "fixture.hpp"

#include <caf/sec.hpp>

#include <ostream>

namespace backoff_actor::actor_test {

class Refusals : public SenderTest {};

// -- Nack ------------------------------------------------------------------------------

TEST_F(Refusals, a_nack_is_retried_after_the_backoff_by_the_same_child) {
  start({{testing::nack()}}, by_sent());
  const auto answer = ask("a");
  time.advance(10ms - 1ns);
  EXPECT_EQ(danger.seen().size(), 1u);
  EXPECT_FALSE(answer->is_ready());

  time.advance(1ns);

  EXPECT_EQ(danger.seen(), (std::vector<DangerousActor::Seen>{{1, "a"}, {1, "a"}}));
  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(status().counters.nacks, 1u);
  EXPECT_EQ(crashes(), 0u);
}

TEST_F(Refusals, a_nack_that_says_when_to_come_back_is_not_retried_a_nanosecond_earlier) {
  start({{testing::nack(2s)}}, by_sent());
  ask("a");
  ask("b");
  time.advance(2s - 1ns);
  EXPECT_EQ(danger.texts(), (Strings{"a"}));

  time.advance(1ns);

  EXPECT_EQ(danger.texts(), (Strings{"a", "a", "b"}));
  EXPECT_EQ(log.all<event::Refused>().at(0).retry_after, 2s);
}

TEST_F(Refusals, a_nack_is_retried_as_the_class_says_that_the_decider_gives_it) {
  auto options = by_sent();
  options.by_reason = "throttling: backoff fixed(2s); error_answer: backoff fixed(3s)";
  options.decider = [](FailureKind, const caf::error& error) -> Decision {
    if (error == caf::sec::invalid_argument)
      return Decision::retry_as("throttling");
    return Verdict::retry;
  };
  int calls = 0;
  start_hand_made(
    [&](auto*, const TrackedMsg& delivery) {
      const auto code = ++calls == 1 ? caf::sec::invalid_argument : caf::sec::runtime_error;
      return calls < 3 ? caf::make_message(Nack{delivery.id, caf::make_error(code)})
                       : caf::make_message(sent(delivery, std::string{"done"}));
    },
    options);
  const auto answer = ask("a");
  time.advance(2s - 1ns);
  EXPECT_EQ(calls, 1);
  time.advance(1ns);
  EXPECT_EQ(calls, 2);
  time.advance(3s - 1ns);
  EXPECT_FALSE(answer->is_ready());
  time.advance(1ns);

  EXPECT_EQ(answer->value, "done");
}

TEST_F(Refusals, a_nack_may_be_sent_instead_of_returned) {
  bool first = true;
  start_hand_made([&](auto* self, const TrackedMsg& delivery) {
    if (!std::exchange(first, false))
      return caf::make_message(sent(delivery, std::string{"done"}));
    self->send(sender, Nack{delivery.id});
    return caf::message{};
  });
  const auto answer = ask("a");
  EXPECT_EQ(status().counters.nacks, 1u);
  time.advance(10ms);

  EXPECT_EQ(answer->value, "done");
  EXPECT_EQ(log.all<event::Refused>().at(0).cause.text, "the child refused without a reason");
}

TEST_F(Refusals, a_word_of_nothing_changes_nothing_and_is_told_of_with_its_id) {
  start({{testing::silence()}}, by_sent());
  ask("a");
  tell(Sent{987654321});
  tell(Nack{987654321});
  tell(Reject{987654321});
  tell(Working{987654321});

  EXPECT_EQ(status().owed, 1u);
  EXPECT_EQ(status().counters.nacks, 0u);
  ASSERT_EQ(log.count<event::UnknownAcknowledgement>(), 4u);
  for (const auto& unknown : log.all<event::UnknownAcknowledgement>())
    EXPECT_EQ(unknown.hand_over, 987654321u);
}

TEST_F(Refusals, a_nack_is_an_attempt) {
  auto options = by_sent();
  options.max_attempts = 3;
  options.charging = Charging::every_failure();
  start({testing::times(3, testing::nack())}, options);
  const auto a = ask("a");
  const auto b = ask("b");
  time.advance(40ms);

  EXPECT_EQ(text_of(a->error),
            "attempts_exhausted: this delivery failed as often as max_attempts allows (" + name()
              + ", last: "
              + text_of(caf::make_error(caf::sec::invalid_argument, std::string{"not now"})) + ")");
  EXPECT_FALSE(b->is_ready()) << "the service is still not well";
  time.advance(70ms);
  EXPECT_EQ(b->value, "b");
}

// -- Reject ----------------------------------------------------------------------------

TEST_F(Refusals, a_reject_is_final_and_holds_up_nobody) {
  start({{testing::reject("never ever")}}, by_sent());
  const auto a = ask("a");
  const auto b = ask("b");

  EXPECT_EQ(text_of(a->error),
            text_of(caf::make_error(caf::sec::invalid_argument, std::string{"never ever"})));
  EXPECT_EQ(b->value, "b");
  EXPECT_EQ(retries(), 0u);
  const auto letters = log.all<event::DeadLettered>();
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters[0].reason, DeadLetterReason::rejected);
  EXPECT_EQ(letters[0].attempts, 1u);
}

TEST_F(Refusals, a_reject_without_an_error_is_an_error_all_the_same) {
  start_hand_made(
    [](auto*, const TrackedMsg& delivery) { return caf::make_message(Reject{delivery.id}); });
  const auto answer = ask("a");

  ASSERT_TRUE(answer->error);
  EXPECT_EQ(*answer->error, caf::sec::runtime_error);
}

TEST_F(Refusals, a_reject_after_an_error_answer_is_the_last_word) {
  start_hand_made([&](auto* self, const TrackedMsg& delivery) {
    auto promise = self->make_response_promise();
    promise.deliver(caf::make_error(caf::sec::invalid_argument));
    self->send(sender, Reject{delivery.id, caf::make_error(caf::sec::cannot_connect_to_node)});
    return caf::message{};
  });
  const auto answer = ask("a");

  ASSERT_TRUE(answer->error);
  EXPECT_EQ(*answer->error, caf::sec::cannot_connect_to_node);
  EXPECT_EQ(log.count<event::DeadLettered>(), 1u);
}

// -- errors that say when to come back ---------------------------------------------------

struct RefusalMode {
  const char* name;
  Acknowledgement acknowledgement;

  friend void PrintTo(const RefusalMode& row, std::ostream* out) { *out << row.name; }
};

class RefusalsByError : public Refusals, public ::testing::WithParamInterface<RefusalMode> {
protected:
  static SenderOptions options() {
    auto result = default_options();
    result.acknowledgement = GetParam().acknowledgement;
    return result;
  }
};

TEST_P(RefusalsByError, an_error_that_says_when_to_come_back_is_retried_then_by_the_same_child) {
  start({{testing::error("busy", 2s)}}, options());
  const auto answer = ask("a");
  time.advance(2s - 1ns);
  EXPECT_FALSE(answer->is_ready());
  time.advance(1ns);

  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(danger.seen(), (std::vector<DangerousActor::Seen>{{1, "a"}, {1, "a"}}));
  ASSERT_EQ(log.count<event::Refused>(), 1u);
  EXPECT_EQ(log.all<event::Refused>()[0].retry_after, 2s);
}

TEST_P(RefusalsByError,
       what_asks_for_more_than_the_ceiling_is_given_up_and_the_others_wait_as_long) {
  auto options = this->options();
  options.retry_after = 5min;
  start({{testing::error("busy", 5min + 1ns)}}, options);
  const auto a = ask("a");
  ASSERT_TRUE(a->error);
  EXPECT_EQ(*a->error, make_error(SenderError::retry_after_too_long));
  EXPECT_THAT(text_of(a->error), ::testing::HasSubstr("retry after 300.000000001s, \"busy\""));
  const auto b = ask("b");
  time.advance(5min - 1ns);
  EXPECT_FALSE(b->is_ready()) << "the service is not well for b either";
  time.advance(1ns);

  EXPECT_EQ(b->value, "b");
}

TEST_F(Refusals, an_error_that_says_only_when_to_come_back_is_retried_then) {
  int calls = 0;
  start_with([&](caf::event_based_actor*) -> caf::behavior {
    return {[&calls](const std::string& text) -> caf::result<std::string> {
      if (++calls == 1)
        return retry_after(7s);
      return text;
    }};
  });
  const auto answer = ask("a");
  time.advance(7s - 1ns);
  EXPECT_FALSE(answer->is_ready());
  time.advance(1ns);

  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(retry_after(7s), caf::sec::runtime_error);
  EXPECT_THAT(render(time.system(), retry_after(7s)), HasSubstr("try again later"));
  EXPECT_THAT(render(time.system(), retry_after(7s, "busy")), HasSubstr("busy"));
}

INSTANTIATE_TEST_SUITE_P(table, RefusalsByError,
                         ::testing::Values(RefusalMode{"by_reply", Acknowledgement::by_reply},
                                           RefusalMode{"by_sent", Acknowledgement::by_sent}),
                         [](const auto& row) { return std::string{row.param.name}; });

} // namespace backoff_actor::actor_test
