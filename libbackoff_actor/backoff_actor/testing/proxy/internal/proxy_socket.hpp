#pragma once

// For the TCP proxy only, not for its users. Its sockets, all non-blocking.

#include "backoff_actor/core/export.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace backoff_actor::testing::detail {

// Owns a file descriptor.
class BACKOFF_ACTOR_HIDDEN Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }
  void close();

private:
  int number_ = -1;
};

// The address at which a service listens.
struct BACKOFF_ACTOR_HIDDEN ServiceAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

// All addresses of a host, or the reason why there are none.
struct BACKOFF_ACTOR_HIDDEN Resolved {
  std::vector<ServiceAddress> addresses{};
  std::string problem{};
};

BACKOFF_ACTOR_HIDDEN Resolved resolve(const std::string& host, std::uint16_t port);

// A socket that holds a port of 127.0.0.1, any free one for 0. It refuses connections until it
// listens.
BACKOFF_ACTOR_HIDDEN Descriptor hold_port(std::uint16_t port);
BACKOFF_ACTOR_HIDDEN std::uint16_t port_of(const Descriptor& socket);
BACKOFF_ACTOR_HIDDEN void listen_at(const Descriptor& socket);

// Makes the socket refuse connections again. Linux keeps the port, and lets it listen later.
BACKOFF_ACTOR_HIDDEN void refuse_at(const Descriptor& socket);

// Returns none if no client waits, or if the system has no socket now; `errno` tells which.
BACKOFF_ACTOR_HIDDEN Descriptor accept_from(const Descriptor& listener);

// Returns a socket that is connecting or connected; none if the connection cannot even begin.
BACKOFF_ACTOR_HIDDEN Descriptor begin_connection(const ServiceAddress& address);

// Returns 0 if the connection was established, otherwise the error.
BACKOFF_ACTOR_HIDDEN int connection_error(const Descriptor& socket);

// Whether the peer has received all that was sent.
BACKOFF_ACTOR_HIDDEN bool is_delivered(const Descriptor& socket);

// Closes with RST. Data that the peer has not received is lost.
BACKOFF_ACTOR_HIDDEN void reset(Descriptor& socket);

[[noreturn]] BACKOFF_ACTOR_HIDDEN void raise_system_error(int error, const char* what);

} // namespace backoff_actor::testing::detail
