#include "common/reserved_port.hpp"

#include <cerrno>
#include <cstdint>
#include <netinet/in.h>
#include <sys/socket.h>
#include <system_error>

namespace example {

ReservedPort::ReservedPort(int number) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int yes = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(number));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  const auto generic = reinterpret_cast<sockaddr*>(&address);
  if (setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0
      || bind(socket_.get(), generic, size) != 0 || getsockname(socket_.get(), generic, &size) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot open a port for the service");
  number_ = ntohs(address.sin_port);
}

} // namespace example
