#include "backoff_actor/caf/remote/internal/remote_resolver.hpp"

#include "backoff_actor/net/internal/signal.hpp"
#include "backoff_actor/process/internal/checked_lock.hpp"

#include <cerrno>
#include <memory>
#include <netdb.h>
#include <new>
#include <poll.h>
#include <system_error>
#include <thread>
#include <utility>

namespace backoff_actor::remote_resolver {

namespace {

// Shared by the resolver's thread and the thread that waits for it, which may stop waiting before
// the resolver returns.
struct LookUp {
  net::Signal is_back;
  detail::Mutex mutex;
  net::Resolved result BACKOFF_ACTOR_GUARDED_BY(mutex);
};

} // namespace

net::Resolved resolve(const std::string& host, std::uint16_t port, const net::Patience& patience) {
  if (auto numeric = net::resolve(host, port, AI_NUMERICHOST); numeric.ending == net::Wait::done)
    return numeric;
  const auto shared = std::make_shared<LookUp>();
  std::thread{[shared, host, port] {
    net::Resolved result{net::Wait::failed, {}, "out of memory"};
    try {
      result = net::resolve(host, port);
    } catch (const std::bad_alloc&) {
    }
    {
      const detail::Lock lock{shared->mutex};
      shared->result = std::move(result);
    }
    shared->is_back.raise();
  }}.detach();
  const auto ending = net::wait_for(shared->is_back.descriptor(), POLLIN, patience);
  if (ending != net::Wait::done)
    return {ending, {}, std::generic_category().message(errno)};
  const detail::Lock lock{shared->mutex};
  return std::move(shared->result);
}

} // namespace backoff_actor::remote_resolver
