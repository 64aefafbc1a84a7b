// Senders below a supervisor: a sender ends after its worker.

#include "supervisor_fixture.hpp"

#include <caf/exit_reason.hpp>

namespace backoff_actor::actor_test {

namespace {

// A worker that ends when it is told to go, and not when it is asked to end.
class Lingerer : public caf::event_based_actor {
public:
  Lingerer(caf::actor_config& config, std::shared_ptr<Nursery> nursery)
    : caf::event_based_actor(config), nursery_(std::move(nursery)) {
    if (++nursery_->alive["worker"] > 1)
      nursery_->twins.emplace_back("worker");
  }

  caf::behavior make_behavior() override {
    const auto linger = compat::on_exit_message(
      *this, [this](const caf::exit_msg&) { nursery_->diary.emplace_back("worker asked"); });
    return {linger, [this](const std::string& what) {
              if (what == "go")
                quit();
              return what;
            }};
  }

  void on_exit() override {
    nursery_->diary.emplace_back("worker ended");
    --nursery_->alive["worker"];
  }

private:
  std::shared_ptr<Nursery> nursery_;
};

} // namespace

class SendersBelow : public SupervisorTest {
protected:
  ChildSpec sender_of_lingerer(Shutdown shutdown = Shutdown::within(5s)) {
    SenderOptions options;
    options.kill_grace = 1s; // is not what counts
    auto result = sender_spec(
      "s",
      [nursery = nursery](caf::event_based_actor* sender) {
        return nursery->actors["worker"] = sender->spawn<Lingerer>(nursery);
      },
      options);
    result.make = [nursery = nursery, make = result.make](caf::event_based_actor* self) {
      return nursery->actors["s"] = make(self);
    };
    result.options = plain();
    result.options.shutdown = shutdown;
    return result;
  }
};

TEST_F(SendersBelow, end_after_their_workers_and_before_what_those_stand_on) {
  start({spec("base"), sender_of_lingerer()});
  news();
  const auto stopped = ask_for<ChildCounts>(Stop{});
  EXPECT_THAT(news(), ElementsAre("worker asked"));
  time.advance(4s);
  EXPECT_THAT(news(), IsEmpty());
  EXPECT_FALSE(stopped->value);
  tell("worker", "go");
  EXPECT_THAT(news(), ElementsAre("worker ended", "base1 ended"));
  EXPECT_TRUE(stopped->value);
}

TEST_F(SendersBelow, give_their_workers_the_time_of_the_spec) {
  start({spec("base"), sender_of_lingerer(Shutdown::within(5s))});
  news();
  const auto stopped = ask_for<ChildCounts>(Stop{});
  time.advance(5s - 1ns);
  EXPECT_THAT(news(), ElementsAre("worker asked"));
  time.advance(1ns);
  EXPECT_THAT(news(), ElementsAre("worker asked", "worker ended", "base1 ended"));
  EXPECT_TRUE(stopped->value);
}

TEST_F(SendersBelow, wait_for_ever_if_the_spec_does) {
  start({sender_of_lingerer(Shutdown::wait())});
  const auto stopped = ask_for<ChildCounts>(Stop{});
  time.advance(24h);
  EXPECT_FALSE(stopped->value);
  tell("worker", "go");
  EXPECT_TRUE(stopped->value);
}

// The fixture fails if there ever are two workers.
TEST_F(SendersBelow, are_made_again_when_their_workers_have_ended) {
  SupervisorOptions options;
  options.strategy = Strategy::one_for_all;
  start({spec("a"), sender_of_lingerer()}, options);
  tell("a", "crash");
  time.advance(2s);
  EXPECT_EQ(nursery->alive["worker"], 1) << "the old one";
  EXPECT_EQ(nursery->births["a"], 1);
  tell("worker", "go");
  time.advance(2s);
  EXPECT_EQ(nursery->alive["worker"], 1) << "the new one";
  EXPECT_EQ(states(), "a running, s running");
}

TEST_F(SendersBelow, that_are_to_be_killed_kill_their_workers) {
  start({sender_of_lingerer(Shutdown::at_once())});
  news();
  const auto stopped = ask_for<ChildCounts>(Stop{});
  EXPECT_TRUE(stopped->value);
  EXPECT_EQ(nursery->alive["worker"], 0);
}

} // namespace backoff_actor::actor_test
