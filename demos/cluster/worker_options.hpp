#pragma once

#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace cluster {

/// What a worker process is told.
struct WorkerOptions {
  std::string connection{}; ///< of the server; in the environment, for it may hold a password
  std::string outbox{};     ///< its name in the database
  std::string node{};       ///< what the process calls itself; one word
  std::string service{};    ///< where the service of the jobs listens
  std::string notes{};      ///< the file of its notes
  std::uint64_t rate = 0;   ///< jobs that it submits a second, while it owns the outbox
  std::uint64_t keys = 16;  ///< how many keys the jobs have
  std::uint64_t first = 0;  ///< the number of its first job
  std::uint64_t parent = 0; ///< the process that started it, with which it ends
  backoff_actor::Duration lease = std::chrono::seconds{1};
  backoff_actor::Duration work = std::chrono::milliseconds{1}; ///< of a job, before its call
  /// Some jobs wait for a time, are cancelled, or take several steps. The outbox has a calendar.
  bool has_lives = false;
  /// Where the processes listen that may own the outbox, separated by commas; empty: nowhere.
  std::string ports{};
  std::uint64_t port = 0; ///< the one of this process; 0: it offers workers, and owns nothing
};

/// The environment variable that holds `WorkerOptions::connection`.
inline constexpr auto connection_variable = "CLUSTER_CONNECTION";

/// Returns the command line of a worker.
std::vector<std::string> command_of(const std::string& program, const WorkerOptions& options);

/// Reads a worker's command line and its environment.
///
/// @errors throws `std::invalid_argument`
WorkerOptions read_worker_options(int argc, char** argv);

} // namespace cluster
