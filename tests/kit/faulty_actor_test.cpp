#include "faulty_fixture.hpp"

#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

#include <memory>
#include <string>
#include <utility>

namespace backoff_actor::kit_test {

namespace {

// Asks who asks it, before it answers.
class AskingWorker : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[this](const std::string& text) {
      const auto client = caf::actor_cast<caf::actor>(current_sender());
      auto promise = make_response_promise();
      compat::request(*this, client, std::uint64_t{3})
        .then(
          [promise, text](const std::string& word) mutable { promise.deliver(text + " " + word); });
      return caf::delegated<std::string>{};
    }};
  }
};

// Asks a worker, and answers its question.
class AskedClient : public caf::event_based_actor {
public:
  AskedClient(caf::actor_config& config, caf::actor worker, std::shared_ptr<Strings> answers)
    : caf::event_based_actor(config), worker_(std::move(worker)), answers_(std::move(answers)) {}

  caf::behavior make_behavior() override {
    compat::request(*this, std::exchange(worker_, nullptr), std::string{"a"})
      .then([this](const std::string& answer) { answers_->push_back(answer); });
    return {
      [](std::uint64_t number) { return std::string{"number "}.append(std::to_string(number)); }};
  }

private:
  caf::actor worker_;
  std::shared_ptr<Strings> answers_;
};

class FaultyActor : public FaultyTest {};

TEST_F(FaultyActor, passes_on_what_is_to_go_well_whatever_its_type) {
  const auto service = front({});
  const auto sum = time.ask<std::uint64_t>(service, std::uint64_t{3}, std::uint64_t{4});

  EXPECT_EQ(ask(service, "a")->value, "a!");
  EXPECT_EQ(sum->value, 7U);
}

TEST_F(FaultyActor, answers_with_errors_that_say_when_to_come_back) {
  const auto service = front("error(503, retry_after 2s), error(\"no such item\"), ok");

  const auto first = ask(service, "a");
  const auto second = ask(service, "b");

  EXPECT_EQ(retry_after_of(first->error.value()), 2s);
  EXPECT_EQ(first->error.value().code(), static_cast<std::uint8_t>(caf::sec::invalid_argument));
  EXPECT_THAT(text_of(first->error), ::testing::HasSubstr("503"));
  EXPECT_THAT(text_of(second->error), ::testing::HasSubstr("no such item"));
  EXPECT_EQ(retry_after_of(second->error.value()), std::nullopt);
  EXPECT_EQ(ask(service, "c")->value, "c!");
}

TEST_F(FaultyActor, that_crashes_ends_with_what_it_says_and_takes_the_worker_with_it) {
  const auto service = front("ok, crash(\"no voltage\")");
  const auto reason = end_of(service);
  ask(service, "a");
  EXPECT_FALSE(*reason);
  EXPECT_EQ(*alive, 1);

  const auto answer = ask(service, "b");

  EXPECT_TRUE(answer->error == caf::sec::runtime_error);
  EXPECT_THAT(text_of(*reason), ::testing::HasSubstr("no voltage"));
  EXPECT_EQ(*alive, 0);
}

TEST_F(FaultyActor, that_stops_ends_normally_without_an_answer) {
  const auto service = front("stop");
  const auto reason = end_of(service);

  const auto answer = ask(service, "a");

  EXPECT_FALSE(answer->value);
  ASSERT_TRUE(*reason);
  EXPECT_EQ(**reason, caf::error{});
  EXPECT_EQ(*alive, 0);
}

TEST_F(FaultyActor, that_is_silent_takes_the_next_and_one_that_hangs_does_not) {
  const auto silent = front("silence");
  const auto hanging = front("hang");

  EXPECT_FALSE(ask(silent, "a")->is_ready());
  EXPECT_EQ(ask(silent, "b")->value, "b!");
  EXPECT_FALSE(ask(hanging, "a")->is_ready());
  EXPECT_FALSE(ask(hanging, "b")->is_ready());
}

