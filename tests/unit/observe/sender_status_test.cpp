#include "backoff_actor/observe/sender_status.hpp"

#include <gtest/gtest.h>

namespace backoff_actor::sender_status_test {

using namespace std::chrono_literals;

TEST(sender_status, names_its_phases) {
  EXPECT_EQ(to_string(Phase::starting), "starting");
  EXPECT_EQ(to_string(Phase::running), "running");
  EXPECT_EQ(to_string(Phase::waiting), "waiting");
  EXPECT_EQ(to_string(Phase::draining), "draining");
  EXPECT_EQ(to_string(Phase::finishing), "finishing");
  EXPECT_EQ(to_string(Phase::stopped), "stopped");
  EXPECT_EQ(to_string(static_cast<Phase>(77)), "unknown");
}

TEST(sender_status, is_rendered_in_one_line) {
  SenderStatus status;
  EXPECT_EQ(to_string(status), "starting, 0 owed, child 0");

  status.phase = Phase::draining;
  status.is_paused = true;
  status.is_held_back = true;
  status.is_store_behind = true;
  status.is_on_fallback = true;
  status.owed = 12;
  status.in_flight = 3;
  status.oldest_age = 1500ms;
  status.incarnation = 4;
  status.abandoned = 1;
  status.is_delayed = true;
  status.due_in = 70ms;
  status.retries = 3;
  EXPECT_EQ(to_string(status),
            "draining, paused, held back by its guard, held back by its store, on the fallback, "
            "12 owed (3 in flight, oldest 1.5s), child 4, 1 abandoned, retry in 70ms, "
            "3 failures in a row");

  status = {};
  status.phase = Phase::running;
  status.owed = 12;
  status.scheduled = 9;
  status.oldest_age = 1s;
  EXPECT_EQ(to_string(status), "running, 12 owed (0 in flight, oldest 1s, 9 for later), child 0");
  status.with_note = 2;
  EXPECT_EQ(to_string(status),
            "running, 12 owed (0 in flight, oldest 1s, 9 for later, 2 with a note), child 0");

  status = {};
  status.phase = Phase::running;
  status.calendar_entries = 1;
  EXPECT_EQ(to_string(status), "running, 0 owed, 1 calendar entry, child 0");
  status.calendar_entries = 2;
  EXPECT_EQ(to_string(status), "running, 0 owed, 2 calendar entries, child 0");
}

TEST(sender_status, says_since_when_the_service_is_down) {
  SenderStatus status;
  status.phase = Phase::waiting;
  status.incarnation = 1;
  status.nothing_succeeded_for = 90s;
  EXPECT_EQ(to_string(status), "waiting, 0 owed, child 1");
  status.is_service_down = true;
  EXPECT_EQ(to_string(status), "waiting, 0 owed, child 1, nothing succeeded for 90s: the service "
                               "is down, no attempt is charged");
}

TEST(sender_status, says_why_the_guard_holds_back) {
  SenderStatus status;
  status.is_held_back = true;
  status.held_back_by = HeldBackBy::rate;
  EXPECT_EQ(to_string(status), "starting, held back by its guard: rate, 0 owed, child 0");
}

TEST(sender_status, begins_with_the_name_of_the_sender) {
  SenderStatus status;
  status.name = {"billing", 17};
  EXPECT_EQ(to_string(status), "billing#17: starting, 0 owed, child 0");
}

} // namespace backoff_actor::sender_status_test
