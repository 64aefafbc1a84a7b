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
  PackerTest() : VirtualTimeTest{init<caf::id_block::shop>} {} // registers the message types

  // The label printer of the tests: it fails for anvils.
  static void print_label(const Order& order) {
    if (order.item == "anvil")
      throw std::runtime_error("too heavy");
  }

  // Starts packers that use this printer.
  const ChildFactory worker = child_of(packer, print_label);
};
// [fixture]

// [crash]
TEST_F(PackerTest, an_order_is_packed_although_two_packers_crash) {
  const auto sender = start_sender(faulty_children(worker, "crash*2"), packer_options());
  const auto answer = ask<std::string>(sender, Order{1, "apples"});

  time.advance(1min);

  EXPECT_THAT(answer, Answered("packed apples"));
  EXPECT_THAT(log, SawInOrder(child_down(1), child_down(2), acknowledged(1, attempts(2))));
}
// [crash]

// [hang]
TEST_F(PackerTest, a_packer_that_hangs_is_replaced) {
  const auto sender = start_sender(faulty_children(worker, "hang"), packer_options());
  const auto answer = ask<std::string>(sender, Order{1, "apples"});

  time.advance(5s); // the ack_timeout
  EXPECT_THAT(log, Saw(ack_timed_out(1)));

  time.advance(1min);
  EXPECT_THAT(answer, Answered("packed apples"));
}
// [hang]

// [poison]
TEST_F(PackerTest, an_order_that_crashes_every_packer_becomes_a_dead_letter) {
  const auto sender = start_sender(worker, packer_options());
  const auto anvil = ask<std::string>(sender, Order{1, "anvil"});
  const auto pears = ask<std::string>(sender, Order{2, "pears"});

  time.advance(1min);

  EXPECT_THAT(anvil, AnsweredError(SenderError::attempts_exhausted));
  EXPECT_THAT(log, SawTimes(5, child_down("too heavy")));
  EXPECT_THAT(pears, Answered("packed pears"));
}
// [poison]
