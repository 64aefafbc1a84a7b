#pragma once

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <atomic>
#include <cstdint>
#include <string>
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
  };

  explicit Jobs(std::uint64_t count) : states(count, State::not_submitted) {}

  static std::string id_of(std::uint64_t job) { return std::to_string(job + 1); }

  std::vector<State> states;
  std::atomic<std::uint64_t> clients_running{0};
};

/// How many requests a client has outstanding, at most.
inline constexpr int client_window = 8;

/// Spawns actors that share the jobs evenly, each of which requests its jobs of `sender`, in order,
/// and ends with the last answer. One that gets an error requests nothing more. `jobs` must outlive
/// them.
void spawn_clients(caf::actor_system& system, std::uint64_t count, const caf::actor& sender,
                   Jobs& jobs);

} // namespace http_guard
