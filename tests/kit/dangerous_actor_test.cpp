#include "fixture.hpp"

#include <caf/sec.hpp>

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

TEST_F(DangerousActor, answers_messages_of_other_types_with_an_error_and_lives) {
  const testing::DangerousActor worker;
  const auto actor = time.keep(worker.spawn(time.system()));
  TrackedMsg tracked;
  tracked.id = 1;
  tracked.payload = caf::make_message(std::uint64_t{3});

  const auto number = time.ask<std::string>(actor, std::uint64_t{3});
  const auto inside = time.ask<std::string>(actor, tracked);
  time.run();

  EXPECT_TRUE(number->error == caf::sec::unexpected_message);
  EXPECT_TRUE(inside->error == caf::sec::unexpected_message);
  EXPECT_EQ(worker.alive(), 1U);
  EXPECT_EQ(worker.texts(), Strings{});
  EXPECT_EQ(worker.faults().taken(), 0U);
}

TEST_F(DangerousActor, that_hangs_does_not_answer_what_was_slow_by_then) {
  const testing::DangerousActor worker{"slow 1s, hang"};
  const auto actor = time.keep(worker.spawn(time.system()));

  const auto slow = time.ask<std::string>(actor, std::string{"slow"});
  const auto hangs = time.ask<std::string>(actor, std::string{"hangs"});
  time.advance(1h);

  EXPECT_FALSE(slow->is_ready());
  EXPECT_FALSE(hangs->is_ready());
}

TEST_F(DangerousActor, that_is_slow_tells_the_sender_how_far_it_is) {
  auto options = default_options();
  options.ack_timeout = 1s;
  start("slow(2s, working 800ms, \"row 7\")", options);
  const auto a = ask("a");
  time.advance(1900ms);
  EXPECT_EQ(status().with_note, 1U);
  time.advance(100ms);

  EXPECT_EQ(a->value, "a");
  EXPECT_EQ(log.count<event::AckTimedOut>(), 0U);
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
