// Messages that CAF takes for orders to the actor which gets them. They are no work.

#include "fixture.hpp"

#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

namespace backoff_actor::actor_test {

namespace {

caf::message bare_error() {
  return caf::make_message(caf::make_error(caf::sec::runtime_error, std::string{"a client's"}));
}

caf::message exit_message() {
  return caf::make_message(caf::exit_msg{nullptr, caf::exit_reason::kill});
}

struct SystemMessageRow {
  const char* name;
  bool in_submit;
  caf::message (*make)();
};

} // namespace

class SystemMessages : public SenderTest, public ::testing::WithParamInterface<SystemMessageRow> {
protected:
  void SetUp() override {
    start_with(child_of<Echo>());
    time.run();
  }

  caf::message content() const {
    auto result = GetParam().make();
    if (!GetParam().in_submit)
      return result;
    Submit submission;
    submission.message = std::move(result);
    return caf::make_message(submission);
  }
};

TEST_P(SystemMessages, that_are_requests_are_refused_with_a_sentence) {
  const auto answer = time.ask<std::string>(sender, content());
  time.run();

  ASSERT_TRUE(answer->error);
  EXPECT_EQ(*answer->error, caf::sec::unexpected_message);
  EXPECT_THAT(text_of(answer->error),
              HasSubstr("which CAF handles as an order to the actor itself"));
  EXPECT_EQ(status().counters.refused, 1u);
  EXPECT_EQ(ask("a")->value, "a");
  EXPECT_EQ(crashes(), 0u);
}

TEST_P(SystemMessages, that_are_plain_sends_are_told_and_counted_as_refused) {
  time.spawn<Caller>([this](caf::event_based_actor* self) { self->send(sender, content()); });
  time.run();

  ASSERT_EQ(log.count<event::NotAccepted>(), 1u);
  EXPECT_EQ(log.all<event::NotAccepted>()[0].refusal, Refusal::unusable);
  EXPECT_EQ(status().counters.refused, 1u);
  EXPECT_EQ(ask("a")->value, "a");
  EXPECT_EQ(crashes(), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, SystemMessages,
                         ::testing::Values(SystemMessageRow{"error", false, bare_error},
                                           SystemMessageRow{"submitted_error", true, bare_error},
                                           SystemMessageRow{"submitted_exit", true, exit_message},
                                           SystemMessageRow{
                                             "timeout", false,
                                             [] { return caf::make_message(caf::timeout_msg{}); }}),
                         [](const auto& row) { return std::string{row.param.name}; });

class DownMessages : public SenderTest {};

TEST_F(DownMessages, that_are_requests_are_refused_with_a_sentence) {
  start_with(child_of<Echo>());
  time.run();

  const auto answer = time.ask<std::string>(sender, caf::down_msg{sender.address(), {}});
  time.run();

  ASSERT_TRUE(answer->error);
  EXPECT_EQ(*answer->error, caf::sec::unexpected_message);
  EXPECT_EQ(status().counters.refused, 1u);
}

} // namespace backoff_actor::actor_test
