#pragma once

// TCP sockets, and waiting for them until a deadline. For the library, its tests and its tools.

#include "backoff_actor/core/export.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace backoff_actor::net {

using Clock = std::chrono::steady_clock;

/// Owns a file descriptor.
class BACKOFF_ACTOR_EXPORT Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }

  /// Gives the descriptor to the caller, who closes it.
  int release() { return std::exchange(number_, -1); }

  /// Leaves `errno` as it is.
  void close();

private:
  int number_ = -1;
};

// -- waiting ------------------------------------------------------------------------

/// How a wait ended.
enum class Wait {
  done,    ///< with success
  failed,  ///< with an error, or the end of the connection
  late,    ///< at the deadline
  stopped, ///< because `Patience::stop` became readable
};

/// How long to wait.
struct BACKOFF_ACTOR_EXPORT Patience {
  Clock::time_point deadline;
  int stop = -1; ///< a descriptor that ends the wait when it is readable; negative: none
};

/// Waits for events of poll(2); a broken connection is one, too.
BACKOFF_ACTOR_EXPORT Wait wait_for(const Descriptor& descriptor, short events,
                                   const Patience& patience);

// -- addresses ----------------------------------------------------------------------

/// An address of a host, with the port.
struct BACKOFF_ACTOR_EXPORT Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  /// As the functions of the system want it.
  const sockaddr* generic() const { return reinterpret_cast<const sockaddr*>(&bytes); }

  /// The host's numeric address, which can be used as its name.
  std::string host() const;

  std::uint16_t port() const;
};

/// 127.0.0.1.
BACKOFF_ACTOR_EXPORT Address loopback(std::uint16_t port);

/// The result of resolving a name.
struct BACKOFF_ACTOR_EXPORT Resolved {
  Wait ending;
  std::vector<Address> addresses{}; ///< not empty if done
  std::string error{};              ///< if failed
};

/// Asks the system's resolver, which may take a long time. `flags` are those of getaddrinfo(3).
BACKOFF_ACTOR_EXPORT Resolved resolve(const std::string& host, std::uint16_t port, int flags = 0);

// -- connections --------------------------------------------------------------------

/// Returns a socket that is bound to this port of 127.0.0.1; 0: to any free port. The socket
/// refuses connections until it listens. If there is no such socket, returns none and sets `errno`.
/// `flags` are those of socket(2).
BACKOFF_ACTOR_EXPORT Descriptor bind_to_loopback(std::uint16_t port, int flags = SOCK_NONBLOCK);

/// Returns a non-blocking socket that listens at an address; with port 0 at any free port.
///
/// @errors throws `std::system_error`, such as for a port that is taken.
BACKOFF_ACTOR_EXPORT Descriptor listen_at(const Address& address);

/// One who has connected.
struct BACKOFF_ACTOR_EXPORT Arrival {
  Descriptor socket{}; ///< non-blocking; none: nobody waits, or `errno` says what is wrong
  Address peer{};
};

/// Takes one who waits at a socket that listens. Its address is known also if it has reset the
/// connection; `peer_of` has none then.
BACKOFF_ACTOR_EXPORT Arrival accept_at(const Descriptor& listener);

/// The address of the socket itself, or of its peer. Empty if it has none.
BACKOFF_ACTOR_EXPORT Address address_of(const Descriptor& socket);
BACKOFF_ACTOR_EXPORT Address peer_of(const Descriptor& socket);

/// @errors throws `std::system_error` if the socket has no port.
BACKOFF_ACTOR_EXPORT std::uint16_t port_of(const Descriptor& socket);

/// Returns a non-blocking socket that is connecting or connected. If the connection cannot even
/// begin, returns none and sets `errno`.
BACKOFF_ACTOR_EXPORT Descriptor begin_connection(const Address& address);

/// Returns 0 if the connection was established, otherwise the error.
BACKOFF_ACTOR_EXPORT int connection_error(const Descriptor& socket);

/// The result of an attempt to connect.
struct BACKOFF_ACTOR_EXPORT Connection {
  Wait ending;
  Descriptor socket{}; ///< non-blocking, if done
  int error = 0;       ///< of errno, if failed or late
};

/// Connects.
BACKOFF_ACTOR_EXPORT Connection connect(const Address& address, const Patience& patience);

/// What was received.
struct BACKOFF_ACTOR_EXPORT Received {
  Wait ending;
  std::size_t count = 0; ///< bytes, however it ended
  int error = 0;         ///< of errno, if failed; 0: the peer has ended the connection
};

/// Receives until `bytes` is full.
BACKOFF_ACTOR_EXPORT Received receive(const Descriptor& socket, std::span<std::byte> bytes,
                                      const Patience& patience);

/// Makes the socket send small pieces at once.
BACKOFF_ACTOR_EXPORT void send_at_once(const Descriptor& socket);

/// Makes `close` send RST. Data that the peer has not received is lost.
BACKOFF_ACTOR_EXPORT void reset_when_closed(const Descriptor& socket);

} // namespace backoff_actor::net
