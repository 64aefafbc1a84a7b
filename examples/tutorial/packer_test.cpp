// [fixture]
#include "packer.hpp"

#include <backoff_actor/testing/gmock.hpp>
#include <backoff_actor/testing/gtest.hpp>
#include <backoff_actor/testing/testing.hpp>

#include <stdexcept>

using namespace backoff_actor;
using namespace backoff_actor::testing;
using namespace std::chrono_literals;

class PackerTest : public VirtualTimeTest {
protected:
  PackerTest() : VirtualTimeTest{init<caf::id_block::shop>} {}

  static void print_label(const Order& order) {
    if (order.item == "anvil")
      throw std::runtime_error("too heavy");
  }

  const ChildFactory worker = child_of(packer, print_label);
};
// [fixture]

// [crash]
TEST_F(PackerTest, packs_an_order_although_it_crashes_twice) {
  const auto sender = start_sender(faulty_children(worker, "crash*2"), packer_options());
  const auto answer = ask<std::string>(sender, Order{1, "apples"});

  time.advance(1min);

  EXPECT_THAT(answer, Answered("packed apples"));
  EXPECT_THAT(log, SawInOrder(child_down(1), child_down(2), acknowledged(1, attempts(2))));
}
// [crash]

// [hang]
TEST_F(PackerTest, is_replaced_if_it_hangs) {
  const auto sender = start_sender(faulty_children(worker, "hang"), packer_options());
  const auto answer = ask<std::string>(sender, Order{1, "apples"});

  time.advance(5s);
  EXPECT_THAT(log, Saw(ack_timed_out(1)));

  time.advance(1min);
  EXPECT_THAT(answer, Answered("packed apples"));
}
// [hang]

// [poison]
TEST_F(PackerTest, gives_up_an_order_that_it_cannot_pack_and_packs_the_next) {
  const auto sender = start_sender(worker, packer_options());
  const auto anvil = ask<std::string>(sender, Order{1, "anvil"});
  const auto pears = ask<std::string>(sender, Order{2, "pears"});

  time.advance(1min);

  EXPECT_THAT(anvil, AnsweredError(SenderError::attempts_exhausted));
  EXPECT_THAT(log, SawTimes(5, child_down("too heavy")));
  EXPECT_THAT(pears, Answered("packed pears"));
}
// [poison]
