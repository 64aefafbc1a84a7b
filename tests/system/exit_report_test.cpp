// A program that would not end says why. The senders run in real threads, and the report waits in
// real time.

#include "common/becomes_true.hpp"
#include "common/patience.hpp"
#include "system.hpp"

#include <caf/exit_reason.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace backoff_actor::system_test {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Clock = std::chrono::steady_clock;

constexpr auto patience = 200ms; // of a report

// A report that waits no longer than it must comes earlier.
constexpr auto long_wait = 4 * test::patience;

class Reported : public System {
protected:
  // From now on notes the senders that are started.
  void watch(Duration how_long = patience) {
    ExitReportOptions options;
    options.patience = how_long;
    options.on_line = [this](const std::string& line) { lines.push_back(line); };
    report.emplace(*system, options);
  }

  caf::actor start(const DangerousActor& worker, SenderOptions options = {}) {
    const auto sender = spawn_back_off_sender(*system, worker.factory(), std::move(options));
    senders.push_back(sender);
    return sender;
  }

  // Ends the scope of the report, and returns how long that took.
  Clock::duration end_of_main() {
    const auto begin = Clock::now();
    report.reset();
    return Clock::now() - begin;
  }

  void TearDown() override {
    report.reset();
    for (const auto& sender : senders)
      caf::anon_send_exit(sender, caf::exit_reason::kill);
    senders.clear();
    go_down();
  }

  // Waits until the sender has got so far.
  template <class Condition>
  void wait_for(const caf::actor& sender, const Condition& condition) {
    ASSERT_TRUE(test::becomes_true([&] { return condition(status_of(sender)); }));
  }
  void wait_until_in_flight(const caf::actor& sender) {
    wait_for(sender, [](const SenderStatus& x) { return x.in_flight == 1; });
  }

  SenderStatus status_of(const caf::actor& sender) {
    SenderStatus result;
    caf::scoped_actor self{*system};
    compat::request(*self, sender, Status{})
      .receive([&](const SenderStatus& x) { result = x; }, [](const caf::error&) { FAIL(); });
    return result;
  }

  std::vector<caf::actor> senders;
  std::vector<std::string> lines;
  std::optional<ExitReport> report;
};

TEST_F(Reported, a_child_that_never_answers_is_named_with_what_would_end_the_wait) {
  watch();
  const auto sender = start(DangerousActor{"hang"});
  caf::anon_send(sender, "work");
  wait_until_in_flight(sender);
  EXPECT_GE(end_of_main(), patience);
  const auto name = "[a-z_]+#" + std::to_string(sender.id());
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[0], "after 200ms the actor system still waits for 1 sender (1 delivery owed):");
  EXPECT_THAT(
    lines[1],
    ContainsRegex(name + ": running, 1 owed \\(1 in flight, oldest [0-9.]+m?s\\), child 1"));
  EXPECT_THAT(lines[2], HasSubstr("without an ack_timeout the sender waits for ever"));
  EXPECT_EQ(lines[3], "  Stop ends a sender. A GracefulShutdown in main stops all of them: at "
                      "SIGTERM, at Ctrl-C, or when the program asks for it.");
}

TEST_F(Reported, what_a_sender_does_at_the_end_of_the_wait_counts) {
  const auto is_seen_to_work = [&](Duration wait) {
    lines.clear();
    watch(wait);
    const auto sender = start(DangerousActor{"hang"});
    caf::anon_send(sender, Pause{});
    caf::anon_send(sender, "work");
    std::thread meanwhile{[sender, wait] {
      std::this_thread::sleep_for(wait / 5);
      caf::anon_send(sender, Resume{});
    }};
    end_of_main();
    meanwhile.join();
    caf::anon_send_exit(sender, caf::exit_reason::kill);
    return lines.size() == 4 && lines[1].find("running, 1 owed (1 in flight") != std::string::npos;
  };
  Duration wait = 1s;
  while (wait < 30s && !is_seen_to_work(wait))
    wait *= 2; // a busy machine let it resume too late
  EXPECT_LT(wait, 30s);
}

TEST_F(Reported, a_sender_below_a_supervisor_is_named_too) {
  watch();
  const DangerousActor worker{"hang"};
  const auto root =
    start_supervisor(*system, {supervisor_spec("pool", {sender_spec("s", worker.factory())})});
  senders.push_back(root);
  caf::scoped_actor self{*system};
  caf::actor sender;
  compat::request(*self, root, WhichChildren{})
    .receive(
      [&](const Children& pools) {
        compat::request(*self, pools.list.at(0).actor, WhichChildren{})
          .receive([&](const Children& x) { sender = x.list.at(0).actor; },
                   [](const caf::error&) { FAIL(); });
      },
      [](const caf::error&) { FAIL(); });
  caf::anon_send(sender, "work");
  wait_until_in_flight(sender);
  end_of_main();
  EXPECT_THAT(lines, SizeIs(4));
}

