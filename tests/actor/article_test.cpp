// The tests of the article's own code, on its own worker.

#include "fixture.hpp"

#include "article/article.hpp"

namespace backoff_actor::actor_test {

class Article : public testing::VirtualTimeTest {
protected:
  Article() : VirtualTimeTest{[](auto& config) { init<caf::id_block::article>(config); }} {}

  void SetUp() override {
    SenderOptions options;
    options.acknowledgement = Acknowledgement::by_sent;
    options.seed = 1;
    options.stream = 0;
    sender = start_sender(
      child_of<article::DangerousActor>(std::make_shared<article::DangerousResource>()), options);
  }

  auto ask(std::uint64_t id, const std::string& data) {
    return time.ask<article::Msg>(sender, article::Msg{id, data});
  }

  caf::actor sender;
};

TEST_F(Article, a_message_that_fails_eight_times_is_answered_once_in_the_end) {
  const auto armed = ask(1, "set-err");
  time.run();
  ASSERT_TRUE(armed->value);
  EXPECT_EQ(log.count<event::BackOffReset>(), 0u) << "there was nothing to reset";

  const auto answer = ask(1, "err");
  time.advance(15s);

  ASSERT_TRUE(answer->value);
  EXPECT_EQ(answer->value->id, 1u);
  EXPECT_EQ(answer->value->data, "err");
  EXPECT_EQ(log.count<event::ChildDown>(), 8u);
  EXPECT_EQ(log.count<event::Acknowledged>(), 2u);
  const auto resets = log.all<event::BackOffReset>();
  ASSERT_EQ(resets.size(), 1u);
  EXPECT_EQ(resets[0].backoff.total_retries(), 8u);
  EXPECT_EQ(resets[0].backoff.resets(), 2u);
}

TEST_F(Article, ten_messages_with_the_error_in_the_middle_are_all_answered_in_order) {
  std::vector<std::shared_ptr<testing::Answer<article::Msg>>> answers{ask(1, "set-err"),
                                                                      ask(2, "err")};
  for (std::uint64_t id = 3; id <= 10; ++id)
    answers.push_back(ask(id, "test" + std::to_string(id)));
  time.advance(10s);

  for (std::uint64_t id = 1; id <= 10; ++id) {
    ASSERT_TRUE(answers[id - 1]->value) << id;
    EXPECT_EQ(answers[id - 1]->value->id, id);
  }
  EXPECT_EQ(answers[9]->value->data, "test10");
  EXPECT_EQ(log.count<event::ChildDown>(), 8u);
  std::vector<std::uint64_t> order;
  for (const auto& x : log.all<event::Acknowledged>())
    order.push_back(x.delivery);
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

TEST_F(Article, the_cause_of_each_crash_is_what_the_resource_said) {
  ask(1, "set-err");
  ask(2, "err");
  time.advance(15s);

  const auto downs = log.all<event::ChildDown>();
  ASSERT_EQ(downs.size(), 8u);
  EXPECT_EQ(downs[0].cause.text, "Danger, High Voltage!");
}

} // namespace backoff_actor::actor_test
