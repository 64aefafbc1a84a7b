#include "backoff_actor/net/internal/wire.hpp"

#include <cerrno>
#include <sys/socket.h>
#include <system_error>

namespace backoff_actor::net {

Moved PlainWire::read(std::span<std::byte> bytes) {
  for (;;) {
    const auto count = recv(socket().get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count > 0)
      return {WireState::ready, static_cast<std::size_t>(count)};
    if (count == 0)
      return {WireState::ended};
    if (errno == EAGAIN)
      return {WireState::wants_read};
    if (errno != EINTR) {
      set_problem(std::generic_category().message(errno));
      return {WireState::failed};
    }
  }
}

Moved PlainWire::write(std::span<const std::byte> bytes) {
  for (;;) {
    const auto count =
      send(socket().get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0)
      return {WireState::ready, static_cast<std::size_t>(count)};
    if (errno == EAGAIN)
      return {WireState::wants_write};
    if (errno != EINTR) {
      set_problem(std::generic_category().message(errno));
      return {WireState::failed};
    }
  }
}

void PlainWire::say_end() { shutdown(socket().get(), SHUT_WR); }

const std::string& PlainWire::subject() const {
  static const std::string none;
  return none;
}

} // namespace backoff_actor::net
