// Children that are added, or asked for by hand, while others are being started or wait for that.

#include "supervisor_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

namespace backoff_actor::engine_test {
namespace {

using namespace std::chrono_literals;
using supervisor_input::ChildDown;
using supervisor_input::ChildMade;
using supervisor_input::RestartChild;
using supervisor_input::Start;
using supervisor_input::StartChild;
using supervisor_input::TerminateChild;
using supervisor_input::Wake;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A group whose children are up.
class Group : public SupervisorDriver {
public:
  explicit Group(Strategy strategy, const std::vector<std::string>& ids = {"a", "b", "c"})
    : SupervisorDriver(ids, of(strategy)) {
    take_and_make(Start{});
  }

  static SupervisorEngineOptions of(Strategy strategy) {
    SupervisorEngineOptions options;
    options.strategy = strategy;
    return options;
  }

  Lines crash(const std::string& id) { return take(crash_of(actor(id))); }

  Lines end(const std::string& id) {
    return take(ChildDown{actor(id), Ending::shutdown, {}, Directive::restart});
  }

  void terminate(Ticket ticket, const std::string& id) {
    take(TerminateChild{ticket, id});
    end(id);
  }

  Lines made(const std::string& id) { return take(ChildMade{actor(id)}); }

  Lines wake_in(Duration span) {
    now = now + span;
    return take(Wake{});
  }
};

// Which of a, b and c fails, who is ended for it, and who starts again before c.
struct NewcomerRow {
  Strategy strategy;
  std::string failing;
  std::vector<std::string> ended;
  std::vector<std::string> again;
};

std::ostream& operator<<(std::ostream& out, const NewcomerRow& x) {
  return out << to_string(x.strategy) << ", " << x.failing;
}

class SupervisorNewcomers : public ::testing::TestWithParam<NewcomerRow> {};

TEST_P(SupervisorNewcomers, come_up_behind_their_group_whether_it_ends_or_waits_or_starts) {
  Group group{GetParam().strategy};
  group.crash(GetParam().failing);
  EXPECT_THAT(group.take(StartChild{7, group.entry("d")}), ElementsAre("keep d"));
  EXPECT_EQ(group.status("d").state, ChildState::waiting);
  EXPECT_EQ(group.status("d").due_in, 1s);
  for (const auto& id : GetParam().ended)
    group.end(id);
  EXPECT_THAT(group.take(StartChild{8, group.entry("e")}), ElementsAre("keep e"));
  group.wake_in(1s);
  EXPECT_THAT(group.take(StartChild{9, group.entry("f")}), ElementsAre("keep f"));
  for (const auto& id : GetParam().again)
    group.made(id);
  EXPECT_THAT(group.made("c"), ElementsAre("start d1"));
  EXPECT_THAT(group.made("d"), ElementsAre("answer 7 ok", "start e1"));
  EXPECT_THAT(group.made("e"), ElementsAre("answer 8 ok", "start f1"));
  EXPECT_THAT(group.made("f"), ElementsAre("answer 9 ok"));
}

INSTANTIATE_TEST_SUITE_P(
  groups, SupervisorNewcomers,
  ::testing::Values(NewcomerRow{Strategy::one_for_all, "a", {"c", "b"}, {"a", "b"}},
                    NewcomerRow{Strategy::one_for_all, "b", {"c", "a"}, {"a", "b"}},
                    NewcomerRow{Strategy::one_for_all, "c", {"b", "a"}, {"a", "b"}},
                    NewcomerRow{Strategy::rest_for_one, "a", {"c", "b"}, {"a", "b"}},
                    NewcomerRow{Strategy::rest_for_one, "b", {"c"}, {"b"}},
                    NewcomerRow{Strategy::rest_for_one, "c", {}, {}}));

TEST(SupervisorNewcomer, that_is_asked_for_again_waits_for_its_group) {
  for (const auto strategy : {Strategy::one_for_all, Strategy::rest_for_one}) {
    SCOPED_TRACE(to_string(strategy));
    Group group{strategy};
    group.terminate(1, "b");
    group.crash("a");
    EXPECT_THAT(group.take(RestartChild{7, "b"}), IsEmpty());
    EXPECT_EQ(group.status("b").state, ChildState::waiting);
    EXPECT_EQ(group.status("b").stopped, StoppedBecause::not_stopped);
    EXPECT_THAT(group.take(RestartChild{8, "b"}), ElementsAre("answer 8 restarting"));
    group.end("c");
    EXPECT_THAT(group.wake_in(1s), ElementsAre("start a2"));
    EXPECT_THAT(group.made("a"), ElementsAre("start b2"));
    EXPECT_THAT(group.made("b"), ElementsAre("answer 7 ok", "start c2"));
  }
}

TEST(SupervisorNewcomer, is_restarted_with_the_group_that_it_joined) {
  Group group{Strategy::rest_for_one, {"a", "b"}};
  group.crash("b");
  group.take(StartChild{7, group.entry("c")});
  EXPECT_THAT(group.crash("a"), IsEmpty()) << "the group is larger now, and waits";
  EXPECT_THAT(group.wake_in(1s), ElementsAre("start a2"));
  EXPECT_THAT(group.made("a"), ElementsAre("start b2"));
  EXPECT_THAT(group.made("b"), ElementsAre("start c1"));
  EXPECT_THAT(group.made("c"), ElementsAre("answer 7 ok"));
}

TEST(SupervisorNewcomer, in_front_of_the_group_does_not_wait_for_it) {
  Group group{Strategy::rest_for_one};
  group.terminate(1, "a");
  group.crash("b");
  group.end("c");
  EXPECT_THAT(group.take(RestartChild{7, "a"}), ElementsAre("start a2"));
  EXPECT_THAT(group.made("a"), ElementsAre("answer 7 ok"));
  EXPECT_THAT(group.wake_in(1s), ElementsAre("start b2"));
}

TEST(SupervisorNewcomer, whose_group_is_nobody_any_more_does_not_wait) {
  Group group{Strategy::one_for_all, {"a"}};
  group.crash("a");
  group.take(TerminateChild{6, "a"});
  EXPECT_THAT(group.take(RestartChild{7, "a"}), ElementsAre("start a2"));
}

TEST(SupervisorNewcomer, in_front_of_the_group_is_waited_for_when_that_starts) {
  Group group{Strategy::rest_for_one};
  group.terminate(1, "a");
  group.crash("b");
  group.end("c");
  group.take(RestartChild{7, "a"});
  EXPECT_THAT(group.wake_in(1s), IsEmpty()) << "the first is not up yet";
  EXPECT_THAT(group.made("a"), ElementsAre("answer 7 ok", "start b2"));
}

TEST(SupervisorNewcomer, in_front_of_a_group_that_starts_is_waited_for_by_those_that_have_not) {
  Group group{Strategy::one_for_all};
  group.terminate(1, "a");
  group.crash("b");
  group.end("c");
  group.wake_in(1s); // b starts
  EXPECT_THAT(group.take(RestartChild{7, "a"}), ElementsAre("start a2"));
  EXPECT_THAT(group.made("b"), IsEmpty());
  EXPECT_THAT(group.made("a"), ElementsAre("answer 7 ok", "start c2"));
}

TEST(SupervisorNewcomer, that_cannot_be_started_is_forgotten_and_its_group_goes_on) {
  Group group{Strategy::one_for_all, {"a"}};
  group.crash("a");
  group.take(StartChild{7, group.entry("b")});
  group.take(StartChild{8, group.entry("c")});
  group.wake_in(1s);
  group.made("a");
  EXPECT_THAT(
    group.take(supervisor_input::StartFailed{group.actor("b"), {1, "none"}, Directive::restart}),
    ElementsAre("answer 7 start_failed", "forget 2", "start c1"));
}

// What an operator asks of a child that has joined a group, and what whoever asked for it is told.
TEST(SupervisorNewcomer, is_answered_for_whatever_is_asked_while_it_waits) {
  Group group{Strategy::one_for_all, {"a"}};
  group.crash("a");
  group.take(StartChild{7, group.entry("b")});
  EXPECT_THAT(group.take(StartChild{8, group.entry("b")}), ElementsAre("answer 8 already_present"));
  EXPECT_THAT(group.take(supervisor_input::DeleteChild{9, "b"}),
              ElementsAre("answer 9 restarting"));
  EXPECT_THAT(group.take(TerminateChild{10, "b"}),
              ElementsAre("answer 7 terminated", "answer 10 ok"));
  group.take(StartChild{11, group.entry("c")});
  EXPECT_THAT(group.take(supervisor_input::RetryNow{12, "c"}),
              ElementsAre("answer 12 ok", "wake at 0ns"));
  EXPECT_THAT(group.take(supervisor_input::Stop{}),
              ElementsAre("begin to stop", "answer 11 stopping", "quit"));
}

TEST(SupervisorNewcomer, waits_for_the_first_children_but_does_not_belong_to_them) {
  SupervisorDriver supervisor{{"a", "b"}};
  supervisor.take(Start{});
  EXPECT_THAT(supervisor.take(StartChild{7, supervisor.entry("c")}), ElementsAre("keep c"));
  supervisor.take(ChildMade{supervisor.actor("a")});
  EXPECT_THAT(supervisor.take(ChildMade{supervisor.actor("b")}), ElementsAre("started", "start c1"))
    << "the supervisor is up when its first children are";
  EXPECT_THAT(supervisor.take(ChildMade{supervisor.actor("c")}), ElementsAre("answer 7 ok"));
}

} // namespace
} // namespace backoff_actor::engine_test
