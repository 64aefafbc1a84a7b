#include "backoff_actor/caf/main/internal/forced_end.hpp"

#include "backoff_actor/process/internal/checked_lock.hpp"
#include "backoff_actor/process/internal/error_stream.hpp"
#include "backoff_actor/process/internal/first_signal.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace backoff_actor::detail {

namespace {

using Clock = std::chrono::steady_clock;

// Is never destroyed: its thread waits until the process ends.
class ForcedEnd {
public:
  void after_signal(Duration span) {
    const Lock lock{mutex_};
    note_signal(); // the thread may not have seen it yet
    span_ = span;
    if (span != Duration::max())
      watch();
  }

  void at(Clock::time_point when) {
    const Lock lock{mutex_};
    at_ = when;
    watch();
    wake();
  }

private:
  // A process that was forked has no thread of its parent's.
  void watch() {
    if (watched_ == getpid())
      return;
    std::array<int, 2> ends;
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
      return;
    waiting_end_ = ends[0];
    wake_up_end_ = ends[1];
    std::thread{[this] { run(); }}.detach();
    wake_at_first_signal(wake_up_end_);
    watched_ = getpid();
  }

  void wake() const {
    const char any = 0;
    [[maybe_unused]] const auto written = write(wake_up_end_, &any, 1);
  }

  void run() {
    for (;;) {
      pollfd one{waiting_end_, POLLIN, 0};
      const auto is_woken = poll(&one, 1, span_until_end()) > 0;
      std::array<char, 64> bytes;
      [[maybe_unused]] const auto count = read(waiting_end_, bytes.data(), bytes.size());
      if (!is_woken && span_until_end() == 0)
        end();
    }
  }

  // From the signal on, the end no longer depends on `span_`.
  void note_signal() BACKOFF_ACTOR_REQUIRES(mutex_) {
    if (!at_ && span_ != Duration::max() && first_stop_signal() != 0)
      at_ = Clock::now() + std::min<Duration>(span_, std::chrono::hours{24 * 365});
  }

  // Milliseconds for `poll`; -1: nothing is to end.
  int span_until_end() {
    const Lock lock{mutex_};
    note_signal();
    if (!at_)
      return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*at_ - Clock::now()).count();
    return static_cast<int>(
      std::clamp<decltype(left)>(left, 0, std::numeric_limits<int>::max() - 1));
  }

  // A reader who reads nothing must not stop it.
  [[noreturn]] static void end() {
    tell_error_stream("backoff_actor: the program still has not ended: it is ended at once, exit "
                      "code 1");
    std::_Exit(1);
  }

  Mutex mutex_;
  std::optional<Clock::time_point> at_ BACKOFF_ACTOR_GUARDED_BY(mutex_);
  Duration span_ = Duration::max();
  pid_t watched_ = 0; // the process with the thread; 0: there is none
  int waiting_end_ = -1;
  int wake_up_end_ = -1;
};

ForcedEnd& forced_end() {
  static auto* const result = new ForcedEnd;
  return *result;
}

} // namespace

void force_end_after_signal(Duration span) noexcept {
  try {
    forced_end().after_signal(span);
  } catch (...) {
    // There is no thread left. A second signal still ends the process.
  }
}

void force_end_at(Clock::time_point at) noexcept {
  try {
    forced_end().at(at);
  } catch (...) {
    // As above.
  }
}

} // namespace backoff_actor::detail
