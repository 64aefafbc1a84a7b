#include "backoff_actor/observe/log_line.hpp"

#include <gtest/gtest.h>

namespace backoff_actor::log_line_test {

using namespace std::chrono_literals;

constexpr std::chrono::sys_time<Duration> at(std::chrono::sys_days day, Duration time) {
  return day + time;
}

constexpr auto some_time =
  at(std::chrono::sys_days{2026y / 11 / 23}, 7h + 21min + 10s + 123456789ns);

TEST(log_line, has_the_time_the_severity_the_name_and_the_text) {
  Event event{event::ChildDown{{}, 3, {7, "reset by\npeer"}, true}};
  event.of = {"billing", 17};
  EXPECT_EQ(line_of(event, some_time),
            "2026-11-23T07:21:10.123456Z warning billing#17: child 3 down: reset by\\npeer");
}

TEST(log_line, has_no_name_if_there_is_none) {
  EXPECT_EQ(line_of(Event{event::Paused{{}}}, some_time),
            "2026-11-23T07:21:10.123456Z info paused");
}

TEST(log_line, is_made_of_events_of_supervisors_and_guards_too) {
  SupervisorEvent event{supervisor_event::ChildStarted{{}, "db", 2}};
  event.of = {"root", 5};
  EXPECT_EQ(line_of(event, some_time),
            "2026-11-23T07:21:10.123456Z info root#5: child db 2 started");
  EXPECT_EQ(line_of(GuardEvent{event::BreakerOpened{{}, 5s, false}}, some_time),
            "2026-11-23T07:21:10.123456Z error circuit breaker open for 5s");
}

TEST(log_line, has_its_time_in_the_calendar_of_utc) {
  const Event event{event::Resumed{{}}};
  using std::chrono::sys_days;
  EXPECT_EQ(line_of(event, at(sys_days{1970y / 1 / 1}, 0ns)),
            "1970-01-01T00:00:00.000000Z info resumed");
  EXPECT_EQ(line_of(event, at(sys_days{1970y / 1 / 1}, -1ns)),
            "1969-12-31T23:59:59.999999Z info resumed");
  EXPECT_EQ(line_of(event, at(sys_days{2024y / 2 / 29}, 24h - 1us)),
            "2024-02-29T23:59:59.999999Z info resumed");
  EXPECT_EQ(line_of(event, at(sys_days{2000y / 3 / 1}, 0ns)),
            "2000-03-01T00:00:00.000000Z info resumed");
}

} // namespace backoff_actor::log_line_test
