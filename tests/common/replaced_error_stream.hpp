#pragma once

#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace backoff_actor::test {

/// A descriptor that is closed with it.
class Owned {
public:
  explicit Owned(int descriptor) : descriptor_(descriptor) {
    if (descriptor < 0)
      throw std::system_error(errno, std::generic_category(), "no descriptor");
  }
  Owned(Owned&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Owned& operator=(Owned&&) = delete;
  ~Owned() { shut(); }

  void shut() {
    if (descriptor_ >= 0)
      close(std::exchange(descriptor_, -1));
  }
  int get() const { return descriptor_; }

private:
  int descriptor_;
};

/// Makes a descriptor the error stream of this process, for as long as it lives.
class ReplacedErrorStream {
public:
  explicit ReplacedErrorStream(int by) : before_(dup(STDERR_FILENO)) { dup2(by, STDERR_FILENO); }
  ReplacedErrorStream(const ReplacedErrorStream&) = delete;
  ReplacedErrorStream& operator=(const ReplacedErrorStream&) = delete;
  ~ReplacedErrorStream() { dup2(before_.get(), STDERR_FILENO); }

private:
  Owned before_;
};

/// Two ends of a pipe, a pair of sockets or a terminal, whatever is written to.
struct Ends {
  Owned reading;
  Owned writing;
};

inline Ends make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "no pipe");
  return {Owned{ends[0]}, Owned{ends[1]}};
}

/// Writes until there is no room for a byte. A write waits for room after that, as before.
inline void fill(const Owned& writing) {
  const auto flags = fcntl(writing.get(), F_GETFL);
  fcntl(writing.get(), F_SETFL, flags | O_NONBLOCK);
  for (std::size_t size = 4096; size != 0;)
    if (write(writing.get(), std::string(size, '.').data(), size) <= 0)
      size /= 2;
  fcntl(writing.get(), F_SETFL, flags);
}

/// Reads what is there, without waiting.
inline std::string read_all(const Owned& reading) {
  std::string result;
  pollfd waiting{reading.get(), POLLIN, 0};
  while (poll(&waiting, 1, 0) == 1 && (waiting.revents & POLLIN) != 0) {
    char part[4096];
    const auto count = read(reading.get(), part, sizeof part);
    if (count <= 0)
      break;
    result.append(part, static_cast<std::size_t>(count));
  }
  return result;
}

} // namespace backoff_actor::test
