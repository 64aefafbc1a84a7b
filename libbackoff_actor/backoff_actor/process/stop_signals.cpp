// The handler may run at any time in any thread, also while an object is made or goes. So all that
// it uses is static, and stays valid until the process ends.

#include "backoff_actor/process/stop_signals.hpp"

#include "backoff_actor/process/internal/first_signal.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace backoff_actor {

namespace {

using Clock = std::chrono::steady_clock;

static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not lock");
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler must not lock");

std::atomic<int> first_signal{0};
std::atomic<bool> is_requested{false};
std::atomic<int> wake_up_end{-1}; // of the pipe, for writing
std::atomic<int> watcher_end{-1}; // of the pipe of whoever else wants to know of the first signal

// The mutex guards what follows it.
std::mutex owner_mutex;
pid_t owner = 0; // the process with an object; 0: there is none
pid_t pipe_owner = 0;
int waiting_end = -1; // of the pipe, for reading
struct sigaction previous_int;
struct sigaction previous_term;
sigset_t previous_mask;

// If the pipe is full, the waiting thread is woken anyway.
void wake_up(int end) {
  const auto errno_before = errno;
  const char any = 0;
  [[maybe_unused]] const auto written = ::write(end, &any, 1);
  errno = errno_before;
}

extern "C" void backoff_actor_on_stop_signal(int number) {
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, number))
    ::_exit(128 + number);
  wake_up(wake_up_end);
  wake_up(watcher_end);
}

bool is_reason_to_stop() { return first_signal != 0 || is_requested; }

void clear_pipe() {
  std::array<char, 64> bytes;
  while (read(waiting_end, bytes.data(), bytes.size()) > 0) {
  }
}

// A pipe that was inherited by `fork` is the parent's too.
void open_pipe() {
  if (pipe_owner == getpid())
    return clear_pipe();
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "no pipe for signals");
  const auto old_waiting_end = std::exchange(waiting_end, ends[0]);
  const auto old_wake_up_end = wake_up_end.exchange(ends[1]);
  if (pipe_owner != 0) {
    close(old_waiting_end);
    close(old_wake_up_end);
  }
  pipe_owner = getpid();
}

sigset_t both_signals() {
  sigset_t result;
  sigemptyset(&result);
  sigaddset(&result, SIGINT);
  sigaddset(&result, SIGTERM);
  return result;
}

// Milliseconds for `poll`, rounded up.
int poll_span(Clock::duration left) {
  const auto span = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::clamp<decltype(span)>(span, 0, std::numeric_limits<int>::max()));
}

} // namespace

int detail::first_stop_signal() noexcept { return first_signal; }

void detail::wake_at_first_signal(int write_end) noexcept { watcher_end = write_end; }

StopSignals::StopSignals() {
  const std::lock_guard lock{owner_mutex};
  if (owner == getpid())
    throw std::logic_error("two objects wait for the signals of one process: a program makes one "
                           "GracefulShutdown or StopSignals at a time");
  open_pipe();
  first_signal = 0;
  is_requested = false;
  owner = getpid();

  struct sigaction action {};
  action.sa_handler = backoff_actor_on_stop_signal;
  action.sa_mask = both_signals();
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(SIGINT, &action, &previous_int);
  sigaction(SIGTERM, &action, &previous_term);
  const auto both = both_signals();
  pthread_sigmask(SIG_UNBLOCK, &both, &previous_mask);
}

StopSignals::~StopSignals() {
  std::unique_lock lock{owner_mutex};
  sigaction(SIGINT, &previous_int, nullptr);
  sigaction(SIGTERM, &previous_term, nullptr);
  pthread_sigmask(SIG_SETMASK, &previous_mask, nullptr);
  owner = 0;
  lock.unlock();
  if (first_signal != 0 && !is_told_)
    raise(first_signal);
}

void StopSignals::wait() {
  while (!wait_for(Duration::max())) {
  }
}

bool StopSignals::wait_for(Duration span) {
  const auto begin = Clock::now();
  for (;;) {
    if (is_reason_to_stop()) {
      is_told_ = is_told_ || first_signal != 0;
      return true;
    }
    const auto passed = Clock::now() - begin;
    if (passed >= span)
      return false;
    pollfd one{waiting_end, POLLIN, 0};
    if (poll(&one, 1, poll_span(span - passed)) > 0)
      clear_pipe();
  }
}

void StopSignals::request() noexcept {
  is_requested = true;
  wake_up(wake_up_end);
}

int StopSignals::signal() {
  const auto result = first_signal.load();
  is_told_ = is_told_ || result != 0;
  return result;
}

} // namespace backoff_actor
