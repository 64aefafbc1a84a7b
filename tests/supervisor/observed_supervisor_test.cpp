// What an observatory sees of supervisors.

#include "supervisor_fixture.hpp"

#include "common/metric_value.hpp"

#include "backoff_actor/sinks/internal/observatory_state.hpp"

namespace backoff_actor::actor_test {
namespace {

using testing::value_of;

class ObservedSupervisor : public SupervisorTest {
protected:
  SupervisorOptions observed() const {
    SupervisorOptions options;
    options.name = "root";
    options.observed_by = observatory;
    return options;
  }

  std::optional<double> children(const char* state) {
    return value_of(observatory.metrics(time.now()), "backoff_supervisor_children",
                    {{"supervisor", "root"}, {"state", state}});
  }

  std::optional<double> value(const std::string& metric) {
    return value_of(observatory.metrics(time.now()), "backoff_supervisor_" + metric,
                    {{"supervisor", "root"}});
  }

  Observatory observatory;
};

TEST_F(ObservedSupervisor, is_seen_with_its_children_by_their_state) {
  start(specs("abc", plain()), observed());
  EXPECT_EQ(children("running"), 3);
  EXPECT_EQ(children("waiting"), 0);
  tell("a", "crash");
  EXPECT_EQ(children("running"), 2);
  EXPECT_EQ(children("waiting"), 1);
  EXPECT_EQ(value("restarts_total"), 0);
  time.advance(1min);
  EXPECT_EQ(children("running"), 3);
  EXPECT_EQ(value("restarts_total"), 1);
  const auto seen = observatory.status(9, time.now()).supervisors;
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(to_string(seen[0].name), "root#" + std::to_string(supervisor.id()));
  EXPECT_EQ(seen[0].running, 3u);
}

TEST_F(ObservedSupervisor, shows_which_supervisor_and_which_sender_is_its_child) {
  auto below = observed();
  below.name = "below";
  SenderOptions of_sender;
  of_sender.name = "orders";
  of_sender.observed_by = observatory;
  start({supervisor_spec("below", {sender_spec("sender", kid("a"), of_sender)}, below)},
        observed());
  const auto seen = observatory.status(9, time.now());
  ASSERT_EQ(seen.senders.size(), 1u);
  EXPECT_EQ(seen.senders[0].supervisor.kind, "below");
  ASSERT_EQ(seen.supervisors.size(), 2u);
  EXPECT_EQ(seen.supervisors[0].name, seen.senders[0].supervisor);
  EXPECT_EQ(to_string(seen.supervisors[0].supervisor), "root#" + std::to_string(supervisor.id()));
  EXPECT_EQ(to_string(seen.supervisors[1].supervisor), "") << "nobody supervises the root";
}

// The children are no senders. A seat with the number of one stands for a sender.
TEST_F(ObservedSupervisor, shows_a_child_no_longer_that_is_down) {
  start(specs("a", plain()), observed());
  const detail::SenderSeat child{observatory.state()->senders("orders"), nursery->actors["a"].id()};
  const auto seen = [&] { return observatory.status(9, time.now()).senders.at(0).supervisor; };
  EXPECT_EQ(to_string(seen()), "root#" + std::to_string(supervisor.id()));
  tell("a", "crash");
  EXPECT_EQ(to_string(seen()), "");
  time.advance(1min);
  EXPECT_EQ(children("running"), 1);
  EXPECT_EQ(to_string(seen()), "") << "the next actor has another number";
}

TEST_F(ObservedSupervisor, that_ends_because_of_a_child_is_an_escalation) {
  auto options = observed();
  options.restart_limit = RestartLimit{0, 1h};
  start(specs("a", plain()), options);
  tell("a", "crash");
  time.advance(1min);
  EXPECT_TRUE(*ended);
  EXPECT_EQ(value("escalations_total"), 1);
  EXPECT_EQ(children("running"), 0);
  EXPECT_TRUE(observatory.status(9, time.now()).supervisors.empty());
}

TEST_F(ObservedSupervisor, that_is_told_to_end_is_no_escalation) {
  start(specs("a", plain()), observed());
  tell("a", "crash");
  time.advance(1min);
  time.stop(supervisor);
  time.advance(1min);
  EXPECT_TRUE(*ended);
  EXPECT_EQ(value("escalations_total"), 0);
  EXPECT_EQ(value("restarts_total"), 1);
}

} // namespace
} // namespace backoff_actor::actor_test
