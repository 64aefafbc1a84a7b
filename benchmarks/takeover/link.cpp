#include "takeover/link.hpp"

#include "common/process.hpp"

#include <cerrno>
#include <cstring>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <system_error>

namespace takeover {

void set_cable(bool is_whole) {
  const example::FileDescriptor socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  if (ioctl(socket.get(), SIOCGIFFLAGS, &request) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot read the network's state");
  const auto up = static_cast<short>(IFF_UP);
  request.ifr_flags =
    static_cast<short>(is_whole ? request.ifr_flags | up : request.ifr_flags & ~up);
  if (ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot change the network's state");
}

bool enter_own_network() {
  if (unshare(CLONE_NEWNET) != 0)
    return false;
  set_cable(true);
  return true;
}

} // namespace takeover
