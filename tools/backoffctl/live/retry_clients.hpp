#pragma once

#include "event_loop.hpp"
#include "http_caller.hpp"
#include "load_options.hpp"
#include "retry_pace.hpp"

#include "backoff_actor/retry/shared_guard.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace backoffctl {

/// Makes one call; says later whether it was well.
using CountedCall = std::function<void(std::function<void(bool is_ok)>)>;

/// Clients that each think, call, and call again for as long as it fails, in one thread.
///
/// What client i draws comes from the seed: when it thinks from stream 2 i, how it waits from
/// stream 2 i + 1. So the times of thinking do not depend on the policy.
class RetryClients {
public:
  /// All begin to think.
  ///
  /// @param guard   may be none
  /// @param call    must outlive this, as must the options, and not be under way when this ends
  RetryClients(EventLoop& loop, const LoadOptions& options, backoff_actor::SharedGuard guard,
               const CountedCall& call);
  RetryClients(const RetryClients&) = delete;
  RetryClients& operator=(const RetryClients&) = delete;
  ~RetryClients();

private:
  class Client;

  std::vector<std::unique_ptr<Client>> clients_;
};

} // namespace backoffctl
