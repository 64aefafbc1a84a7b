#include "backoff_actor/sinks/internal/families.hpp"

#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <gtest/gtest.h>

namespace backoff_actor::families_test {

namespace {

TEST(families, name_the_supervisors_of_senders_and_supervisors) {
  const Observatory observatory;
  auto& state = *observatory.state();
  const detail::SenderSeat sender{state.senders("orders"), 7};
  const auto supervisor_of_sender = [&] {
    return to_string(observatory.status(9, Instant{}).senders.at(0).supervisor);
  };
  EXPECT_EQ(supervisor_of_sender(), "");
  detail::SupervisorSeat root{state.supervisors("root"), state.families(), {"root", 5}};
  root.add_child(6);
  {
    detail::SupervisorSeat pool{state.supervisors("pool"), state.families(), {"pool", 6}};
    pool.add_child(7);
    EXPECT_EQ(supervisor_of_sender(), "pool#6");
    const auto supervisors = observatory.status(9, Instant{}).supervisors;
    ASSERT_EQ(supervisors.size(), 2u);
    EXPECT_EQ(to_string(supervisors[0].name), "pool#6");
    EXPECT_EQ(to_string(supervisors[0].supervisor), "root#5");
    EXPECT_EQ(to_string(supervisors[1].supervisor), "");
  }
  EXPECT_EQ(supervisor_of_sender(), "") << "its supervisor is seen no longer";
  root.add_child(7);
  EXPECT_EQ(supervisor_of_sender(), "root#5");
  root.remove_child(7);
  EXPECT_EQ(supervisor_of_sender(), "");
}

TEST(families, keep_the_present_supervisor_of_a_child_that_an_earlier_one_lets_go) {
  const Observatory observatory;
  auto& state = *observatory.state();
  const detail::SenderSeat sender{state.senders("orders"), 7};
  detail::SupervisorSeat earlier{state.supervisors("root"), state.families(), {"root", 5}};
  detail::SupervisorSeat present{state.supervisors("root"), state.families(), {"root", 6}};
  earlier.add_child(7);
  present.add_child(7);
  earlier.remove_child(7);
  EXPECT_EQ(to_string(observatory.status(9, Instant{}).senders.at(0).supervisor), "root#6");
}

} // namespace

} // namespace backoff_actor::families_test
