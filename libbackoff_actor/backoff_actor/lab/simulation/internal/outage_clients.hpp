#pragma once

// Inside of the simulation; not for its users. The clients, which make the calls.

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/guard/internal/guard.hpp"
#include "backoff_actor/lab/simulation/internal/outage_options.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace backoff_actor {

/// What clients can request from their simulation.
class OutageWorld {
public:
  /// A client calls the service now; the outcome comes as `answered` or `timed_out`.
  virtual void call(std::uint32_t client) = 0;

  /// A client is satisfied, and thinks until it wants something again.
  virtual void think(std::uint32_t client) = 0;

  /// A client has given up what it wanted, and thinks until it wants something again.
  virtual void give_up(std::uint32_t client) = 0;

  /// A client asks to be woken at `at`. Its earlier requests stay valid, too.
  virtual void wake_at(std::uint32_t client, Instant at) = 0;

protected:
  ~OutageWorld() = default;
};

/// The guards of the processes, in turn; empty: none.
using OutageGuards = std::vector<std::shared_ptr<Guard>>;

/// Returns the guard of a client's process. Null: none.
inline std::shared_ptr<Guard> guard_for(const OutageGuards& guards, std::uint32_t client) {
  return guards.empty() ? nullptr : guards[client % guards.size()];
}

/// All clients of a simulation, by number.
class OutageClients {
public:
  virtual ~OutageClients() = default;

  /// The client has thought for `thought`, and wants something now.
  virtual void wants(std::uint32_t client, Instant now, Duration thought) = 0;

  /// A wake-up that the client asked for.
  virtual void woken(std::uint32_t client, Instant now) = 0;

  /// The client's call was answered.
  virtual void answered(std::uint32_t client, Instant now) = 0;

  /// The client's call was not answered in time.
  virtual void timed_out(std::uint32_t client, Instant now) = 0;
};

/// Each client has two streams of draws: this one for its delays, and `think_stream`.
constexpr std::uint64_t delay_stream(std::uint32_t client) { return 2ULL * client + 1; }

/// The stream of a client's thinking times, see `delay_stream`.
constexpr std::uint64_t think_stream(std::uint32_t client) { return 2ULL * client; }

} // namespace backoff_actor
