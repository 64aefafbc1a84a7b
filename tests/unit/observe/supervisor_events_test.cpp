#include "backoff_actor/observe/supervisor_events.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace backoff_actor {
namespace {

using namespace std::chrono_literals;
using namespace supervisor_event;

TEST(SupervisorEventsTest, each_is_rendered_in_one_line_and_knows_its_time) {
  const Instant at{7s};
  const Cause cause{1, "refused"};
  const std::vector<std::pair<SupervisorEvent, std::string>> rows{
    {Started{at}, "supervisor started"},
    {ChildAdded{at, "db"}, "child db added"},
    {ChildRemoved{at, "db"}, "child db removed"},
    {ChildStarted{at, "db", 3}, "child db 3 started"},
    {StartFailed{at, "db", 3, cause}, "child db 3 failed to start: refused"},
    {supervisor_event::ChildDown{at, "db", 3, Ending::normal, {}}, "child db 3 ended normally"},
    {supervisor_event::ChildDown{at, "db", 3, Ending::shutdown, cause},
     "child db 3 was shut down from outside"},
    {supervisor_event::ChildDown{at, "db", 3, Ending::killed, cause},
     "child db 3 was killed from outside"},
    {supervisor_event::ChildDown{at, "db", 3, Ending::failed, cause}, "child db 3 down: refused"},
    {supervisor_event::ChildDown{at, "d\nb", 3, Ending::failed, {1, "High\nVolt\xe9"}},
     "child d\\nb 3 down: High\\nVolt\xef\xbf\xbd"},
    {ChildToldToEnd{at, "db", 3, false}, "child db 3 told to end"},
    {ChildToldToEnd{at, "db", 3, true}, "child db 3 killed"},
    {ChildEnded{at, "db", 3}, "child db 3 ended"},
    {ChildAbandoned{at, "db", 3}, "child db 3 has not ended in time and is abandoned"},
    {supervisor_event::AbandonedChildEnded{at}, "an abandoned child ended after all"},
    {RestartScheduled{at, "db", 70ms, 1}, "restart of child db in 70ms, 1 failure"},
    {RestartScheduled{at, "db", 70ms, 2}, "restart of child db in 70ms, 2 failures in a row"},
    {ChildStopped{at, "db"}, "child db stays down"},
    {ChildGivenUp{at, "db", cause}, "child db given up: refused"},
    {LimitReached{at, "db", {}}, "restart limit reached by child db"},
    {ControlRefused{at, "db", cause}, "control of child db refused: refused"},
    {ControlRefused{at, "", {}}, "control refused"},
    {Finishing{at, at + Duration{30s}},
     "supervisor lets its senders finish what is in flight within 30s"},
    {Finishing{at, Instant::never()}, "supervisor lets its senders finish what is in flight"},
    {Stopping{at, "told to stop"}, "supervisor stopping: told to stop"},
    {Stopped{at}, "supervisor stopped"},
  };
  for (auto [event, text] : rows) {
    EXPECT_EQ(to_string(event), text);
    EXPECT_EQ(time_of(event), at) << text;
    event.of = {"root", 5};
    EXPECT_EQ(to_string(event), "root#5: " + text);
    EXPECT_EQ(text_of(event), text);
  }
}

} // namespace
} // namespace backoff_actor
