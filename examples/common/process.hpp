#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace example {

/// Owns a file descriptor.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();

  int get() const { return fd_; }

private:
  int fd_ = -1;
};

/// How a process ended.
struct Ending {
  int status; ///< as `waitpid` gives it

  bool is_success() const { return status == 0; }
};

/// Renders an ending for people: `exit code 1`, `signal 9 (Killed)`.
std::string to_string(const Ending& ending);

/// A program that this one started. Not to outlive this object: the destructor kills it.
///
/// It runs in a process group of its own, so a Ctrl-C on the terminal does not reach it. It has the
/// default signal handling, and no open files but its standard ones.
///
/// @thread one at a time; the program is taken for a child of the thread that made this.
class Process {
public:
  /// Where its standard streams lead; -1 is where those of this program do.
  struct Streams {
    int in = -1;
    int out = -1;
    int err = -1;
  };

  /// Starts `command[0]`, which is looked for in PATH if it names no folder.
  ///
  /// @errors throws `std::system_error`
  Process(const std::vector<std::string>& command, Streams streams);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  /// Returns how it ended, or nothing if it has not.
  std::optional<Ending> ending();

  /// Sends it a signal, unless its end is known.
  void send(int signal);

  /// Waits for its end.
  Ending wait();

private:
  pid_t id_ = -1;
  std::optional<Ending> ending_;
};

} // namespace example
