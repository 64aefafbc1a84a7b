// Random walks of a sender with a pool. There is no reference beside the engine: after every step
// the contract's invariants must hold (contract.hpp), and those of a pool (pool_walk.hpp).

#include "pool_walk.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

namespace backoff_actor::model_test {

namespace {

// Which kinds may have workers of other processes.
enum class Visited { none, some, any };

template <class Theme>
bool pools_hold(Theme theme, Visited visited = Visited::none) {
  const auto make_walk = [=] {
    const auto conditions = *test::themed(arbitrary_conditions(), [=](Conditions& x) {
      x.has_fallback = 0;
      x.beginning = 0;
      x.hook = 0;
      x.ordering = 1 + x.ordering % 2; // not strict
      theme(x);
    });
    const auto pool = *test::themed(arbitrary_pool(), [=](PoolConditions& x) {
      if (visited == Visited::none)
        x.visited = 0;
      if (visited == Visited::some)
        x.visited = std::max(x.visited, 1);
    });
    const auto left =
      conditions.persist == 0
        ? std::vector<Command>{}
        : *rc::gen::resize(6, rc::gen::container<std::vector<Command>>(arbitrary_restore()));
    return PoolWalk{conditions, pool, left};
  };
  return test::walks_hold(make_walk, 6.0, arbitrary_pool_command());
}

void never_give_up(Conditions& x) {
  x.restart_limit = 0;
  x.max_elapsed = 0;
}

} // namespace

TEST(pool_walk, holds_when_order_is_kept_per_key) {
  EXPECT_TRUE(pools_hold([](Conditions& x) {
    never_give_up(x);
    x.ordering = static_cast<int>(Ordering::per_key);
    x.ack_timeout = 0;
    x.persist = 0;
  }));
}

TEST(pool_walk, holds_when_deliveries_are_unordered) {
  EXPECT_TRUE(pools_hold([](Conditions& x) {
    never_give_up(x);
    x.ordering = static_cast<int>(Ordering::unordered);
    x.ack_timeout = 0;
    x.persist = 0;
  }));
}

TEST(pool_walk, holds_when_workers_hang) {
  EXPECT_TRUE(pools_hold([](Conditions& x) {
    never_give_up(x);
    x.ack_timeout = std::max(x.ack_timeout, 1);
  }));
}

TEST(pool_walk, holds_when_workers_of_other_processes_come_and_go) {
  EXPECT_TRUE(pools_hold([](Conditions& x) { never_give_up(x); }, Visited::some));
}

TEST(pool_walk, holds_when_limits_end_the_sender) {
  EXPECT_TRUE(pools_hold([](Conditions& x) {
    if (x.max_elapsed == 0)
      x.restart_limit = std::max(x.restart_limit, 1);
  }));
}

TEST(pool_walk, holds_when_everything_happens_at_once) {
  EXPECT_TRUE(pools_hold([](Conditions&) {}, Visited::any));
}

} // namespace backoff_actor::model_test
