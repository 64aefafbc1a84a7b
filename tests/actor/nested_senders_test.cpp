// A sender as the child of a sender, and its errors in the hands of another child.

#include "durable_fixture.hpp"

namespace backoff_actor::actor_test {

class NestedSenders : public DurableTest {
protected:
  /// One attempt, so that a charge ends a delivery.
  static SenderOptions outer_options() {
    auto options = default_options();
    options.max_attempts = 1;
    options.charging = Charging::every_failure();
    return options;
  }

  /// The outer sender, with inner ones that have `options`.
  void start_nested(FaultPlan faults, const std::function<SenderOptions()>& options,
                    SenderOptions outer = outer_options()) {
    danger = DangerousActor{std::move(faults)};
    start_with(
      [this, options](caf::event_based_actor* self) {
        inner = spawn_back_off_sender(self->system(), danger.factory(), options());
        return inner;
      },
      std::move(outer));
  }

  void ask_for(const Strings& texts) {
    for (const auto& text : texts)
      answers.push_back(ask(text));
  }

  Strings got() {
    Strings result;
    for (const auto& answer : answers)
      result.push_back(answer->value ? *answer->value : text_of(answer->error));
    return result;
  }

  void TearDown() override {
    inner = nullptr;
    DurableTest::TearDown();
  }

  caf::actor inner;
  std::vector<std::shared_ptr<testing::Answer<std::string>>> answers;
};

TEST_F(NestedSenders, what_an_inner_sender_gave_up_when_it_was_stopped_is_handed_over_again) {
  start_nested({{testing::times(3, testing::silence())}}, default_options);
  ask_for({"a", "b", "c"});
  time.tell(inner, Stop{});
  time.advance(10ms);

  EXPECT_EQ(got(), (Strings{"a", "b", "c"}));
  EXPECT_EQ(danger.texts(), (Strings{"a", "b", "c", "a", "b", "c"}));
  EXPECT_EQ(log.count<event::DeadLettered>(), 0u);
}

TEST_F(NestedSenders, an_inner_sender_that_was_stopped_is_no_reason_to_hand_over_one_at_a_time) {
  start_nested({{testing::times(3, testing::silence()), testing::times(3, testing::ok()),
                 testing::times(3, testing::silence())}},
               default_options);
  ask_for({"a", "b", "c"});
  time.tell(inner, Stop{});
  time.advance(10ms);
  ask_for({"d", "e", "f"});

  EXPECT_EQ(status().in_flight, 3u);
}

TEST_F(NestedSenders, what_an_inner_sender_left_in_its_outbox_is_handed_over_again) {
  outbox = open(store);
  start_nested({{testing::silence()}}, [this] { return with(outbox); });
  ask_for({"a"});
  time.tell(inner, Stop{});
  time.advance(10ms);

  EXPECT_EQ(got(), Strings{"a"});
  EXPECT_EQ(danger.texts(), (Strings{"a", "a", "a"})) << "once for the outbox, once for the outer";
  EXPECT_EQ(log.count<event::DeadLettered>(), 0u);
}

TEST_F(NestedSenders, what_an_inner_sender_refused_while_it_drained_is_handed_over_again) {
  start_nested({}, default_options);
  time.run();
  time.tell(inner, Pause{});
  time.tell(inner, Drain{});
  ask_for({"a", "b"});
  time.advance(1min);
  EXPECT_EQ(got(), (Strings{"", ""}));
  time.tell(inner, Resume{});
  time.advance(1min);

  EXPECT_EQ(got(), (Strings{"a", "b"}));
  EXPECT_EQ(log.count<event::DeadLettered>(), 0u);
}

struct PassedOn {
  SenderError error;
  bool is_retried;
};

class ErrorsOfAnotherSender : public SenderTest, public ::testing::WithParamInterface<PassedOn> {
protected:
  /// A worker that answers its first request as the sender that it asked has answered it.
  void start_worker(SenderOptions options) {
    start_with(
      [this](caf::event_based_actor* self) {
        return self->spawn<Behaving>([this](caf::event_based_actor*) {
          return caf::behavior{[this](const std::string& text) -> caf::result<std::string> {
            if (asked++ == 0)
              return make_error(GetParam().error);
            return text;
          }};
        });
      },
      std::move(options));
  }

  int asked = 0;
};

TEST_P(ErrorsOfAnotherSender, that_a_living_child_passes_on) {
  auto options = default_options();
  options.max_attempts = 1;
  options.charging = Charging::every_failure();
  start_worker(options);
  const auto answer = ask("a");
  time.advance(10ms);

  EXPECT_EQ(asked, GetParam().is_retried ? 2 : 1);
  EXPECT_EQ(answer->value, GetParam().is_retried ? std::optional<std::string>{"a"} : std::nullopt);
}

TEST_P(ErrorsOfAnotherSender, are_final_if_the_decider_says_so) {
  auto options = default_options();
  options.decider = [](FailureKind, const caf::error&) { return Verdict::reject; };
  start_worker(options);
  const auto answer = ask("a");
  time.advance(10ms);

  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(answer->error == make_error(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(Each, ErrorsOfAnotherSender,
                         ::testing::Values(PassedOn{SenderError::stopped, true},
                                           PassedOn{SenderError::suspended, true},
                                           PassedOn{SenderError::draining, true},
                                           PassedOn{SenderError::outbox_full, false},
                                           PassedOn{SenderError::attempts_exhausted, false},
                                           PassedOn{SenderError::expired, false}),
                         [](const auto& row) {
                           const auto text = to_string(row.param.error);
                           return text.substr(0, text.find(':'));
                         });

} // namespace backoff_actor::actor_test
