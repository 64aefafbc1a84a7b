// Programs that are told to end by real signals, and what became of their work.

#include "shutdown/told_program.hpp"

#include "common/patience.hpp"
#include "common/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

namespace backoff_actor::system_test {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAreArray;
using Clock = std::chrono::steady_clock;

constexpr auto own = "backoff_actor: "; // begins the lines of the library

// A grace that a busy machine does not miss.
constexpr auto long_grace = "grace=600000";

struct Ended {
  int code;
  Clock::duration took;
};

// Sends a signal, and waits for the end.
Ended end_by(ToldProgram& program, int signal) {
  const auto begin = Clock::now();
  program.send(signal);
  const auto code = program.wait();
  return {code, Clock::now() - begin};
}

// Runs a program that is ended by force, and which force it needs: so many milliseconds after the
// grace, in which a busy machine may not get to all that comes before.
bool has_all_ended(const ToldProgram& program) {
  return program.text().find("not ended\n") == std::string::npos
         && program.text().find(" has not ended, ") == std::string::npos;
}

template <class Run>
void with_force(const Run& is_told) {
  auto force = 1500;
  while (force < 60'000 && !is_told("force=" + std::to_string(force)))
    force *= 2;
  EXPECT_LT(force, 60'000);
}

TEST(GracefulShutdown, of_a_program_that_has_nothing_to_do_takes_no_time_and_is_code_0) {
  ToldProgram program{{"waits", long_grace}};
  program.wait_for("ready");
  const auto [code, took] = end_by(program, SIGTERM);
  EXPECT_EQ(code, 0);
  EXPECT_LT(took, test::patience) << "the grace is 10min";
  EXPECT_THAT(
    program.all(own),
    ElementsAre("SIGTERM: stopping, within 10min. A second signal ends the program at once.",
                MatchesRegex("stopped after [0-9.]+[mn]?s: 0 acknowledged, 0 suspended, 0 "
                             "dead-lettered, 0 children abandoned")))
    << program.text();
}

TEST(GracefulShutdown, by_ctrl_c_is_code_130) {
  ToldProgram program{{"waits"}};
  program.wait_for("ready");
  EXPECT_EQ(end_by(program, SIGINT).code, 130);
  EXPECT_THAT(program.all(own), Contains(HasSubstr("SIGINT: stopping, within 15s.")))
    << program.text();
}

TEST(GracefulShutdown, of_a_program_that_has_done_its_work_says_nothing_and_is_code_0) {
  ToldProgram program{{"waits", "count=20"}};
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(program.count("answered "), 20u);
  EXPECT_EQ(program.count(own), 0u) << program.text();
}

// What is in hand is finished. Of the rest, each client is told.
TEST(GracefulShutdown, under_load_finishes_what_is_in_hand_and_tells_of_the_rest) {
  ToldProgram program{{"waits", "count=200", "hold=12", "in_flight=4", long_grace}};
  program.wait_for("done 10");
  EXPECT_EQ(end_by(program, SIGTERM).code, 1) << "dead letters";
  const auto answered = program.all("answered ");
  EXPECT_THAT(answered, UnorderedElementsAreArray(program.all("done "))) << program.text();
  EXPECT_THAT(program.all("works "), UnorderedElementsAreArray(answered)) << program.text();
  EXPECT_LE(answered.size(), 15u);
  EXPECT_EQ(answered.size() + program.count("failed "), 200u);
  EXPECT_THAT(program.all(own).back(),
              MatchesRegex("stopped after .*: [1-4] acknowledged, 0 suspended, "
                           + std::to_string(program.count("failed "))
                           + " dead-lettered, 0 children abandoned"))
    << program.text();
}

TEST(GracefulShutdown, with_a_durable_outbox_leaves_the_rest_to_the_next_program) {
  const example::TemporaryFolder folder{"backoff_actor-shutdown"};
  const auto outbox = "outbox=" + (folder / "outbox.db").string();
  ToldProgram first{{"waits", "count=200", "hold=12", "in_flight=4", long_grace, outbox}};
  first.wait_for("done 10");
  EXPECT_EQ(end_by(first, SIGTERM).code, 0) << first.text();
  const auto done = first.all("done ");
  EXPECT_THAT(first.all("works "), UnorderedElementsAreArray(done)) << first.text();
  EXPECT_EQ(done.size() + first.count("failed "), 200u);
  EXPECT_THAT(first.all(own).back(),
              MatchesRegex("stopped after .*: [1-4] acknowledged, "
                           + std::to_string(first.count("failed "))
                           + " suspended, 0 dead-lettered, 0 children abandoned"))
    << first.text();

  ToldProgram next{{"waits", "work=0", long_grace, outbox}};
  next.wait_for("done 200");
  EXPECT_EQ(end_by(next, SIGTERM).code, 0) << next.text();
  EXPECT_THAT(next.all("owed "), ElementsAre(std::to_string(200 - done.size())));
  EXPECT_EQ(next.count("done "), 200 - done.size()) << "nothing is done twice";
}

TEST(GracefulShutdown, ends_a_worker_that_hangs_at_the_end_of_the_grace) {
  with_force([](const std::string& force) {
    ToldProgram program{
      {"waits", "count=3", "hang=2", "in_flight=1", "grace=300", "kill_grace=200", force}};
    program.wait_for("works 2");
    const auto [code, took] = end_by(program, SIGTERM);
    EXPECT_EQ(code, 1);
    EXPECT_GE(took, 500ms);
    if (!has_all_ended(program))
      return false;
    EXPECT_THAT(program.all("failed "), ElementsAre(HasSubstr("2 "), HasSubstr("3 ")));
    EXPECT_THAT(
      program.all(own),
      ElementsAre("SIGTERM: stopping, within 300ms. A second signal ends the program at once.",
                  MatchesRegex("stopped after .*: 0 acknowledged, 0 suspended, 2 dead-lettered, 1 "
                               "child abandoned"),
                  "the program still has not ended: it is ended at once, exit code 1"))
      << program.text();
    return true;
  });
}

TEST(GracefulShutdown, leaves_what_a_worker_hangs_with_in_the_durable_outbox) {
  with_force([](const std::string& force) {
    const example::TemporaryFolder folder{"backoff_actor-shutdown"};
    const auto outbox = "outbox=" + (folder / "outbox.db").string();
    ToldProgram first{
      {"waits", "count=3", "hang=2", "in_flight=1", "grace=300", "kill_grace=200", force, outbox}};
    first.wait_for("works 2");
    EXPECT_EQ(end_by(first, SIGTERM).code, 1) << "a child is left";
    if (!has_all_ended(first))
      return false;
    EXPECT_THAT(first.all(own), Contains(HasSubstr("2 suspended, 0 dead-lettered, 1 child")))
      << first.text();

    ToldProgram next{{"waits", long_grace, outbox}};
    next.wait_for("done 3");
    EXPECT_EQ(end_by(next, SIGTERM).code, 0);
    EXPECT_THAT(next.all("done "), ElementsAre("2", "3")) << next.text();
    return true;
  });
}

TEST(GracefulShutdown, is_ended_by_a_second_signal_while_a_worker_hangs) {
  ToldProgram program{{"waits", "count=1", "hang=1"}};
  program.wait_for("works 1");
  program.send(SIGTERM);
  program.wait_for("backoff_actor: SIGTERM: stopping");
  EXPECT_EQ(end_by(program, SIGTERM).code, 128 + SIGTERM) << "and not 1, as after the grace";
}

TEST(GracefulShutdown, is_ended_by_a_second_signal_although_main_and_all_threads_block) {
  ToldProgram program{{"blocks", "count=1", "hang=1"}};
  program.wait_for("ready");
  program.send(SIGTERM);
  // To the system, a second one is the same as a first that was not taken yet.
  program.wait_until_taken(SIGTERM);
  EXPECT_EQ(end_by(program, SIGTERM).code, 128 + SIGTERM) << program.text();
}

TEST(GracefulShutdown, hears_signals_although_it_is_made_after_all_threads) {
  ToldProgram program{{"late", "count=200", "hold=12", long_grace}};
  program.wait_for("ready");
  EXPECT_EQ(end_by(program, SIGTERM).code, 1) << "dead letters";
  EXPECT_THAT(program.all("answered "), UnorderedElementsAreArray(program.all("done ")))
    << program.text();
}

TEST(GracefulShutdown, heeds_a_signal_that_came_before_the_wait) {
  ToldProgram program{{"busy"}};
  program.wait_for("ready");
  EXPECT_EQ(end_by(program, SIGTERM).code, 0);
  EXPECT_EQ(program.count(own), 2u) << program.text();
}

TEST(GracefulShutdown, waits_no_longer_for_a_root_that_hangs_and_ends_the_process) {
  with_force([](const std::string& force) {
    ToldProgram program{{"stuck", "grace=200", force}};
    program.wait_for("works 1");
    EXPECT_EQ(end_by(program, SIGTERM).code, 1);
    if (program.text().find("2 roots have not ended") != std::string::npos)
      return false;
    EXPECT_THAT(
      program.all(own),
      ElementsAre("SIGTERM: stopping, within 200ms. A second signal ends the program at once.",
                  MatchesRegex("stopped after .*, 1 root has not ended"),
                  "the program still has not ended: it is ended at once, exit code 1"))
      << program.text();
    return true;
  });
}

TEST(GracefulShutdown, ends_the_process_also_if_main_does_not_end_after_the_stop) {
  ToldProgram program{{"lingers", "count=1", "hang=1", "grace=200", "kill_grace=200", "force=300"}};
  program.wait_for("works 1");
  EXPECT_EQ(end_by(program, SIGTERM).code, 1) << program.text();
}

// A thread that no root knows of: a lookup of a name, a commit, or one of the user.
TEST(GracefulShutdown, ends_the_process_also_if_its_roots_have_ended_in_order_and_something_hangs) {
  ToldProgram program{{"beside", "grace=200", "force=300"}};
  program.wait_for("works 1");
  const auto ended = end_by(program, SIGTERM);
  EXPECT_EQ(ended.code, 1) << program.text();
  EXPECT_GE(ended.took, 500ms);
  EXPECT_THAT(
    program.all(own),
    ElementsAre("SIGTERM: stopping, within 200ms. A second signal ends the program at once.",
                MatchesRegex("stopped after .*, 0 children abandoned"),
                "the program still has not ended: it is ended at once, exit code 1"))
    << program.text();
}

TEST(GracefulShutdown, ends_the_process_without_a_signal_only_if_something_hangs) {
  ToldProgram program{{"stops", "count=1", "hang=1", "grace=200", "kill_grace=200", "force=300"}};
  EXPECT_EQ(program.wait(), 1) << program.text();
  EXPECT_THAT(program.all(own),
              Contains("the program still has not ended: it is ended at once, exit code 1"))
    << program.text();
}

TEST(GracefulShutdown, ends_the_process_also_if_main_never_heeds_the_signal) {
  ToldProgram program{{"blocks", "grace=200", "force=300"}};
  program.wait_for("ready");
  const auto ended = end_by(program, SIGTERM);
  EXPECT_EQ(ended.code, 1) << program.text();
  EXPECT_GE(ended.took, 500ms);
}

// While the shutdown tells of another root, the sender ends, and leaves its child behind.
TEST(GracefulShutdown,
     ends_the_process_also_if_a_root_with_a_child_that_hangs_ends_after_its_time) {
  ToldProgram program{
    {"outlived", "count=1", "hang=1", "grace=200", "kill_grace=200", "force=300"}};
  program.wait_for("works 1");
  EXPECT_EQ(end_by(program, SIGTERM).code, 1) << program.text();
  EXPECT_THAT(program.all(own),
              Contains("the program still has not ended: it is ended at once, exit code 1"))
    << program.text();
}

TEST(GracefulShutdown, takes_a_first_signal_that_comes_while_it_stops_for_the_same_wish) {
  ToldProgram program{{"stops", "count=1", "work=1000"}};
  program.wait_for("finishing");
  EXPECT_EQ(end_by(program, SIGTERM).code, 0) << program.text();
  EXPECT_THAT(program.all("done "), ElementsAre("1"));
}

TEST(GracefulShutdown, ends_a_program_whose_root_has_failed_with_code_1_and_the_reason) {
  ToldProgram program{{"gives_up"}};
  EXPECT_EQ(program.wait(), 1);
  EXPECT_THAT(program.all(own), Contains(HasSubstr("a root has ended by itself: limit_reached")))
    << program.text();
}

TEST(ExitReport, says_after_5_seconds_why_a_program_does_not_end) {
  const auto begin = Clock::now();
  ToldProgram program{{"reports", "count=1", "hang=1"}};
  EXPECT_NE(program.wait_for("backoff_actor:   Stop ends a sender."), "") << "its last line";
  EXPECT_GE(Clock::now() - begin, 5s);
  EXPECT_THAT(program.all(own),
              ElementsAre("after 5s the actor system still waits for 1 sender (1 delivery owed):",
                          MatchesRegex("  [a-z_]+#[0-9]+: running, 1 owed .*"),
                          HasSubstr("Set SenderOptions::ack_timeout"),
                          HasSubstr("A GracefulShutdown in main stops all of them")))
    << program.text();
  program.send(SIGKILL);
}

} // namespace
} // namespace backoff_actor::system_test
