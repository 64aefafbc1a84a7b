// What a program stops at its end, in this process. Programs that are sent signals are in
// graceful_shutdown_test.cpp.

#include "system.hpp"

#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

#include <gmock/gmock.h>

#include <csignal>
#include <stdexcept>
#include <vector>

namespace backoff_actor::system_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RootsOfShutdown : public System {
protected:
  RootsOfShutdown() {
    ShutdownOptions options;
    options.grace = 60s;
    options.force_end_after = Duration::max();
    options.report.patience = 0s;
    options.report.on_line = [this](const std::string& line) { lines.push_back(line); };
    shutdown.emplace(*system, options);
  }

  void TearDown() override {
    shutdown.reset();
    go_down();
  }

  // Adds a root whose child has a message in hand.
  void add_at_work(const DangerousActor& worker) {
    const auto sender = spawn_back_off_sender(*system, worker.factory());
    caf::anon_send(sender, "work");
    caf::scoped_actor self{*system};
    for (std::uint64_t in_flight = 0; in_flight == 0;)
      compat::request(*self, sender, Status{})
        .receive([&](const SenderStatus& x) { in_flight = x.in_flight; },
                 [](const caf::error&) { FAIL(); });
    shutdown->add(sender);
  }

  std::vector<std::string> lines;
  std::optional<GracefulShutdown> shutdown;
};

TEST_F(RootsOfShutdown, finish_side_by_side) {
  for (auto i = 0; i < 4; ++i)
    add_at_work(DangerousActor{"slow 2s"});
  EXPECT_EQ(shutdown->stop(), 0);
  EXPECT_EQ(shutdown->summary()->acknowledged, 4u);
  EXPECT_LT(shutdown->summary()->took, 6s) << "one after the other they take 8 s";
  EXPECT_THAT(lines, IsEmpty());
}

TEST_F(RootsOfShutdown, are_stopped_once) {
  add_at_work(DangerousActor{"slow 1s"});
  EXPECT_EQ(shutdown->stop(), 0);
  EXPECT_EQ(shutdown->stop(), 0);
  EXPECT_EQ(shutdown->summary()->acknowledged, 1u);
}

// Is no sender and no supervisor.
class PlainRoot : public caf::event_based_actor {
public:
  PlainRoot(caf::actor_config& config, std::shared_ptr<std::atomic<bool>> has_ended)
    : caf::event_based_actor(config), has_ended_(std::move(has_ended)) {}

  caf::behavior make_behavior() override {
    return {[](const std::string& text) { return text; }};
  }

  void on_exit() override { *has_ended_ = true; }

private:
  std::shared_ptr<std::atomic<bool>> has_ended_;
};

TEST_F(RootsOfShutdown, that_are_other_actors_are_told_to_end_and_waited_for) {
  const auto has_ended = std::make_shared<std::atomic<bool>>(false);
  shutdown->add(system->spawn<PlainRoot>(has_ended));
  EXPECT_EQ(shutdown->stop(), 0);
  EXPECT_TRUE(*has_ended);
  EXPECT_EQ(shutdown->summary()->silent_roots, 0u);
}

TEST_F(RootsOfShutdown, that_have_all_ended_end_the_wait) {
  const auto one = spawn_back_off_sender(*system, DangerousActor{}.factory());
  const auto other = spawn_back_off_sender(*system, DangerousActor{}.factory());
  shutdown->add(one);
  shutdown->add(other);
  caf::anon_send(one, Stop{});
  EXPECT_FALSE(shutdown->wait_for(200ms)) << "one lives";
  caf::anon_send(other, Stop{});
  EXPECT_EQ(shutdown->wait_and_stop(), 0);
  EXPECT_THAT(lines, IsEmpty());
}

TEST_F(RootsOfShutdown, of_which_one_has_failed_end_the_wait) {
  shutdown->add(spawn_back_off_sender(*system, DangerousActor{}.factory()));
  const auto failing = spawn_back_off_sender(*system, DangerousActor{}.factory());
  shutdown->add(failing);
  caf::anon_send_exit(failing, caf::exit_reason::kill);
  EXPECT_EQ(shutdown->wait_and_stop(), 1);
  EXPECT_EQ(shutdown->summary()->failed_roots, 1u);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0], ::testing::ContainsRegex("a root has ended by itself: .*kill"));
  EXPECT_THAT(lines[1], HasSubstr("1 root has failed"));
}

// Any actor may be a root. This one takes the exit message for a failure.
TEST_F(RootsOfShutdown, of_which_one_fails_while_it_is_stopped_are_a_failure) {
  shutdown->add(system->spawn([](caf::event_based_actor* self) -> caf::behavior {
    self->set_exit_handler([self](const caf::exit_msg&) { self->quit(caf::sec::runtime_error); });
    return {[](int) {}};
  }));
  EXPECT_EQ(shutdown->stop(), 1);
  EXPECT_EQ(shutdown->summary()->failed_roots, 1u);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0], HasSubstr("a root has ended with an error: "));
  EXPECT_THAT(lines[1], HasSubstr("1 root has failed"));
}

TEST_F(RootsOfShutdown, are_stopped_at_the_request_of_any_thread) {
  shutdown->add(spawn_back_off_sender(*system, DangerousActor{}.factory()));
  std::thread other{GracefulShutdown::request};
  EXPECT_EQ(shutdown->wait_and_stop(), 0);
  other.join();
  EXPECT_EQ(shutdown->signal(), 0);
  EXPECT_THAT(lines, IsEmpty());
}

TEST_F(RootsOfShutdown, are_stopped_by_a_signal_which_is_told) {
  shutdown->add(spawn_back_off_sender(*system, DangerousActor{}.factory()));
  std::raise(SIGINT);
  EXPECT_EQ(shutdown->wait_and_stop(), 130);
  EXPECT_EQ(shutdown->signal(), SIGINT);
  EXPECT_THAT(
    lines, ElementsAre(HasSubstr("SIGINT: stopping, within 1min."), HasSubstr("stopped after ")));
}

TEST_F(RootsOfShutdown, that_nobody_stopped_are_reported_if_they_owe) {
  const DangerousActor worker{"hang"};
  add_at_work(worker);
  shutdown.reset();
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines[2], HasSubstr("without an ack_timeout the sender waits for ever"));
  caf::anon_send_exit(worker.child(), caf::exit_reason::kill);
}

TEST_F(RootsOfShutdown, are_given_to_one_object_at_a_time) {
  EXPECT_THROW(GracefulShutdown{*system}, std::logic_error);
}

TEST_F(RootsOfShutdown, are_not_waited_for_without_a_time) {
  shutdown.reset();
  try {
    GracefulShutdown wrong{*system,
                           {.grace = 0s, .force_end_after = -1s, .report = {.patience = -2s}}};
    FAIL() << "not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "ShutdownOptions: grace: got 0ns, allowed more than 0ns\n"
                               "ShutdownOptions: force_end_after: got -1s, allowed 0 and above\n"
                               "ShutdownOptions: report.patience: got -2s, allowed 0 and above");
  }
}

} // namespace backoff_actor::system_test
