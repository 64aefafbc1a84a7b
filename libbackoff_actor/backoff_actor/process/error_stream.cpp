#include "backoff_actor/process/internal/error_stream.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace backoff_actor::detail {

namespace {

// Lines that were left out, and not told of.
constinit std::atomic<std::uint64_t> left_out{0};

// Whether the last line has no end.
constinit std::atomic<bool> is_cut{false};

// Keeps the signals of a write that fails from this thread while it lives. The kernel sends them
// to the thread that writes.
class NoSignalsOfWrites {
public:
  NoSignalsOfWrites() {
    sigemptyset(&ours_);
    sigset_t pending;
    sigpending(&pending);
    for (const auto signal : std::array{SIGPIPE, SIGXFSZ})
      if (sigismember(&pending, signal) == 0) // else it is blocked, and somebody else's
        sigaddset(&ours_, signal);
    pthread_sigmask(SIG_BLOCK, &ours_, &before_);
  }
  NoSignalsOfWrites(const NoSignalsOfWrites&) = delete;
  NoSignalsOfWrites& operator=(const NoSignalsOfWrites&) = delete;
  ~NoSignalsOfWrites() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  // Takes the signal of a write that failed.
  void take() const {
    constexpr timespec at_once{};
    sigtimedwait(&ours_, nullptr, &at_once);
  }

private:
  sigset_t ours_;
  sigset_t before_;
};

// Writes to the same pipe or terminal by a descriptor of its own, so that the flags of the stream
// stay: other processes may share them.
ssize_t write_by_own_descriptor(std::string_view text) {
  const auto own = ::open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (own < 0)
    return -1;
  const auto written = ::write(own, text.data(), text.size());
  const auto error = errno;
  ::close(own);
  errno = error;
  return written;
}

// What may be written to a stream that has any room, without waiting for more room.
ssize_t write_if_there_is_room(std::string_view text) {
  pollfd stream{STDERR_FILENO, POLLOUT, 0};
  if (poll(&stream, 1, 0) != 1 || (stream.revents & POLLOUT) == 0) {
    errno = EAGAIN;
    return -1;
  }
  return ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
}

// Writes at most once, and returns how many bytes; -1: none.
ssize_t write_some(std::string_view text) {
  struct stat about {};
  if (fstat(STDERR_FILENO, &about) != 0)
    return -1;
  if (S_ISREG(about.st_mode))
    return ::write(STDERR_FILENO, text.data(), text.size());
  if (S_ISSOCK(about.st_mode))
    return ::send(STDERR_FILENO, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  const iovec part{const_cast<char*>(text.data()), text.size()};
  constexpr off_t where_it_stands = -1;
  const auto is_final = [](ssize_t written) {
    return written >= 0 || errno == EAGAIN || errno == EPIPE || errno == EIO;
  };
  if (const auto written = ::pwritev2(STDERR_FILENO, &part, 1, where_it_stands, RWF_NOWAIT);
      is_final(written))
    return written;
  if (const auto written = write_by_own_descriptor(text); is_final(written))
    return written;
  return write_if_there_is_room(text);
}

std::string text_of(std::string_view line, std::uint64_t missing) {
  std::string text;
  if (is_cut)
    text += '\n';
  if (missing != 0)
    text.append("backoff_actor: ")
      .append(std::to_string(missing))
      .append(missing == 1 ? " line was" : " lines were")
      .append(" left out here: the error stream took none\n");
  return text.append(one_line(line)).append("\n");
}

} // namespace

void tell_error_stream(std::string_view line) noexcept {
  const auto error = errno;
  const auto missing = left_out.exchange(0);
  try {
    const auto text = text_of(line, missing);
    const NoSignalsOfWrites none;
    ssize_t written = -1;
    do
      written = write_some(text);
    while (written < 0 && errno == EINTR);
    if (written < 0 && (errno == EPIPE || errno == EFBIG))
      none.take();
    if (written <= 0)
      left_out += missing + 1;
    else
      is_cut = static_cast<std::size_t>(written) < text.size();
  } catch (...) { // there is no memory for the line
    left_out += missing + 1;
  }
  errno = error;
}

} // namespace backoff_actor::detail
