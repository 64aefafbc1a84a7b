// The worker of docs/how-to/do_work_once.md.

#include "printer.hpp"

#include <backoff_actor/testing/gmock.hpp>
#include <backoff_actor/testing/gtest.hpp>
#include <backoff_actor/testing/testing.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace backoff_actor;
using namespace backoff_actor::testing;
using namespace std::chrono_literals;
using ::testing::ElementsAre;

class OnceTest : public VirtualTimeTest {
protected:
  std::vector<std::string> printed;

  // As a worker that another node has published: each child of the sender is this one actor.
  const caf::actor printer = time.spawn<print::Printer>([this](const std::string& page) {
    printed.push_back(page);
    return "receipt " + std::to_string(printed.size());
  });
  const ChildFactory published{[this](caf::event_based_actor*, const ChildPromise& child) {
    child.deliver(printer, Ownership::shared);
  }};
};

// [paused]
TEST_F(OnceTest, a_page_is_printed_once_although_it_is_delivered_several_times) {
  const auto sender = start_sender(published, print::supervision());
  time.freeze(printer); // as SIGSTOP pauses a process
  const auto answer = ask<std::string>(sender, std::string{"page 1"});
  time.advance(1min);
  EXPECT_THAT(log, SawInOrder(ack_timed_out(1), handed_over_again(1)));

  time.thaw(printer);
  time.run();

  EXPECT_THAT(printed, ElementsAre("page 1"));
  EXPECT_THAT(answer, Answered("receipt 1"));
}
// [paused]

TEST_F(OnceTest, the_next_page_is_printed_too) {
  const auto sender = start_sender(published, print::supervision());

  EXPECT_THAT(ask<std::string>(sender, std::string{"page 1"}), Answered("receipt 1"));
  EXPECT_THAT(ask<std::string>(sender, std::string{"page 1"}), Answered("receipt 2"))
    << "the same text in another message";
  EXPECT_THAT(printed, ElementsAre("page 1", "page 1"));
}

TEST_F(OnceTest, what_is_no_page_is_rejected) {
  const auto sender = start_sender(published, print::supervision());

  EXPECT_THAT(ask<std::string>(sender, std::uint64_t{7}),
              AnsweredError(caf::sec::unexpected_message));
  EXPECT_THAT(printed, ElementsAre());
}

} // namespace
