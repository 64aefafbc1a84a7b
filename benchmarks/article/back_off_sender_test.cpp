// That the transcription does what the article's own tests saw, and errs as it does.

#include "article/back_off_sender.hpp"

#include <backoff_actor/testing/time/virtual_time.hpp>

#include <caf/scoped_actor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace transcription {

using namespace std::chrono_literals;
using backoff_actor::testing::VirtualTime;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// "set-err" arms it; "err" then fails eight times; anything else disarms it.
DangerousResource failing_eight_times() {
  return [is_armed = std::make_shared<bool>(false),
          failures = std::make_shared<int>(0)](const std::string& data) {
    if (data != "err")
      *is_armed = data == "set-err";
    else if (*is_armed && (*failures)++ < 8)
      throw std::runtime_error("Danger, High Voltage!");
    return data;
  };
}

backoff_actor::ExponentialBackOffSpec seeded() {
  backoff_actor::ExponentialBackOffSpec spec;
  spec.seed = 1;
  return spec;
}

class Client : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, caf::actor receiver, std::vector<Msg> messages,
         std::shared_ptr<std::vector<std::string>> answers)
    : caf::event_based_actor(config), receiver_(std::move(receiver)),
      messages_(std::move(messages)), answers_(std::move(answers)) {}

  caf::behavior make_behavior() override {
    for (const auto& message : messages_)
      send(receiver_, message);
    return {[this](const Msg& answer) { answers_->push_back(answer.data); }};
  }

private:
  caf::actor receiver_;
  std::vector<Msg> messages_;
  std::shared_ptr<std::vector<std::string>> answers_;
};

class ArticleTest : public ::testing::Test {
protected:
  void send(std::vector<Msg> messages) {
    time.keep(time.system().spawn<Client>(sender, std::move(messages), answers));
    time.run();
  }

  VirtualTime time{[](caf::actor_system_config& config) {
    backoff_actor::compat::register_types<caf::id_block::transcription>(config);
  }};
  std::shared_ptr<Counts> counts = std::make_shared<Counts>();
  std::shared_ptr<std::vector<std::string>> answers = std::make_shared<std::vector<std::string>>();
  caf::actor sender = time.keep(time.system().spawn<BackOffSender>(
    backoff_actor::child_of<DangerousActor>(failing_eight_times()), seeded(), counts));
};

TEST_F(ArticleTest, a_message_that_fails_eight_times_is_handed_over_nine_times_and_answered_once) {
  send({{1, "set-err"}});
  send({{1, "err"}});
  time.advance(15s);
  EXPECT_THAT(*answers, ElementsAre("set-err", "err"));
  EXPECT_EQ(counts->crashes, 8U);
  EXPECT_EQ(counts->hand_overs, 1U + 9U);
  EXPECT_EQ(counts->backoff.total_retries(), 8U);
  EXPECT_EQ(counts->backoff.resets(), 2U);
}

TEST_F(ArticleTest, every_crash_resends_all_of_ten_messages) {
  send({{1, "set-err"}});
  send({{1, "err"},
        {2, "test2"},
        {3, "test3"},
        {4, "test4"},
        {5, "test5"},
        {6, "test6"},
        {7, "test7"},
        {8, "test8"},
        {9, "test9"},
        {10, "test10"}});
  time.advance(15s);
  EXPECT_THAT(*answers, UnorderedElementsAre("set-err", "err", "test2", "test3", "test4", "test5",
                                             "test6", "test7", "test8", "test9", "test10"));
  EXPECT_EQ(counts->crashes, 8U);
  EXPECT_EQ(counts->hand_overs, 1U + 90U);
}

TEST_F(ArticleTest, an_acknowledgement_takes_every_message_with_its_id_along) {
  send({{1, "set-err"}, {1, "err"}});
  time.advance(15s);
  EXPECT_THAT(*answers, ElementsAre("set-err"));
  EXPECT_EQ(counts->hand_overs, 2U);
}

TEST(article, works_in_real_time) {
  caf::actor_system_config config;
  backoff_actor::init<caf::id_block::transcription>(config);
  caf::actor_system system{config};
  const auto counts = std::make_shared<Counts>();
  auto sender = system.spawn<BackOffSender>(
    backoff_actor::child_of<DangerousActor>(failing_eight_times()), seeded(), counts);
  caf::scoped_actor client{system};
  std::vector<std::string> answers;
  for (const auto* data : {"set-err", "err"}) {
    client->send(sender, Msg{1, data});
    client->receive([&](const Msg& answer) { answers.push_back(answer.data); },
                    caf::after(30s) >> [] {});
  }
  client->send_exit(sender, caf::exit_reason::kill);
  client->wait_for(sender);
  EXPECT_THAT(answers, ElementsAre("set-err", "err"));
  EXPECT_EQ(counts->crashes, 8U);
  EXPECT_EQ(counts->hand_overs, 1U + 9U);
}

} // namespace transcription
