// Random walks of inputs through the engine and, beside it, through the reference sender. After
// every step both must have asked for the same, told the same and be in the same state, and the
// contract's invariants must hold. The options are drawn as well; each test draws those of its
// theme and leaves the others alone.
//
//     reference_*.hpp      the sender in the most obvious way, written from the contract
//     contract.hpp         what holds whatever the reference says
//     store_contract.hpp   the part of it that a driver with a store counts on
//     walk_conditions.hpp  the options of a walk, drawn
//     walk_command.hpp     the commands of a walk, drawn
//     walk_lookup.hpp      what they refer to
//     side_by_side.hpp     both senders, which must agree after every step
//     walk.hpp             who resolves the commands, and the end at which all is worked off
//     story.hpp            the inputs of a failing walk in words, to make a unit test of
//
// common/random_walk.hpp says how a failing walk is shrunk, printed and repeated.

#include "walk.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

namespace backoff_actor::model_test {

// `theme` takes from the conditions what the test is not about.
template <class Theme>
bool walks_agree(Theme theme) {
  const auto make_walk = [=] {
    const auto conditions = *test::themed(arbitrary_conditions(), theme);
    const auto left =
      conditions.persist == 0
        ? std::vector<Command>{}
        : *rc::gen::resize(6, rc::gen::container<std::vector<Command>>(arbitrary_restore()));
    return Walk{conditions, left};
  };
  return test::walks_hold(make_walk, 6.0, arbitrary_command());
}

void without_hangs(Conditions& x) { x.ack_timeout = 0; }

void without_bounds(Conditions& x) {
  x.capacity = 0;
  x.capacity_bytes = 0;
  x.overflow = 0;
}

void without_limits(Conditions& x) {
  x.restart_limit = 0;
  x.max_elapsed = 0;
  x.has_fallback = 0;
  x.beginning = 0;
}

void only_retries(Conditions& x) {
  without_hangs(x);
  without_bounds(x);
  without_limits(x);
}

TEST(sender_engine_walk, agrees_when_a_child_works_on_one_in_strict_order) {
  EXPECT_TRUE(walks_agree([](Conditions& x) {
    only_retries(x);
    x.works_on = static_cast<int>(WorksOn::one);
    x.ordering = static_cast<int>(Ordering::strict);
  }));
}

TEST(sender_engine_walk, agrees_when_order_is_kept_per_key) {
  EXPECT_TRUE(walks_agree([](Conditions& x) {
    only_retries(x);
    x.ordering = static_cast<int>(Ordering::per_key);
  }));
}

TEST(sender_engine_walk, agrees_when_deliveries_are_unordered) {
  EXPECT_TRUE(walks_agree([](Conditions& x) {
    only_retries(x);
    x.ordering = static_cast<int>(Ordering::unordered);
  }));
}

TEST(sender_engine_walk, agrees_when_a_child_works_on_many) {
  EXPECT_TRUE(walks_agree([](Conditions& x) {
    only_retries(x);
    x.works_on = static_cast<int>(WorksOn::many);
  }));
}

TEST(sender_engine_walk, agrees_when_children_hang) {
  EXPECT_TRUE(walks_agree([](Conditions& x) {
    without_bounds(x);
    without_limits(x);
    x.ack_timeout = std::max(x.ack_timeout, 1);
  }));
}

TEST(sender_engine_walk, agrees_when_the_outbox_is_bounded) {
  EXPECT_TRUE(walks_agree([](Conditions& x) {
    without_hangs(x);
    without_limits(x);
    if (x.capacity_bytes == 0)
      x.capacity = std::max(x.capacity, 1);
  }));
}

TEST(sender_engine_walk, agrees_when_limits_end_the_sender) {
  EXPECT_TRUE(walks_agree([](Conditions& x) {
    without_bounds(x);
    x.has_fallback = 0;
    x.beginning = 0;
    if (x.max_elapsed == 0)
      x.restart_limit = std::max(x.restart_limit, 1);
  }));
}

TEST(sender_engine_walk, agrees_when_a_fallback_takes_over) {
  EXPECT_TRUE(walks_agree([](Conditions& x) {
    without_bounds(x);
    x.has_fallback = 1;
    if (x.max_elapsed == 0)
      x.restart_limit = 1 + x.restart_limit % 2;
  }));
}

TEST(sender_engine_walk, agrees_when_there_is_a_store_and_when_it_fails) {
  EXPECT_TRUE(walks_agree([](Conditions& x) {
    x.persist = 1;
    x.start %= 7;
  }));
}

TEST(sender_engine_walk, agrees_when_everything_happens_at_once) {
  EXPECT_TRUE(walks_agree([](Conditions&) {}));
}

} // namespace backoff_actor::model_test
