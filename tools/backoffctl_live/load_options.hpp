#pragma once

#include "http_caller.hpp"
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

/// What was given of the clients, and not yet looked at.
struct ClientFlags {
  std::optional<std::string> clients{};
  std::optional<std::string> lambda{};
  std::optional<std::string> timeout{};
  bool exponential_backoff = false;
  std::optional<std::string> simple_backoff_delay{};
  std::optional<std::string> policy{};
  std::optional<std::string> guard{};
  bool senders = false;
  std::optional<std::string> seed{};
};

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

/// Declares the flags of the clients.
///
/// @param add        a flag with a value: name, where it goes, the kind of value, help
/// @param add_switch a flag without one: name, where it goes, help
template <class Add, class AddSwitch>
void declare_clients(ClientFlags& flags, Add add, AddSwitch add_switch) {
  add("--clients", flags.clients, "N", "number of clients, 1..100000; default 1000");
  add("--lambda", flags.lambda, "SPAN",
      "mean time that a client thinks before each new call; a\nplain number is in seconds, as in "
      "the article, 1ms..24h;\ndefault 10s");
  add("--timeout", flags.timeout, "SPAN",
      "how long a client waits for an answer, 1ms..24h; default 2s");
  add_switch("--exponential-backoff", flags.exponential_backoff,
             "retry like the published client; the same as\n--policy smira_as_shipped");
  add("--simple-backoff-delay", flags.simple_backoff_delay, "SPAN",
      "retry after a fixed delay, 1ns..24h; default 100ms");
  add("--policy", flags.policy, "POLICY",
      "retry with a policy of backoffctl plan --help, or with\nsmira_as_shipped");
  add("--guard", flags.guard, "GUARD",
      "a guard that all clients share, such as\n'circuit_breaker(5 failures, open 5s)'; default "
      "none");
  add_switch("--senders", flags.senders, "make each client an actor with its own BackOffSender");
  add("--seed", flags.seed, "S", "seed of the random numbers, 0..18446744073709551615;\ndefault 0");
}

} // namespace backoffctl
