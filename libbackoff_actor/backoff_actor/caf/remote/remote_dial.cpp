#include "backoff_actor/caf/remote/internal/remote_dial.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace backoff_actor::remote_dial {

namespace {

Wait wait_for(int descriptor, short events, const Patience& patience) {
  for (;;) {
    const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(patience.deadline - Clock::now());
    std::array<pollfd, 2> asked{{{patience.stop.get(), POLLIN, 0}, {descriptor, events, 0}}};
    const auto longest = std::chrono::milliseconds{std::chrono::hours{1}}; // fits into an int
    const auto result =
      poll(asked.data(), asked.size(),
           static_cast<int>(std::clamp(left, std::chrono::milliseconds{0}, longest).count()));
    if (result < 0 && errno != EINTR)
      return Wait::failed;
    if (result > 0 && asked[0].revents != 0)
      return Wait::stopped;
    if (result > 0)
      return Wait::done;
    if (left.count() <= 0)
      return Wait::late;
  }
}

Resolved look_up(const std::string& host, std::uint16_t port, int flags) {
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
  Resolved result{Wait::done, {}, {}};
  for (const auto* x = list; x != nullptr; x = x->ai_next) {
    Address address{{}, x->ai_addrlen};
    std::memcpy(&address.bytes, x->ai_addr, x->ai_addrlen);
    result.addresses.push_back(address);
  }
  return result;
}

// Shared by the resolver's thread and the thread that waits for it, which may stop waiting before
// the resolver returns.
struct LookUp {
  Signal is_back;
  std::mutex mutex;
  Resolved result;
};

} // namespace

// -- descriptors ------------------------------------------------------------------

Descriptor::~Descriptor() {
  if (number_ >= 0)
    close(number_);
}

Signal::Signal() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (get() < 0)
    throw std::system_error(errno, std::generic_category(), "no eventfd");
}

void Signal::raise() const {
  const std::uint64_t one = 1;
  // It fails only if it has been raised 2^64 - 2 times.
  [[maybe_unused]] const auto written = write(get(), &one, sizeof(one));
}

// -- resolving ----------------------------------------------------------------------

std::string Address::host() const {
  char text[NI_MAXHOST];
  const auto error = getnameinfo(reinterpret_cast<const sockaddr*>(&bytes), size, text,
                                 sizeof(text), nullptr, 0, NI_NUMERICHOST);
  return error == 0 ? text : "";
}

Resolved resolve(const std::string& host, std::uint16_t port, const Patience& patience) {
  if (auto numeric = look_up(host, port, AI_NUMERICHOST); numeric.ending == Wait::done)
    return numeric;
  const auto shared = std::make_shared<LookUp>();
  std::thread{[shared, host, port] {
    Resolved result{Wait::failed, {}, "out of memory"};
    try {
      result = look_up(host, port, 0);
    } catch (const std::bad_alloc&) {
    }
    {
      const std::lock_guard lock{shared->mutex};
      shared->result = std::move(result);
    }
    shared->is_back.raise();
  }}.detach();
  const auto ending = wait_for(shared->is_back.get(), POLLIN, patience);
  if (ending != Wait::done)
    return {ending, {}, std::generic_category().message(errno)};
  const std::lock_guard lock{shared->mutex};
  return std::move(shared->result);
}

// -- connections ------------------------------------------------------------------

Connection connect(const Address& address, const Patience& patience) {
  Descriptor result{socket(address.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (result.get() < 0)
    return {Wait::failed, {}, errno};
  if (::connect(result.get(), reinterpret_cast<const sockaddr*>(&address.bytes), address.size) == 0)
    return {Wait::done, std::move(result), 0};
  if (errno != EINPROGRESS && errno != EINTR)
    return {Wait::failed, {}, errno};
  if (const auto ending = wait_for(result.get(), POLLOUT, patience); ending != Wait::done)
    return {ending, {}, errno};
  int error = 0;
  socklen_t size = sizeof(error);
  if (getsockopt(result.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0)
    error = errno;
  if (error != 0)
    return {Wait::failed, {}, error};
  return {Wait::done, std::move(result), 0};
}

Wait receive(const Descriptor& socket, std::span<std::byte> bytes, const Patience& patience) {
  while (!bytes.empty()) {
    if (const auto ending = wait_for(socket.get(), POLLIN, patience); ending != Wait::done)
      return ending;
    const auto count = recv(socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count > 0)
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    else if (count == 0 || (errno != EAGAIN && errno != EINTR))
      return Wait::failed;
  }
  return Wait::done;
}

} // namespace backoff_actor::remote_dial
