// What a program that does not end says.

#include "backoff_actor/observe/internal/owing_senders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace backoff_actor {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

OwingSender sender(std::uint64_t number, Duration age) {
  SenderStatus status;
  status.name = {"billing", number};
  status.phase = Phase::running;
  status.owed = 1;
  status.in_flight = 1;
  status.oldest_age = age;
  status.incarnation = 1;
  return {to_string(status.name), status};
}

// A sender after a change of its status.
OwingSender sender_that(const std::function<void(SenderStatus&)>& change) {
  auto result = sender(1, 5s);
  change(*result.status);
  return result;
}

TEST(ExitReportLines, name_a_sender_its_state_and_what_would_end_it) {
  EXPECT_THAT(
    exit_report_lines({sender(17, 7s + 204'182us)}, 5s),
    ElementsAre("after 5s the actor system still waits for 1 sender (1 delivery owed):",
                "  billing#17: running, 1 owed (1 in flight, oldest 7.204s), child 1",
                "    Its child has not answered, and without an ack_timeout the sender waits for "
                "ever. Set SenderOptions::ack_timeout, or send the sender Stop."));
}

TEST(ExitReportLines, are_none_if_nothing_is_owed) {
  EXPECT_THAT(exit_report_lines({}, 5s), IsEmpty());
}

TEST(ExitReportLines, begin_with_who_does_not_answer_and_then_with_the_oldest) {
  const auto lines = exit_report_lines({sender(1, 1s), sender(2, 2s), {"billing#3"}}, 6s);
  EXPECT_THAT(
    lines,
    ElementsAre("after 6s the actor system still waits for 3 senders (2 deliveries owed):",
                "  billing#3: does not answer",
                "    A handler that blocks may hold the thread that it needs. Spawn "
                "workers that block as `detached`.",
                "  billing#2: running, 1 owed (1 in flight, oldest 2s), child 1", ::testing::_,
                "  billing#1: running, 1 owed (1 in flight, oldest 1s), child 1", ::testing::_));
}

TEST(ExitReportLines, do_not_speak_of_a_wait_that_there_was_not) {
  EXPECT_EQ(exit_report_lines({{"billing#3"}}, 0s).front(),
            "the actor system still waits for 1 sender (0 deliveries owed):");
}

TEST(ExitReportLines, name_ten_of_many) {
  const auto lines = exit_report_lines(std::vector<OwingSender>(12, sender(1, 1s)), 5s);
  ASSERT_THAT(lines, SizeIs(1 + 2 * 10 + 1));
  EXPECT_EQ(lines.front(),
            "after 5s the actor system still waits for 12 senders (12 deliveries owed):");
  EXPECT_EQ(lines.back(), "  and 2 others");
}

struct Advised {
  std::function<void(SenderStatus&)> change;
  std::string advice;
};

TEST(AdviceFor, a_state_says_which_message_or_option_ends_it) {
  const std::vector<Advised> rows{
    {[](SenderStatus& x) {
       x.is_paused = true;
       x.is_delayed = true; // which Resume does not end, but is not what it waits for
     },
     "It is paused. Send it Resume, or Stop."},
    {[](SenderStatus& x) {
       x.phase = Phase::waiting;
       x.is_delayed = true;
       x.due_in = 1h;
     },
     "Its next retry is in 1h. Send it RetryNow, which ends the delay, or Stop."},
    {[](SenderStatus& x) {
       x.is_held_back = true;
       x.is_delayed = true;
       x.due_in = 30s;
     },
     "The guard of its service lets nothing through before 30s are over. Send it Stop if "
     "the service does not come back."},
    {[](SenderStatus& x) { x.is_held_back = true; },
     "The guard of its service lets nothing through. Send it Stop if the service does not "
     "come back."},
    {[](SenderStatus& x) {
       x.is_held_back = true;
       x.held_back_by = HeldBackBy::rate;
       x.is_delayed = true;
       x.due_in = 2s;
     },
     "It waits for the rate of its service. Its next turn comes in 2s. Send it Stop if its "
     "backlog takes too long."},
    {[](SenderStatus& x) {
       x.is_store_behind = true;
       x.store_notices = {"the disk is slow", "the disk is full"};
     },
     "Its store fails or is slow, and it hands nothing over until the store has caught up (the "
     "disk is full). Mend the store, or send the sender Stop."},
    {[](SenderStatus& x) { x.phase = Phase::finishing; },
     "It is ending, and its child finishes what it has, until the grace of its Stop is "
     "over."},
    {[](SenderStatus& x) { x.phase = Phase::stopping; },
     "It is ending, and waits for its child. After SenderOptions::kill_grace it kills the "
     "child, and after the same time again it ends without it."},
    {[](SenderStatus& x) {
       x.phase = Phase::starting;
       x.in_flight = 0;
     },
     "It has no child: one is being made, or the last one has not ended. Send it Stop."},
    {[](SenderStatus& x) {
       x.in_flight = 0;
       x.scheduled = x.owed;
     },
     "Each delivery waits for its time. Send the sender Stop."},
    {[](SenderStatus& x) { x.in_flight = 0; },
     "Each delivery waits out a delay of its own. Send the sender RetryNow, or Stop."}};
  for (const auto& row : rows)
    EXPECT_EQ(advice_for(sender_that(row.change)), row.advice);
}

TEST(AdviceForAChildAtWork, names_the_time_after_which_it_is_replaced) {
  auto patient = sender(1, 5s);
  patient.ack_timeout = 30s;
  EXPECT_EQ(advice_for(patient), "Its child has not answered yet. The sender replaces a child that "
                                 "is silent for 30s (ack_timeout). Send it Stop to end earlier.");
}

} // namespace
} // namespace backoff_actor
