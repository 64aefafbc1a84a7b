// Real signals to this process. Those that end it are sent to a child process.

#include <backoff_actor/process/stop_signals.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace backoff_actor::system_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

std::atomic<int> heard_before{0}; // by the handler that a test had installed before

void hear(int signal) { heard_before = signal; }

class StopSignalsTest : public ::testing::Test {
protected:
  StopSignalsTest() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    heard_before = 0;
    std::signal(SIGTERM, hear);
  }
  ~StopSignalsTest() override { std::signal(SIGTERM, SIG_DFL); }
};

TEST_F(StopSignalsTest, a_signal_that_came_before_ends_the_wait_at_once) {
  StopSignals signals;
  std::raise(SIGTERM);
  signals.wait();
  EXPECT_TRUE(signals.wait_for(0s));
  EXPECT_EQ(signals.signal(), SIGTERM);
  EXPECT_EQ(heard_before, 0);
}

TEST_F(StopSignalsTest, a_signal_ends_a_wait_that_has_begun) {
  StopSignals signals;
  std::thread other{[pid = getpid()] { kill(pid, SIGINT); }};
  signals.wait();
  other.join();
  EXPECT_EQ(signals.signal(), SIGINT);
}

TEST_F(StopSignalsTest, a_request_of_another_thread_ends_the_wait_and_is_no_signal) {
  StopSignals signals;
  EXPECT_FALSE(signals.wait_for(1ms));
  std::thread other{StopSignals::request};
  signals.wait();
  other.join();
  EXPECT_EQ(signals.signal(), 0);
}

TEST_F(StopSignalsTest, a_second_object_is_refused_while_there_is_one) {
  const StopSignals signals;
  try {
    const StopSignals second;
    FAIL() << "there are two";
  } catch (const std::logic_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("one GracefulShutdown or StopSignals at a time"));
  }
}

TEST_F(StopSignalsTest, a_later_object_knows_nothing_of_what_came_before_it) {
  {
    StopSignals signals;
    std::raise(SIGTERM);
    StopSignals::request();
    signals.wait();
  }
  StopSignals signals;
  EXPECT_FALSE(signals.wait_for(0s));
  EXPECT_EQ(signals.signal(), 0);
}

TEST_F(StopSignalsTest, the_handlers_of_before_come_back) {
  {
    StopSignals signals;
    std::raise(SIGTERM);
    signals.wait();
  }
  EXPECT_EQ(heard_before, 0);
  std::raise(SIGTERM);
  EXPECT_EQ(heard_before, SIGTERM);
}

TEST_F(StopSignalsTest, a_signal_that_nobody_was_told_of_is_raised_again_at_the_end) {
  {
    const StopSignals signals;
    std::raise(SIGTERM);
    EXPECT_EQ(heard_before, 0);
  }
  EXPECT_EQ(heard_before, SIGTERM);
}

TEST_F(StopSignalsTest, a_signal_after_the_end_of_the_wait_by_a_request_is_raised_again_too) {
  {
    StopSignals signals;
    StopSignals::request();
    signals.wait();
    std::raise(SIGTERM);
  }
  EXPECT_EQ(heard_before, SIGTERM);
}

TEST_F(StopSignalsTest, signals_are_heard_although_this_thread_had_blocked_or_ignored_them) {
  std::signal(SIGINT, SIG_IGN);
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &both, &before);
  {
    StopSignals signals;
    kill(getpid(), SIGINT);
    EXPECT_TRUE(signals.wait_for(60s));
    EXPECT_EQ(signals.signal(), SIGINT);
  }
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, &before, &after);
  EXPECT_EQ(sigismember(&after, SIGINT), 1) << "the mask of before comes back";
  std::signal(SIGINT, SIG_DFL);
}

TEST_F(StopSignalsTest, a_second_signal_ends_the_process_whatever_came_first) {
  EXPECT_EXIT(
    {
      const StopSignals signals;
      std::raise(SIGINT);
      std::raise(SIGTERM);
    },
    ExitedWithCode(143), "");
  EXPECT_EXIT(
    {
      const StopSignals signals;
      std::raise(SIGTERM);
      std::raise(SIGINT);
    },
    ExitedWithCode(130), "");
}

// Each thread waits for a lock that is never released.
TEST_F(StopSignalsTest, a_second_signal_ends_a_process_whose_threads_all_block) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer hands a signal over when a thread no longer blocks";
#endif
#endif
  EXPECT_EXIT(
    {
      const StopSignals signals;
      std::mutex never;
      never.lock();
      std::thread blocked{[&] { never.lock(); }};
      const auto parent = getpid();
      if (fork() == 0) {
        // To the system, a second one is the same as a first that was not handled yet.
        while (getppid() == parent && kill(parent, SIGTERM) == 0)
          std::this_thread::sleep_for(1ms);
        _exit(0);
      }
      never.lock();
      blocked.join();
    },
    ExitedWithCode(143), "");
}

TEST_F(StopSignalsTest, a_signal_after_a_request_is_the_first) {
  StopSignals signals;
  StopSignals::request();
  signals.wait();
  std::raise(SIGTERM); // the program is ending already, and goes on
  EXPECT_EQ(signals.signal(), SIGTERM);
}

TEST_F(StopSignalsTest, a_child_of_fork_may_make_its_own_which_its_parent_does_not_hear) {
  StopSignals signals;
  const auto child = fork();
  if (child == 0) {
    StopSignals own;
    std::raise(SIGTERM);
    own.wait();
    _exit(own.signal());
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), SIGTERM);
  EXPECT_FALSE(signals.wait_for(0s));
}

} // namespace
} // namespace backoff_actor::system_test
