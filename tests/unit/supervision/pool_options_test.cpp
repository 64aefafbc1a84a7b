#include "backoff_actor/supervision/pool_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace backoff_actor {

namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The fields that are wrong, each with what it may be.
std::vector<std::string> problems_of(const WorkerPool& pool) {
  std::vector<std::string> result;
  const auto problems = check(pool);
  for (const auto& x : problems.list())
    result.push_back(x.field + ": got " + x.given + ", allowed " + x.allowed);
  return result;
}

TEST(worker_pool, is_right_by_default) {
  EXPECT_THAT(problems_of({}), IsEmpty());
  EXPECT_THAT(problems_of({{{{0, 1000}, 1024}}, {}}), IsEmpty());
}

TEST(worker_pool, names_every_number_that_cannot_be) {
  const WorkerPool pool{{{{3, 2}, 0}, {{0, 0}, 1025}},
                        {0, milliseconds{0}, std::chrono::hours{25}}};
  EXPECT_THAT(problems_of(pool),
              ElementsAre("kinds[0].workers.least: got 3, allowed 0..2, the most",
                          "kinds[0].max_in_flight: got 0, allowed 1..1024",
                          "kinds[1].workers.most: got 0, allowed 1..1000",
                          "kinds[1].max_in_flight: got 1025, allowed 1..1024",
                          "scaling.backlog_per_worker: got 0, allowed 1..1000000",
                          "scaling.grow_after: got 0ns, allowed 1ms..24h",
                          "scaling.shrink_after: got 25h, allowed 1ms..24h"));
}

TEST(worker_pool, has_a_thousand_workers_of_all_kinds_at_the_most) {
  EXPECT_THAT(problems_of({{{{1, 600}, 1}, {{1, 600}, 1}}, {}}),
              ElementsAre("kinds: got 1200 workers, allowed 1..1000 of all kinds together"));
}

} // namespace

} // namespace backoff_actor
