#pragma once

#include "calls_from_actors.hpp"
#include "event_loop.hpp"
#include "load_options.hpp"
#include "retry_clients.hpp"

#include "backoff_actor/retry/shared_guard.hpp"

#include <memory>

namespace backoffctl {

/// Clients that are actors: each thinks, and then makes a request of a `BackOffSender` of its own,
/// whose child makes the call and answers with an error where it fails. So it is the sender that
/// retries.
///
/// The actors run in the threads of an actor system. All calls are made by the one event loop, so
/// that no actor ever waits for the network.
class SenderClients {
public:
  /// All begin to think.
  ///
  /// @param guard may be none; all senders share it
  /// @param call  is used in the loop's thread only, and must outlive this, as must the options
  SenderClients(EventLoop& loop, const LoadOptions& options, backoff_actor::SharedGuard guard,
                const CountedCall& call);
  SenderClients(const SenderClients&) = delete;
  SenderClients& operator=(const SenderClients&) = delete;

  /// Ends all actors, and waits for that.
  ~SenderClients();

private:
  class System;

  std::shared_ptr<CallsFromActors> calls_;
  std::unique_ptr<System> system_;
};

} // namespace backoffctl