TEST_F(FaultyActor, that_hangs_takes_no_fault_for_what_it_does_not_look_at) {
  const Faults faults{"hang, crash"};
  const auto service = front(faults);
  for (const auto* const text : {"a", "b", "c"})
    ask(service, text);

  EXPECT_EQ(faults.taken(), 1U);
}

TEST_F(FaultyActor, that_hangs_lets_its_clients_know_when_it_ends) {
  const auto service = front("hang");
  const auto first = ask(service, "a");
  const auto second = ask(service, "b");

  time.stop(service);
  time.run();

  EXPECT_TRUE(first->error == caf::sec::request_receiver_down);
  EXPECT_TRUE(second->error == caf::sec::request_receiver_down);
}

TEST_F(FaultyActor, that_is_slow_answers_when_the_time_is_over_and_not_before) {
  const auto service = front("slow 500ms, ok");
  const auto slow = ask(service, "slow");
  const auto quick = ask(service, "quick");

  EXPECT_EQ(quick->value, "quick!");
  time.advance(500ms - 1ns);
  EXPECT_FALSE(slow->is_ready());
  time.advance(1ns);
  EXPECT_EQ(slow->value, "slow!");
}

TEST_F(FaultyActor, refuses_what_was_slow_when_it_ends) {
  const auto crashing = front("slow 1s, crash");
  const auto before_crash = ask(crashing, "slow");
  ask(crashing, "crash");
  const auto ended = front("slow 1s");
  const auto before_end = ask(ended, "slow");
  time.stop(ended);
  time.run();

  EXPECT_TRUE(before_crash->error == caf::sec::request_receiver_down);
  EXPECT_TRUE(before_end->error == caf::sec::request_receiver_down);
}

TEST_F(FaultyActor, ends_with_the_reason_of_the_worker_when_that_ends) {
  const auto service = front({});
  const auto reason = end_of(service);

  const auto answer = ask(service, "crash");

  EXPECT_TRUE(answer->error);
  ASSERT_TRUE(*reason);
  EXPECT_TRUE(**reason == caf::sec::runtime_error);
}

TEST_F(FaultyActor, passes_on_the_questions_of_the_worker_and_what_is_answered) {
  const auto service = time.keep(faulty_actor(time.spawn<AskingWorker>(), {}));
  const auto answers = std::make_shared<Strings>();
  time.spawn<AskedClient>(service, answers);
  time.run();

  EXPECT_EQ(*answers, (Strings{"a number 3"}));
}

TEST_F(FaultyActor, kills_the_worker_when_it_is_ended) {
  const auto service = front({});
  EXPECT_EQ(*alive, 1);

  time.stop(service);
  time.run();

  EXPECT_EQ(*alive, 0);
}

TEST_F(FaultyActor, follows_another_plan_from_when_it_is_told) {
  const Faults faults{"error..."};
  const auto service = front(faults);
  EXPECT_TRUE(ask(service, "a")->error);

  faults.follow("ok, error");

  EXPECT_EQ(ask(service, "b")->value, "b!");
  EXPECT_TRUE(ask(service, "c")->error);
  EXPECT_EQ(ask(service, "d")->value, "d!");
  EXPECT_EQ(faults.taken(), 4U);
}

TEST_F(FaultyActor, notes_what_it_makes_go_wrong_in_the_timeline) {
  const Faults faults{"ok, error(503), crash"};
  faults.note_in(log);
  const auto service = front(faults);
  ask(service, "a");
  time.advance(10ms);
  ask(service, "b");
  time.advance(20ms);
  ask(service, "c");

  EXPECT_EQ(log.timeline(), "+0ns   (fault: error(503))\n+20ms  (fault: crash)\n");
}

TEST_F(FaultyActor, needs_somebody_to_stand_before) {
  EXPECT_THROW(faulty_actor(caf::actor{}, {}), InvalidArgument);
  EXPECT_THROW(faulty_children({}, {}), InvalidArgument);
}

} // namespace

} // namespace backoff_actor::kit_test
