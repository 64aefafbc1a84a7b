// Random walks of inputs through the engine of one supervisor and, beside it, through the
// reference. After every step both must have asked for the same, told the same and be in the same
// state, and what a driver may count on must hold. The options of the supervisor and its children
// are drawn as well; each test draws those of its theme.
//
//     reference_supervisor*.hpp  the supervisor in the most obvious way, written from the contract
//     supervisor_account*.hpp    what holds whatever the reference says
//     checked_supervisor.hpp     both side by side
//     supervisor_conditions.hpp  the options of a walk, drawn
//     supervisor_command.hpp     the commands of a walk, drawn
//     supervisor_walk.hpp        who resolves them, and the end
//
// common/random_walk.hpp says how a failing walk is shrunk, printed and repeated.

#include "supervisor_walk.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace backoff_actor::model_test {

namespace {

// `theme` takes from the conditions what the test is not about.
template <class Theme>
bool supervisor_walks_agree(Theme theme) {
  const auto make_walk = [=] {
    const auto conditions = *test::themed(arbitrary_supervisor(), theme);
    const auto come_up_at_first = *rc::gen::arbitrary<bool>();
    return SupervisorWalk{conditions, come_up_at_first};
  };
  return test::walks_hold(make_walk, 4.0, arbitrary_supervisor_command());
}

} // namespace

TEST(supervisor_walk, agrees_when_each_child_is_restarted_for_itself) {
  EXPECT_TRUE(supervisor_walks_agree([](SupervisorConditions& x) {
    x.strategy = static_cast<int>(Strategy::one_for_one);
    x.dynamic = 0;
  }));
}

TEST(supervisor_walk, agrees_when_children_are_restarted_together) {
  EXPECT_TRUE(supervisor_walks_agree(
    [](SupervisorConditions& x) { x.strategy = static_cast<int>(Strategy::one_for_all); }));
}

TEST(supervisor_walk, agrees_when_those_behind_a_child_are_restarted_with_it) {
  EXPECT_TRUE(supervisor_walks_agree(
    [](SupervisorConditions& x) { x.strategy = static_cast<int>(Strategy::rest_for_one); }));
}

TEST(supervisor_walk, agrees_when_children_come_and_go) {
  EXPECT_TRUE(supervisor_walks_agree([](SupervisorConditions& x) {
    x.strategy = static_cast<int>(Strategy::one_for_one);
    x.dynamic = 1;
  }));
}

TEST(supervisor_walk, agrees_when_no_limit_ends_anything) {
  EXPECT_TRUE(supervisor_walks_agree([](SupervisorConditions& x) {
    x.limit = 0;
    x.auto_shutdown = 0;
    x.on_start_timeout = 0;
    for (auto& child : x.first)
      child.limit = 0;
  }));
}

// Now and then there are more children than are started at once, whose restarts can be due
// together.
TEST(supervisor_walk, agrees_when_everything_happens) {
  EXPECT_TRUE(supervisor_walks_agree([](SupervisorConditions& x) {
    if (x.seed % 32 != 31)
      return;
    x.crowd = SupervisorEngine::batch + x.seed % 20;
    x.limit = 0;
    x.first.resize(1);
    x.first[0].limit = 0;
    x.first[0].shutdown = 3 * (x.first[0].shutdown % 2);
    x.first[0].backoff %= 2;
  }));
}

} // namespace backoff_actor::model_test
