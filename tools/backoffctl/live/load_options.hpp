#pragma once

#include "http_caller.hpp"
#include "live_flags.hpp"
#include "retry_pace.hpp"

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/retry/shared_guard.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// What a load is to be like.
struct LoadOptions {
  std::uint32_t clients = 1000;
  backoff_actor::Duration mean_think = std::chrono::seconds{10};
  backoff_actor::Duration timeout = std::chrono::seconds{2};
  Pace pace{};                                        ///< between the attempts at a call
  std::optional<backoff_actor::GuardOptions> guard{}; ///< that all clients share
  bool are_senders = false;                           ///< each client has a BackOffSender
  bool any_answer_is_ok = false;                      ///< as in the seed's client
  std::uint64_t seed = 0;
  HttpUrl url{"127.0.0.1", 8070, "/api"};
};

/// Reads the clients' flags; notes problems that name them.
LoadOptions read_clients(const ClientFlags& flags, backoff_actor::Problems& problems);

/// Returns the command line of clients with the same flags.
std::vector<std::string> arguments_of(const ClientFlags& flags);

/// How the clients' pace is called: `fixed(100ms)`, or `smira_as_shipped`.
std::string to_string(const Pace& pace);

} // namespace backoffctl
