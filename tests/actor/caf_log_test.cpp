// What happens, in CAF's own log.

#include "caf_log.hpp"
#include "common/becomes_true.hpp"

#include <backoff_actor/backoff_actor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace backoff_actor::actor_test {

TEST(CafLog, has_events_with_their_severity_and_leaves_out_what_caf_does_not_keep) {
  const auto file = ::testing::TempDir() + "caf_log." + std::to_string(getpid()) + ".txt";
  {
    caf::actor_system_config config;
    init(config);
    log_to_file(config, file);
    caf::actor_system system{config};
    const CafLog log{system};
    Event crash{event::ChildDown{{}, 3, {7, "reset by peer"}, true}};
    crash.of = {"billing", 17};
    log(crash);
    log(Event{event::Accepted{{}, 4711}});
    log(SupervisorEvent{supervisor_event::LimitReached{{}, "db", {7, "no disk"}}});
    log(GuardEvent{event::BreakerClosed{{}, true}});
  } // writes what waits
  std::ifstream stream{file};
  const std::string text{std::istreambuf_iterator<char>{stream}, {}};
  std::filesystem::remove(file);
  using ::testing::ContainsRegex;
  EXPECT_THAT(text,
              ContainsRegex("backoff[^\n]*WARN[^\n]*billing#17: child 3 down: reset by peer"));
  EXPECT_THAT(text, ContainsRegex("backoff[^\n]*ERROR[^\n]*child db: no disk"));
  EXPECT_THAT(text, ContainsRegex("backoff[^\n]*INFO[^\n]*circuit breaker closed"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("4711")));
}

} // namespace backoff_actor::actor_test
