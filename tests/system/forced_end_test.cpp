// The end of a process whose threads may hang.

#include "backoff_actor/caf/main/internal/forced_end.hpp"
#include "backoff_actor/process/stop_signals.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

#include <unistd.h>

namespace backoff_actor::system_test {
namespace {

using namespace std::chrono_literals;

// The thread that ends the process has not run yet when the signal counts no longer.
void hang_after_a_signal() {
  alarm(30);
  const StopSignals signals;
  detail::force_end_after_signal(200ms);
  std::raise(SIGTERM);
  detail::force_end_after_signal(Duration::max());
  for (;;)
    pause();
}

TEST(ForcedEnd, comes_after_a_signal_however_soon_later_signals_count_no_more) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(hang_after_a_signal(), ::testing::ExitedWithCode(1), "ended at once, exit code 1");
}

} // namespace
} // namespace backoff_actor::system_test
