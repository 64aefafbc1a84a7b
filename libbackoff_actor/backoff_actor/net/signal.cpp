#include "backoff_actor/net/internal/signal.hpp"

#include <cerrno>
#include <sys/eventfd.h>
#include <system_error>

namespace backoff_actor::net {

Signal::Signal() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!descriptor_)
    throw std::system_error(errno, std::generic_category(), "cannot create an eventfd");
}

void Signal::raise() const {
  // This fails only after the signal was raised 2^64 - 2 times.
  eventfd_write(descriptor_.get(), 1);
}

void Signal::lower() const {
  eventfd_t ignored = 0;
  eventfd_read(descriptor_.get(), &ignored);
}

} // namespace backoff_actor::net
