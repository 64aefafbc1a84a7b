#include "fixture.hpp"

namespace backoff_actor::kit_test {

namespace {

using namespace std::chrono_literals;
using actor_test::Strings;

class DangerousActor : public actor_test::SenderTest {};

TEST_F(DangerousActor, that_hangs_is_given_nothing_more_until_it_is_replaced) {
  auto options = default_options();
  options.ack_timeout = 1s;
  start("hang, ok", options);
  const auto a = ask("a");
  const auto b = ask("b");

  EXPECT_EQ(danger.texts(), (Strings{"a"}));
  time.advance(1h);

  EXPECT_EQ(a->value, "a");
  EXPECT_EQ(b->value, "b");
  EXPECT_EQ(danger.seen(),
            (std::vector<testing::DangerousActor::Seen>{{1, "a"}, {2, "a"}, {2, "b"}}));
}

TEST_F(DangerousActor, works_without_a_sender_too) {
  const testing::DangerousActor worker{"ok, error"};
  const auto actor = time.keep(worker.spawn(time.system()));

  const auto a = time.ask<std::string>(actor, std::string{"a"});
  const auto b = time.ask<std::string>(actor, std::string{"b"});
  time.run();

  EXPECT_EQ(a->value, "a");
  EXPECT_TRUE(b->error);
  EXPECT_EQ(worker.alive(), 1U);
}

TEST_F(DangerousActor, follows_another_plan_when_the_service_is_to_be_well_again) {
  start("crash...");
  const auto a = ask("a");
  time.advance(1h);
  EXPECT_FALSE(a->is_ready());

  danger.faults().follow("ok");
  time.advance(1h);

  EXPECT_EQ(a->value, "a");
}

TEST_F(DangerousActor, notes_its_faults_among_the_events) {
  start("crash(\"bang\")");
  danger.faults().note_in(log);
  ask("a");
  time.advance(10ms);

  EXPECT_THAT(
    log.timeline(),
    ::testing::HasSubstr(
      "child 1\n+0ns   (fault: crash(\"bang\"), child 1, \"a\")\n+0ns   child 1 down: bang\n"));
}

TEST_F(DangerousActor, crashes_tens_of_thousands_of_times_in_ten_virtual_hours) {
  auto options = default_options();
  options.backoff = Policy{Fixed{1s}};
  start("crash...", options);
  ask("a");
  time.advance(10h);

  EXPECT_EQ(crashes(), 36'000U + 1);
}

} // namespace

} // namespace backoff_actor::kit_test
