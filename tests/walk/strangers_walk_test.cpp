// Random walks through whole senders and supervisors in virtual time. Strangers send any message to
// anybody at any time. Workers crash, refuse, quit, cling to their senders and linger. Everybody
// may be told to end at any moment.
//
// common/random_walk.hpp says how a failing walk is shrunk, printed and repeated.

#include "strangers_walk.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace backoff_actor::actor_test::sender_walk {

namespace {

using Shape = Conditions::Shape;

Conditions any_conditions(Shape shape) {
  Conditions x;
  x.shape = shape;
  if (*test::below(2) == 0)
    x.acknowledgement = Acknowledgement::by_sent;
  x.strategy = static_cast<Strategy>(*test::below(3));
  x.has_ack_timeout = *test::below(2) == 0;
  x.clings = *test::below(3) == 0;
  x.is_linked = *test::below(3) == 0;
  x.lingers = *test::below(3) == 0;
  x.may_end = *test::below(2) == 0;
  x.may_freeze = *test::below(3) == 0;
  return x;
}

bool holds(Shape shape) {
  const auto make_walk = [=] { return Walk{any_conditions(shape)}; };
  return test::walks_hold(make_walk, 1.5, Step::any(test::below<std::uint32_t>(10'000)), 100);
}

} // namespace

TEST(strangers_walk, holds_for_senders_of_workers) { EXPECT_TRUE(holds(Shape::alone)); }

TEST(strangers_walk, holds_for_senders_of_senders) { EXPECT_TRUE(holds(Shape::nested)); }

TEST(strangers_walk, holds_for_senders_below_a_supervisor) {
  EXPECT_TRUE(holds(Shape::supervised));
}

TEST(strangers_walk, holds_for_senders_of_senders_below_a_supervisor) {
  EXPECT_TRUE(holds(Shape::nested_and_supervised));
}

} // namespace backoff_actor::actor_test::sender_walk
