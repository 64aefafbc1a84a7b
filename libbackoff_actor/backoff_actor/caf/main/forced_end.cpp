#include "backoff_actor/caf/main/internal/forced_end.hpp"

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include <unistd.h>

namespace backoff_actor::detail {

namespace {

// A thread that outlives `main`, until static objects are destroyed.
class ForcedEnd {
public:
  ForcedEnd(std::chrono::steady_clock::time_point at, int exit_code)
    : at_(at), exit_code_(exit_code), thread_([this] { run(); }) {}

  ~ForcedEnd() {
    {
      const std::lock_guard lock{mutex_};
      is_called_off_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

private:
  void run() {
    std::unique_lock lock{mutex_};
    if (changed_.wait_until(lock, at_, [this] { return is_called_off_; }))
      return;
    const auto line = "backoff_actor: the program still has not ended: it is ended at once, exit "
                      "code "
                      + std::to_string(exit_code_) + '\n';
    // Streams may be locked by a thread that hangs.
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
    std::_Exit(exit_code_);
  }

  const std::chrono::steady_clock::time_point at_;
  const int exit_code_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_called_off_ = false;
  std::thread thread_;
};

} // namespace

void force_end_at(std::chrono::steady_clock::time_point at, int exit_code) noexcept {
  try {
    static const ForcedEnd first{at, exit_code};
  } catch (...) {
    // There is no thread left. A second signal still ends the process.
  }
}

} // namespace backoff_actor::detail
