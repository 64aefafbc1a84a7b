#include "engine_driver.hpp"

#include "backoff_actor/testing/record/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <variant>
#include <vector>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// -- submitting and acknowledging ---------------------------------------------

TEST(sender_deliveries, keeps_what_comes_before_the_first_child_is_there_in_order) {
  EngineDriver sender;
  EXPECT_THAT(sender.take(input::Start{}), ElementsAre("start child 1"));
  EXPECT_EQ(sender.engine->phase(), Phase::starting);
  EXPECT_THAT(sender.submit(), ElementsAre("accept 1"));
  EXPECT_THAT(sender.submit(), ElementsAre("accept 2"));

  EXPECT_THAT(sender.child_started(), ElementsAre("hand over 1", "hand over 2"));
  EXPECT_EQ(sender.engine->phase(), Phase::running);
}

TEST(sender_deliveries, acknowledges_in_any_order_and_then_owes_nothing) {
  EngineDriver sender;
  sender.start();
  for (int i = 0; i < 3; ++i)
    sender.submit();

  EXPECT_THAT(sender.ack(2), ElementsAre("acknowledge 2"));
  EXPECT_THAT(sender.ack(3), ElementsAre("acknowledge 3"));
  EXPECT_THAT(sender.ack(1), ElementsAre("acknowledge 1"));
  EXPECT_EQ(sender.engine->owed(), 0u);
}

TEST(sender_deliveries, starts_once) {
  EngineDriver sender;
  sender.start();

  EXPECT_THAT(sender.take(input::Start{}), IsEmpty());
}

// -- dead letters -------------------------------------------------------------

// The only one that the input leads to.
effect::DeadLetter dead_letter_after(EngineDriver& sender, const Input& input) {
  Effects effects;
  sender.engine->step(sender.now, input, effects);
  std::vector<effect::DeadLetter> result;
  for (const auto& effect : effects)
    if (const auto* const letter = std::get_if<effect::DeadLetter>(&effect))
      result.push_back(*letter);
  EXPECT_EQ(result.size(), 1u);
  return result.at(0);
}

TEST(sender_deliveries, a_dead_letter_says_how_often_it_was_tried_and_what_the_child_failed_of) {
  EngineDriver sender;
  sender.start();
  sender.now = Instant{5ms};
  sender.submit();
  sender.crash_and_resend(10ms);
  sender.crash(8);

  const auto letter = dead_letter_after(sender, input::Stop{});
  EXPECT_EQ(letter.reason, DeadLetterReason::stopped);
  EXPECT_EQ(letter.attempts, 2u);
  EXPECT_EQ(letter.delivery, 1u);
  EXPECT_EQ(letter.submitted_at, Instant{5ms});
  ASSERT_NE(letter.cause, nullptr);
  EXPECT_EQ(letter.cause->code, 8u);
}

TEST(sender_deliveries, what_is_rejected_was_tried_once_more) {
  EngineDriver sender;
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms);

  const auto letter =
    dead_letter_after(sender, input::Rejected{sender.hand_overs.at(1).back(), {9, "never"}});
  EXPECT_EQ(letter.attempts, 2u);
  ASSERT_NE(letter.cause, nullptr);
  EXPECT_EQ(letter.cause->code, 9u);
}

// -- events -------------------------------------------------------------------

TEST(sender_deliveries, has_the_name_of_its_sender_in_each_event) {
  std::vector<std::string> told;
  auto options = std::make_shared<EngineOptions>();
  options->name = "billing";
  options->on_event = [&](const Event& event) { told.push_back(to_string(event)); };
  SenderEngine first{options};
  SenderEngine second{options};
  Effects effects;
  first.step({}, input::Start{}, effects, 17);
  first.step({}, input::ChildStarted{1}, effects, 17); // while it has no work
  first.step({}, input::Submit{}, effects, 17);
  second.step({}, input::Start{}, effects, 18);
  second.step({}, Input{input::Submit{}}, effects, 18);
  first.step({}, input::Acknowledged{HandOverId::make(0, 1)}, effects, 17);
  first.step({}, input::Kill{}, effects);

  EXPECT_EQ(told, (std::vector<std::string>{
                    "billing#17: child 1 started",
                    "billing#17: delivery 1 accepted",
                    "billing#17: delivery 1 handed over to child 1",
                    "billing#18: delivery 1 accepted",
                    "billing#17: delivery 1 acknowledged after 0ns, 0 failed attempts",
                    "billing: sender stopped",
                  }))
    << "a step without a number leaves it out";
}

TEST(sender_deliveries, tells_the_whole_story_to_its_hook) {
  testing::EventLog log;
  EngineDriver sender{{.on_event = log.hook()}};
  sender.start();
  sender.submit();
  sender.crash_and_resend(10ms);
  sender.now = sender.now + Duration{5ms};
  sender.ack(1);
  sender.ack(1);
  sender.take(input::Stop{});
  sender.stop_normally();

  EXPECT_EQ(log.timeline(), "+0ns   child 1 started\n"
                            "+0ns   delivery 1 accepted\n"
                            "+0ns   delivery 1 handed over to child 1\n"
                            "+0ns   child 1 down: crash\n"
                            "+0ns   retry 1 in 10ms\n"
                            "+0ns   child 2 started\n"
                            "+10ms  delay ended\n"
                            "+10ms  delivery 1 handed over again to child 2\n"
                            "+15ms  delivery 1 acknowledged after 15ms, 1 failed attempt\n"
                            "+15ms  backoff reset\n"
                            "+15ms  acknowledgement 2 matches no delivery that is owed\n"
                            "+15ms  child 2 stopped normally\n"
                            "+15ms  sender stopped\n");
}

TEST(sender_deliveries, a_hook_that_throws_costs_nothing_and_each_exception_is_reported) {
  EngineDriver sender{{.on_event = [](const Event& event) {
    throw std::runtime_error("no room for " + to_string(event));
  }}};
  EXPECT_THAT(sender.take(input::Start{}), ElementsAre("start child 1"));
  EXPECT_THAT(sender.take(input::ChildStarted{1}),
              ElementsAre("hook failed: no room for child 1 started"));

  EXPECT_THAT(sender.submit(),
              UnorderedElementsAre("accept 1", "hook failed: no room for delivery 1 accepted",
                                   "hand over 1",
                                   "hook failed: no room for delivery 1 handed over to child 1"));
  EXPECT_THAT(sender.crash(), AllOf(Contains("start child 2"), Contains("wake at 10ms"),
                                    Contains("hook failed: no room for child 1 down: crash")));
}

} // namespace backoff_actor::engine_test
