#include "backoff_actor/net/internal/socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <system_error>
#include <unistd.h>

namespace backoff_actor::net {

namespace {

Address address_from(const void* bytes, socklen_t size) {
  Address result{{}, size};
  std::memcpy(&result.bytes, bytes, size);
  return result;
}

bool turn_on(const Descriptor& socket, int level, int option) {
  const int yes = 1;
  return setsockopt(socket.get(), level, option, &yes, sizeof(yes)) == 0;
}

} // namespace

void Descriptor::close() {
  const auto error = errno;
  if (*this)
    ::close(release());
  errno = error;
}

// -- waiting ------------------------------------------------------------------------

Wait wait_for(const Descriptor& descriptor, short events, const Patience& patience) {
  for (;;) {
    const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(patience.deadline - Clock::now());
    std::array<pollfd, 2> asked{{{patience.stop, POLLIN, 0}, {descriptor.get(), events, 0}}};
    const auto longest = std::chrono::milliseconds{std::chrono::hours{1}}; // fits into an int
    const auto result =
      poll(asked.data(), asked.size(),
           static_cast<int>(std::clamp(left, std::chrono::milliseconds{0}, longest).count()));
    if (result < 0 && errno != EINTR)
      return Wait::failed;
    if (result > 0)
      return asked[0].revents != 0 ? Wait::stopped : Wait::done;
    if (left.count() <= 0)
      return Wait::late;
  }
}

// -- addresses ----------------------------------------------------------------------

std::string Address::host() const {
  char text[NI_MAXHOST];
  const auto error = getnameinfo(generic(), size, text, sizeof(text), nullptr, 0, NI_NUMERICHOST);
  return error == 0 ? text : "";
}

std::uint16_t Address::port() const {
  if (bytes.ss_family != AF_INET && bytes.ss_family != AF_INET6)
    return 0;
  // Both kinds have the port in the same place.
  sockaddr_in as_inet{};
  std::memcpy(&as_inet, &bytes, sizeof(as_inet));
  return ntohs(as_inet.sin_port);
}

Address loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address_from(&address, sizeof(address));
}

Resolved resolve(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const auto error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error != 0)
    return {Wait::failed,
            {},
            error == EAI_SYSTEM ? std::generic_category().message(errno) : gai_strerror(error)};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner{list, freeaddrinfo};
  Resolved result{Wait::done};
  for (const auto* x = list; x != nullptr; x = x->ai_next)
    result.addresses.push_back(address_from(x->ai_addr, x->ai_addrlen));
  return result;
}

// -- connections --------------------------------------------------------------------

Descriptor bind_to_loopback(std::uint16_t port, int flags) {
  Descriptor result{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0)};
  const auto address = loopback(port);
  // Ended connections of an earlier socket must not block the port.
  if (!result || !turn_on(result, SOL_SOCKET, SO_REUSEADDR)
      || bind(result.get(), address.generic(), address.size) != 0)
    return {};
  return result;
}

Descriptor listen_at(const Address& address) {
  Descriptor result{socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  // Ended connections of an earlier socket must not block the port.
  if (!result || !turn_on(result, SOL_SOCKET, SO_REUSEADDR)
      || bind(result.get(), address.generic(), address.size) != 0
      || listen(result.get(), SOMAXCONN) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot listen");
  return result;
}

Arrival accept_at(const Descriptor& listener) {
  Arrival result;
  result.peer.size = sizeof result.peer.bytes;
  result.socket =
    Descriptor{accept4(listener.get(), reinterpret_cast<sockaddr*>(&result.peer.bytes),
                       &result.peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC)};
  return result;
}

namespace {

Address address_by(int (*get)(int, sockaddr*, socklen_t*), const Descriptor& socket) {
  Address result;
  result.size = sizeof(result.bytes);
  if (get(socket.get(), reinterpret_cast<sockaddr*>(&result.bytes), &result.size) != 0)
    return {};
  return result;
}

} // namespace

Address address_of(const Descriptor& socket) { return address_by(getsockname, socket); }

Address peer_of(const Descriptor& socket) { return address_by(getpeername, socket); }

std::uint16_t port_of(const Descriptor& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::system_error(errno, std::generic_category(), "the socket has no port");
  return ntohs(address.sin_port);
}

Descriptor begin_connection(const Address& address) {
  Descriptor result{socket(address.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!result)
    return {};
  send_at_once(result);
  if (::connect(result.get(), address.generic(), address.size) != 0 && errno != EINPROGRESS
      && errno != EINTR)
    return {};
  return result;
}

int connection_error(const Descriptor& socket) {
  int result = 0;
  socklen_t size = sizeof(result);
  return getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &result, &size) == 0 ? result : errno;
}

Connection connect(const Address& address, const Patience& patience) {
  auto result = begin_connection(address);
  if (!result)
    return {Wait::failed, {}, errno};
  if (const auto ending = wait_for(result, POLLOUT, patience); ending != Wait::done)
    return {ending, {}, ending == Wait::late ? ETIMEDOUT : errno};
  if (const auto error = connection_error(result); error != 0)
    return {Wait::failed, {}, error};
  return {Wait::done, std::move(result)};
}

Received receive(const Descriptor& socket, std::span<std::byte> bytes, const Patience& patience) {
  Received result{Wait::done};
  while (result.count != bytes.size()) {
    if (const auto ending = wait_for(socket, POLLIN, patience); ending != Wait::done)
      return {ending, result.count, errno};
    const auto rest = bytes.subspan(result.count);
    const auto count = recv(socket.get(), rest.data(), rest.size(), MSG_DONTWAIT);
    if (count > 0)
      result.count += static_cast<std::size_t>(count);
    else if (count == 0 || (errno != EAGAIN && errno != EINTR))
      return {Wait::failed, result.count, count == 0 ? 0 : errno};
  }
  return result;
}

void send_at_once(const Descriptor& socket) { turn_on(socket, IPPROTO_TCP, TCP_NODELAY); }

void reset_when_closed(const Descriptor& socket) {
  const linger at_once{1, 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

} // namespace backoff_actor::net
