#pragma once

#include <cstdint>
#include <sys/types.h>

namespace watchers {

/// What all watchers together have seen.
struct Seen {
  std::uint64_t fewest_frames = 0; ///< of any that reads
  std::uint64_t bytes = 0;
  double longest_pause = 0; ///< between two frames of one watcher, in seconds
};

/// Those who watch the live page of a server. They live in a process of their own, so that what
/// they do counts for nobody else.
class Audience {
public:
  /// Makes the process.
  ///
  /// @errors throws `std::runtime_error` if there can be none.
  /// @thread the caller's must be the only one.
  Audience();
  Audience(const Audience&) = delete;
  Audience& operator=(const Audience&) = delete;
  /// Ends the process, and waits for its end.
  ~Audience();

  /// Lets watchers come, of whom the last `stopped` take nothing of what they asked for. Returns
  /// once each other has seen everything once.
  ///
  /// @errors throws `std::runtime_error` if that takes too long.
  void come(std::uint16_t port, std::uint32_t reading, std::uint32_t stopped);

  /// Lets all leave, and returns what they have seen since they had come.
  ///
  /// @errors throws `std::runtime_error` if a watcher was turned out before.
  Seen leave();

private:
  template <class T>
  T answer() const;

  int commands_ = -1;
  int answers_ = -1;
  pid_t process_ = -1;
};

} // namespace watchers
