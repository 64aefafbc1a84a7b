#pragma once

// Resolving, connecting and receiving. Each ends at a deadline, and at once when a stop signal is
// raised.

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

/// A signal that stays raised: an eventfd that can be polled.
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
  done,    ///< with success
  failed,  ///< with an error, or the end of the connection
  late,    ///< at the deadline
  stopped, ///< because the stop signal was raised
};

/// How long to wait.
struct BACKOFF_ACTOR_HIDDEN Patience {
  const Signal& stop;
  Clock::time_point deadline;
};

/// An address of a host, with the port.
struct BACKOFF_ACTOR_HIDDEN Address {
  sockaddr_storage bytes;
  socklen_t size;

  /// The host's numeric address, which `connect_request` accepts as a host name.
  std::string host() const;
};

/// The result of resolving a name.
struct BACKOFF_ACTOR_HIDDEN Resolved {
  Wait ending;
  std::vector<Address> addresses; ///< not empty if done
  std::string error;              ///< if failed
};

/// Resolves a host, with the system's resolver unless it is a numeric address. The resolver cannot
/// be interrupted, so it runs in a thread of its own. That thread ends when the resolver returns.
///
/// @errors throws `std::system_error` if no descriptor or thread is left.
BACKOFF_ACTOR_HIDDEN Resolved resolve(const std::string& host, std::uint16_t port,
                                      const Patience& patience);

/// The result of an attempt to connect.
struct BACKOFF_ACTOR_HIDDEN Connection {
  Wait ending;
  Descriptor socket; ///< non-blocking, if done
  int error;         ///< of errno, if failed
};

/// Connects.
BACKOFF_ACTOR_HIDDEN Connection connect(const Address& address, const Patience& patience);

/// Receives until `bytes` is full.
BACKOFF_ACTOR_HIDDEN Wait receive(const Descriptor& socket, std::span<std::byte> bytes,
                                  const Patience& patience);

} // namespace backoff_actor::remote_dial
