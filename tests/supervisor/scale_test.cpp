// Supervisors with many children, all of which crash at once.

#include "supervisor_fixture.hpp"

namespace backoff_actor::actor_test {
namespace {

class SupervisorScale : public SupervisorTest {
protected:
  static constexpr std::uint64_t many = 10'000;

  std::vector<ChildSpec> many_specs() {
    std::vector<ChildSpec> result;
    for (std::uint64_t i = 0; i < many; ++i)
      result.push_back(spec(std::to_string(i)));
    return result;
  }

  void crash_all() {
    for (const auto& [id, actor] : nursery->actors)
      time.tell(actor, std::string{"crash"});
    time.run();
  }
};

TEST_F(SupervisorScale, ten_thousand_children_that_crash_at_once_come_back_by_one_timer) {
  start(many_specs());
  EXPECT_EQ(counts().running, many);
  crash_all();
  EXPECT_EQ(counts().waiting, many);
  EXPECT_EQ(time.timers(), 1u);
  EXPECT_EQ(time.advance(1s), 1u);
  const auto back = counts();
  EXPECT_EQ(back.running, many);
  EXPECT_EQ(back.restarts, many);
  EXPECT_EQ(time.timers(), 0u);
}

TEST_F(SupervisorScale, a_supervisor_obeys_while_ten_thousand_children_come_back) {
  auto children = many_specs();
  // Told when the first of them is made again.
  children[0].make = [this, make = children[0].make](caf::event_based_actor* self) {
    if (nursery->births["0"] == 1)
      time.tell(supervisor, TerminateChild{"9999"});
    return make(self);
  };
  start(std::move(children));
  crash_all();
  time.advance(1s);
  EXPECT_EQ(counts().running, many - 1);
  EXPECT_EQ(nursery->births["9998"], 2);
  EXPECT_EQ(nursery->births["9999"], 1); // it was called off before its turn
}

TEST_F(SupervisorScale, ten_thousand_children_are_ended_in_the_reverse_order) {
  start(many_specs());
  news();
  EXPECT_TRUE(ask_for<ChildCounts>(Stop{})->value);
  const auto diary = news();
  ASSERT_EQ(diary.size(), many);
  EXPECT_EQ(diary.front(), "99991 ended");
  EXPECT_EQ(diary[4999], "50001 ended");
  EXPECT_EQ(diary.back(), "01 ended");
}

} // namespace
} // namespace backoff_actor::actor_test
