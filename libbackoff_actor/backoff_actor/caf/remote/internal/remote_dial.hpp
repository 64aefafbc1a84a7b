#pragma once

// Resolving, connecting and receiving, each of which ends at a deadline, and at once when somebody says so.

#include "backoff_actor/core/export.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace backoff_actor::remote_dial {

using Clock = std::chrono::steady_clock;

/// Owns a file descriptor.
class BACKOFF_ACTOR_HIDDEN Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int get() const { return number_; }

private:
  int number_ = -1;
};

/// Something that is said once: an eventfd that can be polled.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_HIDDEN Signal {
public:
  /// @errors throws `std::system_error` if no descriptor is left.
  Signal();

  void raise() const;
  int get() const { return descriptor_.get(); }

private:
  Descriptor descriptor_;
};

/// How a wait ended.
enum class Wait {
  done,    ///< with what was waited for
  failed,  ///< with an error, or the end of the connection
  late,    ///< at the deadline
  stopped, ///< since the signal to stop was raised
};

/// How long there is to wait.
struct BACKOFF_ACTOR_HIDDEN Patience {
  const Signal& stop;
  Clock::time_point deadline;
};

/// An address of a host, with the port.
struct BACKOFF_ACTOR_HIDDEN Address {
  sockaddr_storage bytes;
  socklen_t size;

  /// The host as a number, which `connect_request` and others take for a name.
  std::string host() const;
};

/// What became of a name.
struct BACKOFF_ACTOR_HIDDEN Resolved {
  Wait ending;
  std::vector<Address> addresses; ///< not empty if done
  std::string error;              ///< if failed
};

/// Looks a host up, with the system's resolver if it is no number. The resolver cannot be interrupted: a thread of its
/// own waits for it, and goes when it is back.
///
/// @errors throws `std::system_error` if no descriptor or thread is left.
BACKOFF_ACTOR_HIDDEN Resolved resolve(const std::string& host, std::uint16_t port,
                                      const Patience& patience);

/// What became of an attempt to connect.
struct BACKOFF_ACTOR_HIDDEN Connection {
  Wait ending;
  Descriptor socket; ///< non-blocking, if done
  int error;         ///< of errno, if failed
};

/// Connects.
BACKOFF_ACTOR_HIDDEN Connection connect(const Address& address, const Patience& patience);

/// Fills the bytes with what comes.
BACKOFF_ACTOR_HIDDEN Wait receive(const Descriptor& socket, std::span<std::byte> bytes,
                                  const Patience& patience);

} // namespace backoff_actor::remote_dial
