// Random walks through the lives of senders that follow each other with the same store. A sender is
// stopped, or its process dies, at any time; what was not committed by then is lost, in order. The
// next begins with what is on the disk.
//
// Whatever happens, what a client was promised ends, or is in the store; what has ended on the disk
// never comes back; and what comes back in a later life does so because the process died before its
// end was stored. Each life is also a walk beside the reference, with all that the contract says.
//
//     simulated_store.hpp   the disk, and what is on its way there
//     restart_action.hpp      what happens, drawn
//     lives.hpp             the senders, one after the other
//
// common/random_walk.hpp says how a failing walk is shrunk, printed and repeated.

#include "lives.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace backoff_actor::model_test {

namespace {

template <class Theme>
bool lives_agree(Theme theme) {
  const auto make_lives = [=] {
    return Lives{*test::themed(arbitrary_conditions(), [=](Conditions& x) {
      x.persist = 1;
      x.start = x.gap = x.beginning = 0;
      theme(x);
    })};
  };
  return test::walks_hold(make_lives, 5.0, arbitrary_action());
}

} // namespace

TEST(restart_walk, loses_nothing_that_was_confirmed_and_brings_nothing_back_that_has_ended) {
  EXPECT_TRUE(lives_agree([](Conditions& x) {
    x.restart_limit = x.max_elapsed = x.has_fallback = x.ack_timeout = 0;
    x.capacity = x.capacity_bytes = x.overflow = 0;
  }));
}

TEST(restart_walk, holds_when_limits_end_senders_and_the_outbox_is_bounded) {
  EXPECT_TRUE(lives_agree([](Conditions& x) {
    x.has_fallback = 0;
    if (x.max_elapsed == 0)
      x.restart_limit = std::max(x.restart_limit, 1);
  }));
}

TEST(restart_walk, holds_when_everything_happens_at_once) {
  EXPECT_TRUE(lives_agree([](Conditions&) {}));
}

} // namespace backoff_actor::model_test
