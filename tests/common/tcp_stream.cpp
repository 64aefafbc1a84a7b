#include "common/tcp_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace backoff_actor::test {

namespace {

using Clock = std::chrono::steady_clock;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  result.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return result;
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

} // namespace

TcpStream::~TcpStream() {
  if (socket_ >= 0)
    close(socket_);
}

TcpStream TcpStream::connect(std::uint16_t port) {
  TcpStream result{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const auto address = loopback(port);
  if (!result
      || ::connect(result.socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address))
           != 0)
    fail("no connection");
  const int yes = 1;
  setsockopt(result.socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  return result;
}

bool TcpStream::wait_for(short events, Clock::time_point deadline) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd asked{socket_, events, 0};
    const auto result = poll(&asked, 1, std::max(static_cast<int>(left.count()), 0));
    if (result >= 0 || errno != EINTR)
      return result > 0;
  }
}

bool TcpStream::send(std::string_view bytes, std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  while (!bytes.empty() && wait_for(POLLOUT, deadline)) {
    const auto count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EAGAIN && errno != EINTR)
      return !(is_reset_ = true);
  }
  return bytes.empty();
}

TcpStream::Received TcpStream::receive(std::size_t count, std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  Received result{{}, Ending::open};
  char part[65'536];
  while (result.bytes.size() < count) {
    if (!wait_for(POLLIN, deadline)) {
      result.ending = Ending::silent;
      return result;
    }
    const auto got =
      recv(socket_, part, std::min(sizeof(part), count - result.bytes.size()), MSG_DONTWAIT);
    if (got > 0) {
      result.bytes.append(part, static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      result.ending = got == 0 && !is_reset_ ? Ending::closed : Ending::reset;
      return result;
    }
  }
  return result;
}

TcpStream::Received TcpStream::receive_all(std::chrono::milliseconds limit) {
  return receive(std::numeric_limits<std::size_t>::max(), limit);
}

void TcpStream::end_sending() { shutdown(socket_, SHUT_WR); }

void TcpStream::end_by_reset() {
  const linger at_once{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

std::pair<int, std::uint16_t> listen_at_free_port() {
  const auto result = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto address = loopback(0);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (result < 0 || bind(result, generic, size) != 0 || listen(result, SOMAXCONN) != 0
      || getsockname(result, generic, &size) != 0)
    fail("no port for the server");
  return {result, ntohs(address.sin_port)};
}

} // namespace backoff_actor::test
