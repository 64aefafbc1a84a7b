// Who is made again, in which order, and when.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class SupervisorStrategies : public SupervisorTest {};

SupervisorOptions with(Strategy strategy) {
  SupervisorOptions options;
  options.strategy = strategy;
  return options;
}

TEST_F(SupervisorStrategies, children_are_started_in_order_and_ended_in_reverse) {
  start(specs("cab"));
  EXPECT_THAT(news(), ElementsAre("c1 up", "a1 up", "b1 up"));
  EXPECT_TRUE(ask_for<ChildCounts>(Stop{})->value);
  EXPECT_THAT(news(), ElementsAre("b1 ended", "a1 ended", "c1 ended"));
  EXPECT_TRUE(*ended && !**ended);
}

// Which child fails, under which strategy, and all that follows.
TEST_F(SupervisorStrategies, strategy_by_failing_child) {
  struct Row {
    Strategy strategy;
    std::string failing;
    Strings after_the_failure;
    Strings after_the_delay;
  };
  const std::vector<Row> rows{
    {Strategy::one_for_one, "a", {"a1 ended"}, {"a2 up"}},
    {Strategy::one_for_one, "b", {"b1 ended"}, {"b2 up"}},
    {Strategy::one_for_one, "c", {"c1 ended"}, {"c2 up"}},
    {Strategy::one_for_all, "a", {"a1 ended", "c1 ended", "b1 ended"}, {"a2 up", "b2 up", "c2 up"}},
    {Strategy::one_for_all, "b", {"b1 ended", "c1 ended", "a1 ended"}, {"a2 up", "b2 up", "c2 up"}},
    {Strategy::one_for_all, "c", {"c1 ended", "b1 ended", "a1 ended"}, {"a2 up", "b2 up", "c2 up"}},
    {Strategy::rest_for_one,
     "a",
     {"a1 ended", "c1 ended", "b1 ended"},
     {"a2 up", "b2 up", "c2 up"}},
    {Strategy::rest_for_one, "b", {"b1 ended", "c1 ended"}, {"b2 up", "c2 up"}},
    {Strategy::rest_for_one, "c", {"c1 ended"}, {"c2 up"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string{to_string(row.strategy)} + ", " + row.failing);
    *nursery = {};
    start(specs("abc"), with(row.strategy));
    news();
    tell(row.failing, "crash");
    EXPECT_EQ(news(), row.after_the_failure);
    time.advance(999ms);
    EXPECT_THAT(news(), IsEmpty());
    time.advance(1ms);
    EXPECT_EQ(news(), row.after_the_delay);
    time.stop(supervisor);
    time.run();
  }
}

} // namespace
} // namespace backoff_actor::actor_test
