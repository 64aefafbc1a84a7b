#pragma once

#include "backoff_actor/core/node_address.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace remote_worker {

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_bad_input = 2;

/// What `remote_worker worker` was given.
struct WorkerOptions {
  std::string host = "127.0.0.1";                             ///< where it listens
  std::uint16_t port = 0;                                     ///< 0: any that is free
  std::string name = "worker";                                ///< for people
  std::string ledger;                                         ///< a file
  std::string tls;                                            ///< see `init`; empty: none
  backoff_actor::Duration work{std::chrono::milliseconds{5}}; ///< how long one number takes
};

/// What `remote_worker sender` was given.
struct SendOptions {
  std::vector<backoff_actor::NodeAddress> workers;
  std::uint64_t count = 1000;
  std::uint32_t window = 8; ///< numbers that a worker holds at a time
  std::string acknowledged; ///< a file; empty: none
  std::string tls;          ///< see `init`; empty: none
  backoff_actor::Duration patience{std::chrono::seconds{30}};
  std::uint64_t seed = 1;
};

/// What `remote_worker account` was given.
struct AccountOptions {
  std::uint64_t count = 1000;
  std::string acknowledged;
  std::vector<std::string> ledgers;
};

using Options = std::variant<WorkerOptions, SendOptions, AccountOptions>;

/// Returns what to do, or the exit code if help was asked for or the input cannot be used.
std::variant<Options, int> parse_options(int argc, char** argv);

/// Says that a file cannot be used. Returns the exit code.
int refuse_file(const std::string& option, const std::string& file, const std::string& why);

} // namespace remote_worker
