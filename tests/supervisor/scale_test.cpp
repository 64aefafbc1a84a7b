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

} // namespace
} // namespace backoff_actor::actor_test
