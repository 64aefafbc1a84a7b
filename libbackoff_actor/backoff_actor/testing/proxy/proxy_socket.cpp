#include "backoff_actor/testing/proxy/internal/proxy_socket.hpp"

#include <cerrno>
#include <cstring>
#include <linux/sockios.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>

namespace backoff_actor::testing::detail {

namespace {

void set(const Descriptor& socket, int level, int option) {
  const int yes = 1;
  setsockopt(socket.get(), level, option, &yes, sizeof(yes));
}

// Returns 0, or why not.
int bind_to(std::uint16_t port, Descriptor& result) {
  result = Descriptor{socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!result)
    return errno;
  // Ended connections of an earlier proxy must not block the port.
  set(result, SOL_SOCKET, SO_REUSEADDR);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(result.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
    return 0;
  const auto error = errno;
  result.close();
  return error;
}

} // namespace

void Descriptor::close() {
  const auto number = std::exchange(number_, -1);
  if (number >= 0)
    ::close(number);
}

Resolved resolve(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const auto error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error != 0)
    return {{}, gai_strerror(error)};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner{list, freeaddrinfo};
  Resolved result;
  for (const auto* x = list; x != nullptr; x = x->ai_next) {
    ServiceAddress address{{}, x->ai_addrlen};
    std::memcpy(&address.bytes, x->ai_addr, x->ai_addrlen);
    result.addresses.push_back(address);
  }
  return result;
}

Descriptor hold_port(std::uint16_t port) {
  Descriptor result;
  if (port != 0) {
    if (const auto error = bind_to(port, result))
      raise_system_error(error, "no port for the proxy");
    return result;
  }
  // Only a port that was asked for by its number is kept while nobody listens.
  for (auto attempts = 100;; --attempts) {
    const auto error = bind_to(0, result);
    if (error != 0)
      raise_system_error(error, "no port for the proxy");
    const auto free_port = port_of(result);
    result.close();
    const auto taken = bind_to(free_port, result);
    if (taken == 0)
      return result;
    if (attempts == 0 || taken != EADDRINUSE)
      raise_system_error(taken, "no port for the proxy");
  }
}

std::uint16_t port_of(const Descriptor& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    raise_system_error(errno, "no port for the proxy");
  return ntohs(address.sin_port);
}

void listen_at(const Descriptor& socket) {
  if (listen(socket.get(), SOMAXCONN) != 0)
    raise_system_error(errno, "the proxy cannot listen");
}

void refuse_at(const Descriptor& socket) { shutdown(socket.get(), SHUT_RDWR); }

Descriptor accept_from(const Descriptor& listener) {
  for (;;) {
    Descriptor result{accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (result)
      set(result, IPPROTO_TCP, TCP_NODELAY);
    // Tries again if the client disconnected before it was accepted.
    if (result || (errno != EINTR && errno != ECONNABORTED))
      return result;
  }
}

Descriptor begin_connection(const ServiceAddress& address) {
  Descriptor result{socket(address.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!result)
    return {};
  set(result, IPPROTO_TCP, TCP_NODELAY);
  if (connect(result.get(), reinterpret_cast<const sockaddr*>(&address.bytes), address.size) != 0
      && errno != EINPROGRESS && errno != EINTR)
    return {};
  return result;
}

int connection_error(const Descriptor& socket) {
  int result = 0;
  socklen_t size = sizeof(result);
  if (getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &result, &size) != 0)
    return errno;
  return result;
}

bool is_delivered(const Descriptor& socket) {
  int outstanding = 0;
  return ioctl(socket.get(), SIOCOUTQ, &outstanding) != 0 || outstanding == 0;
}

void reset(Descriptor& socket) {
  if (!socket)
    return;
  const linger at_once{1, 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  socket.close();
}

void raise_system_error(int error, const char* what) {
  throw std::system_error(error, std::generic_category(), what);
}

} // namespace backoff_actor::testing::detail
