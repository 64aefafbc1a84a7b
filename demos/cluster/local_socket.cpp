#include "local_socket.hpp"

#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>

namespace cluster {

namespace {

[[noreturn]] void fail(const std::string& path) {
  throw std::system_error(errno, std::generic_category(), path);
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    fail(path);
  }
  path.copy(address.sun_path, path.size());
  return address;
}

example::FileDescriptor new_socket(const std::string& path) {
  example::FileDescriptor result{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (result.get() < 0)
    fail(path);
  return result;
}

} // namespace

example::FileDescriptor listen_at(const std::string& path) {
  auto result = new_socket(path);
  const auto address = address_of(path);
  if (bind(result.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0
      || listen(result.get(), 64) != 0)
    fail(path);
  return result;
}

example::FileDescriptor connect_to(const std::string& path) {
  auto result = new_socket(path);
  const auto address = address_of(path);
  if (connect(result.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail(path);
  return result;
}

bool send_text(int socket, const std::string& text) {
  std::size_t sent = 0;
  while (sent < text.size()) {
    const auto count = send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count > 0)
      sent += static_cast<std::size_t>(count);
    else if (errno != EINTR)
      return false;
  }
  return true;
}

bool LineReader::read_from(int socket) {
  std::array<char, 4096> buffer;
  for (;;) {
    const auto count = recv(socket, buffer.data(), buffer.size(), 0);
    if (count > 0)
      bytes_.append(buffer.data(), static_cast<std::size_t>(count));
    if (count >= 0 || errno != EINTR)
      return count > 0;
  }
}

std::optional<std::string> LineReader::next() {
  const auto end = bytes_.find('\n');
  if (end == std::string::npos)
    return std::nullopt;
  auto line = bytes_.substr(0, end);
  bytes_.erase(0, end + 1);
  return line;
}

} // namespace cluster
