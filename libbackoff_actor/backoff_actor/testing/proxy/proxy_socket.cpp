#include "backoff_actor/testing/proxy/internal/proxy_socket.hpp"

#include <cerrno>
#include <system_error>

namespace backoff_actor::testing::detail {

namespace {

// Returns 0 if there is none, with `errno`.
std::uint16_t free_port() {
  const auto socket = net::bind_to_loopback(0);
  return socket ? net::port_of(socket) : std::uint16_t{0};
}

} // namespace

Descriptor hold_port(std::uint16_t port) {
  for (auto attempts = 100;; --attempts) {
    // Only a port that was asked for by its number is kept while nobody listens.
    const auto wanted = port == 0 ? free_port() : port;
    auto result = wanted == 0 ? Descriptor{} : net::bind_to_loopback(wanted);
    if (result)
      return result;
    if (port != 0 || wanted == 0 || attempts == 0 || errno != EADDRINUSE)
      raise_system_error(errno, "no port for the proxy");
  }
}

void listen_at(const Descriptor& socket) {
  if (listen(socket.get(), SOMAXCONN) != 0)
    raise_system_error(errno, "the proxy cannot listen");
}

Descriptor accept_from(const Descriptor& listener) {
  for (;;) {
    Descriptor result{accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (result)
      net::send_at_once(result);
    // Tries again if the client disconnected before it was accepted.
    if (result || (errno != EINTR && errno != ECONNABORTED))
      return result;
  }
}

void reset(Descriptor& socket) {
  net::reset_when_closed(socket);
  socket.close();
}

void raise_system_error(int error, const char* what) {
  throw std::system_error(error, std::generic_category(), what);
}

} // namespace backoff_actor::testing::detail
