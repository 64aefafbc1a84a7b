// A sender as a part of a composition (`f * g`), which CAF has until 1.0.

#include "fixture.hpp"

namespace backoff_actor::actor_test {

namespace {

// The stage that follows.
class Exclaims : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const std::string& text) { return text + "!"; }};
  }
};

} // namespace

class Compositions : public SenderTest {};

TEST_F(Compositions, give_what_a_sender_answers_to_the_next_stage) {
  start({{testing::crash()}});
  const auto composed = time.keep(time.system().spawn<Exclaims>()) * sender;

  const auto answer = time.ask<std::string>(composed, std::string{"a"});
  time.advance(10ms);

  EXPECT_EQ(answer->value, "a!");
}

} // namespace backoff_actor::actor_test
