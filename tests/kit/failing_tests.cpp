// Tests that fail, each run by timeline_on_failure_test, which looks at what is printed.

#include "mailer.hpp"

#include <backoff_actor/testing/gmock.hpp>
#include <backoff_actor/testing/gtest.hpp>
#include <backoff_actor/testing/record/event_patterns.hpp>
#include <backoff_actor/testing/testing.hpp>

#include <chrono>
#include <stdexcept>
#include <string>

namespace {

using namespace backoff_actor;
using namespace backoff_actor::testing;

// Of a test that fails while it starts: nothing has happened yet.
class Fixture : public VirtualTimeTest {
protected:
  void happen() {
    log.hook("orders")(event::Paused{time.now()});
    log.note(time.now(), "the wire is cut");
  }
};

TEST_F(Fixture, is_met) { happen(); }

TEST_F(Fixture, compares) {
  happen();
  EXPECT_EQ(1, 2);
  EXPECT_EQ(3, 4);
}

TEST_F(Fixture, throws) {
  happen();
  throw std::runtime_error("out of the body");
}

TEST_F(Fixture, has_shown_all) {
  happen();
  EXPECT_THAT(log, Saw(resumed));
}

TEST_F(Fixture, goes_on_after_having_shown_all) {
  happen();
  EXPECT_THAT(log, Saw(resumed));
  log.note(time.now(), "the wire is mended");
}

TEST_F(Fixture, sees_nothing) { EXPECT_EQ(1, 2); }

TEST_F(Fixture, replaces_its_log) {
  happen();
  log = EventLog{};
  log.note(time.now(), "begin");
  EXPECT_EQ(1, 2);
}

// The first test of docs/how-to/test_a_worker.md, with a wrong claim.
TEST_F(Fixture, expects_another_delay) {
  const Faults faults{"crash(\"connection lost\")*2"};
  faults.note_in(log);
  const auto sender =
    start_sender(faulty_children(child_of<mail::Mailer>(), faults), mail::supervision());
  ask<std::string>(sender, std::string{"ann@example.org"});
  time.advance(std::chrono::seconds{3});

  EXPECT_THAT(log, SawInOrder(child_down(1), retry_scheduled(std::chrono::seconds{2}),
                              child_down(2), acknowledged(1)));
}

// For ever: somebody has to end it.
TEST_F(Fixture, waits_for_what_was_not_kept) {
  const auto hangs = DangerousActor{"hang"}.spawn(time.system());
  ask<std::string>(hangs, std::string{"a"});
}

class FailsAtTheEnd : public Fixture {
protected:
  void TearDown() override { EXPECT_EQ(1, 2); }
};

TEST_F(FailsAtTheEnd, happens) { happen(); }

TEST(seed, of_a_test_that_fails) {
  const RandomSeed seed;
  EXPECT_EQ(1, 2);
}

TEST(seed, of_a_test_that_throws) {
  const RandomSeed seed;
  throw std::runtime_error("out of the body");
}

TEST(seed, of_a_test_that_succeeds) { const RandomSeed seed; }

TEST(guard, minds_only_its_own_life) {
  const EventLog log;
  log.note({}, "begin");
  EXPECT_EQ(1, 2);
  const TimelineOnFailure guard{log};
}

TEST(guard, sees_an_exception_pass) {
  const EventLog log;
  log.note({}, "begin");
  const TimelineOnFailure guard{log};
  throw std::runtime_error("out of the body");
}

TEST(guard, passes_over_a_success) {
  const EventLog log;
  log.note({}, "begin");
  const TimelineOnFailure guard{log};
  SUCCEED();
}

} // namespace
