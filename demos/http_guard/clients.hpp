#pragma once

#include "run_record.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace http_guard {

/// The jobs of a run, and what their clients heard of them.
///
/// @thread each job belongs to one client; the others look at it when all clients have ended.
struct Jobs {
  enum class State : std::uint8_t {
    not_submitted,
    submitted, ///< nothing heard yet
    answered,
    failed, ///< an error was the answer: it was never accepted, or it became a dead letter
    owed,   ///< the sender ended, and its durable outbox keeps it
  };

  /// @param prefix makes the ids unique among all jobs that a durable outbox was ever given; empty:
  ///                  there is none
  Jobs(std::uint64_t count, std::string prefix)
    : states(count, State::not_submitted), id_prefix(std::move(prefix)) {}

  std::string id_of(std::uint64_t job) const { return id_prefix + std::to_string(job + 1); }

  std::vector<State> states;
  const std::string id_prefix;
  std::atomic<std::uint64_t> clients_running{0};
};

/// How many requests a client has outstanding, at most.
inline constexpr int client_window = 8;

/// Spawns actors that share the jobs evenly, each of which requests its jobs of `sender`, in order,
/// and ends with the last answer. One that gets an error requests nothing more, but
/// for that of a job which has failed too often. `jobs` and `record`
/// must outlive them.
///
/// Where there is a durable outbox, a job's id is its idempotency key: a job that an earlier life
/// of the run has submitted is not done again for that.
void spawn_clients(caf::actor_system& system, std::uint64_t count, const caf::actor& sender,
                   Jobs& jobs, RunRecord& record);

} // namespace http_guard