TEST_F(Reported, nothing_owed_says_nothing_and_takes_no_time) {
  watch(long_wait);
  for (auto i = 0; i < 100; ++i)
    start(DangerousActor{});
  EXPECT_LT(end_of_main(), test::patience);
  EXPECT_THAT(lines, IsEmpty());
}

TEST_F(Reported, senders_that_become_done_are_waited_for_no_longer_than_needed) {
  watch(long_wait);
  const auto sender = start(DangerousActor{"slow 300ms"});
  caf::anon_send(sender, "work");
  EXPECT_LT(end_of_main(), test::patience);
  EXPECT_THAT(lines, IsEmpty());
  EXPECT_EQ(status_of(sender).counters.acknowledged, 1u);
}

TEST_F(Reported, senders_that_end_meanwhile_are_waited_for_no_longer) {
  watch(long_wait);
  auto sender = spawn_back_off_sender(*system, DangerousActor{"slow 300ms"}.factory());
  caf::anon_send(sender, "work");
  sender = nullptr;
  EXPECT_LT(end_of_main(), test::patience);
  EXPECT_THAT(lines, IsEmpty());
}

// Blocks each thread of the scheduler until it is let go.
class Stopper : public caf::event_based_actor {
public:
  Stopper(caf::actor_config& config, std::shared_ptr<std::mutex> lock,
          std::shared_ptr<std::atomic<unsigned>> blocked)
    : caf::event_based_actor(config), lock_(std::move(lock)), blocked_(std::move(blocked)) {}

  caf::behavior make_behavior() override {
    return {[this](std::uint32_t) {
      ++*blocked_;
      const std::lock_guard wait{*lock_};
    }};
  }

private:
  std::shared_ptr<std::mutex> lock_;
  std::shared_ptr<std::atomic<unsigned>> blocked_;
};

TEST_F(Reported,
       a_sender_that_a_blocked_thread_keeps_from_answering_is_named_within_a_second_more) {
  watch();
  const auto sender = start(DangerousActor{"hang"});
  caf::anon_send(sender, "work");
  status_of(sender);
  const auto lock = std::make_shared<std::mutex>();
  const auto blocked = std::make_shared<std::atomic<unsigned>>(0);
  lock->lock();
  const auto threads = std::max(4u, std::thread::hardware_concurrency()); // CAF's default
  for (auto i = 0u; i < threads; ++i)
    caf::anon_send(system->spawn<Stopper>(lock, blocked), std::uint32_t{1});
  while (*blocked < threads)
    std::this_thread::yield();
  const auto span = end_of_main();
  lock->unlock();
  EXPECT_GE(span, 1s);
  EXPECT_LT(span, test::patience);
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_THAT(lines[0], HasSubstr("1 sender (0 deliveries owed)"));
  EXPECT_THAT(lines[1], HasSubstr("does not answer"));
  EXPECT_THAT(lines[2], HasSubstr("`detached`"));
}

TEST_F(Reported, senders_from_before_the_report_are_not_known_to_it) {
  const auto sender = start(DangerousActor{"hang"});
  caf::anon_send(sender, "work");
  watch(long_wait);
  EXPECT_LT(end_of_main(), test::patience);
  EXPECT_THAT(lines, IsEmpty());
}

TEST_F(Reported, a_function_that_throws_is_harmless) {
  ExitReportOptions options;
  options.patience = 0s;
  auto calls = 0;
  options.on_line = [&](const std::string&) {
    ++calls;
    throw std::runtime_error("no line for me");
  };
  report.emplace(*system, options);
  const auto sender = start(DangerousActor{"hang"});
  caf::anon_send(sender, "work");
  status_of(sender);
  end_of_main();
  EXPECT_EQ(calls, 4);
}

TEST_F(Reported, a_negative_patience_is_refused) {
  try {
    const ExitReport wrong{*system, {.patience = -1s}};
    FAIL() << "not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "ExitReportOptions: patience: got -1s, allowed 0 and above");
  }
}

// Many threads start and end senders, while reports come and go.
TEST_F(Reported, reports_and_senders_may_come_and_go_in_any_thread) {
  constexpr auto threads = 4;
  std::atomic<int> working{threads};
  std::vector<std::thread> starters;
  for (auto i = 0; i < threads; ++i)
    starters.emplace_back([&] {
      caf::scoped_actor self{*system};
      for (auto round = 0; round < 200; ++round) {
        const auto sender = spawn_back_off_sender(*system, DangerousActor{}.factory());
        self->request(sender, caf::infinite, "work")
          .receive([](const std::string&) {}, [](const caf::error&) { FAIL(); });
      }
      --working;
    });
  while (working > 0) {
    watch(long_wait);
    end_of_main();
  }
  for (auto& starter : starters)
    starter.join();
  EXPECT_THAT(lines, IsEmpty());
}

} // namespace backoff_actor::system_test
