#include "common/tcp_stream.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <poll.h>
#include <span>
#include <system_error>

namespace backoff_actor::test {

TcpStream TcpStream::connect(std::uint16_t port, std::optional<int> unread_bytes) {
  // It blocks, unlike net::connect, which takes a peer that resets at once for one that refuses.
  TcpStream result{net::Descriptor{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}};
  const auto address = net::loopback(port);
  if (unread_bytes)
    setsockopt(result.get(), SOL_SOCKET, SO_RCVBUF, &*unread_bytes, sizeof *unread_bytes);
  if (!result || ::connect(result.get(), address.generic(), address.size) != 0)
    throw std::system_error(errno, std::generic_category(), "no connection");
  net::send_at_once(result.socket_);
  return result;
}

bool TcpStream::send(std::string_view bytes, std::chrono::milliseconds limit) {
  const net::Patience until{net::Clock::now() + limit};
  while (!bytes.empty() && net::wait_for(socket_, POLLOUT, until) == net::Wait::done) {
    const auto count = ::send(get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EAGAIN && errno != EINTR)
      return !(is_reset_ = true);
  }
  return bytes.empty();
}

TcpStream::Received TcpStream::receive(std::size_t count, std::chrono::milliseconds limit) {
  const net::Patience until{net::Clock::now() + limit};
  Received result{{}, Ending::open};
  std::array<char, 65'536> buffer;
  while (result.ending == Ending::open && result.bytes.size() < count) {
    const auto part = std::span{buffer}.first(std::min(buffer.size(), count - result.bytes.size()));
    const auto received = net::receive(socket_, std::as_writable_bytes(part), until);
    result.bytes.append(part.data(), received.count);
    if (received.ending == net::Wait::late)
      result.ending = Ending::silent;
    else if (received.ending == net::Wait::failed)
      result.ending = received.error == 0 && !is_reset_ ? Ending::closed : Ending::reset;
  }
  return result;
}

TcpStream::Received TcpStream::receive_all(std::chrono::milliseconds limit) {
  return receive(std::numeric_limits<std::size_t>::max(), limit);
}

void TcpStream::end_sending() { shutdown(get(), SHUT_WR); }

} // namespace backoff_actor::test
